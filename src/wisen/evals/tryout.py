"""`wisen try`: three short bundled sessions through the real pipeline in a throw-away home, and what comes of them.

The payloads are what Claude Code sends; adapter, redaction, gate, store, promotion, recall and rendering are the
product's own. Nothing outside a temporary directory is read or written, and no model is called.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.adapters.registry import adapter
from wisen.compose import SystemClock, Wisen, compose, real_parts
from wisen.config import load_settings, paths
from wisen.core.gate import Verdict, explain
from wisen.core.recalls import RecallBlock
from wisen.core.types import Event, Memory, Source, Status
from wisen.errors import Unsupported
from wisen.redact import FloorRedactor

if TYPE_CHECKING:
    from rich.console import Console

HARNESS = "claude-code"
NEXT_PROMPT = "Add a call to the invoice service and store what it returns in the staging database"
# A rule of thumb for English prose and code; the harness's own tokenizer decides.
CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One sentence of a session's prompts, and what became of it."""

    session: str
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Tryout:
    """What three sessions taught, and what the fourth one gets."""

    titles: Mapping[str, str]
    learned: tuple[Memory, ...]
    waiting: tuple[Memory, ...]
    said: tuple[Said, ...]
    block: RecallBlock
    later_block: RecallBlock
    hook_calls: int
    cpu_ms_per_call: float

    @property
    def left_out(self) -> tuple[Said, ...]:
        """The sentences that became nothing."""
        return tuple(said for said in self.said if not said.verdict.emitted)


class _Calendar:
    """A clock for replayed sessions: real time, shifted into the past a day at a time."""

    def __init__(self) -> None:
        self._real = SystemClock()
        self.days_ago = 0

    def now(self) -> datetime:
        return self._real.now() - timedelta(days=self.days_ago)


def main(console: Console, as_json: bool) -> int:  # noqa: FBT001 -- the command's own flag
    """Run, and show it in words (or as JSON on standard output). Returns the exit code."""
    if shutil.which("git") is None:
        raise Unsupported("`wisen try` needs git, and there is none on PATH", hint="install git, then try again")
    result = run()
    if as_json:
        console.file.write(json.dumps(view(result), indent=2, ensure_ascii=False) + "\n")
    else:
        show(console, result)
    return 0


def view(result: Tryout) -> dict[str, object]:
    """Return the result as JSON-able values."""
    return {
        "sessions": dict(result.titles),
        "learned": [_memory_view(memory) for memory in result.learned],
        "waiting": [_memory_view(memory) for memory in result.waiting],
        "left_out": [
            {"session": said.session, "sentence": said.verdict.sentence, "reason": said.verdict.reason}
            for said in result.left_out
        ],
        "block": result.block.text,
        "block_chars": result.block.chars,
        "next_prompt": NEXT_PROMPT,
        "next_prompt_block": result.later_block.text,
        "hook_calls": result.hook_calls,
        "cpu_ms_per_call": round(result.cpu_ms_per_call, 2),
        "model_calls": 0,
    }


def _memory_view(memory: Memory) -> dict[str, object]:
    quotes = [{"session": ref.session_id, "at": ref.at.isoformat(), "quote": ref.quote} for ref in memory.evidence]
    return {
        "id": memory.short_id,
        "text": memory.text,
        "source": memory.source.value if memory.source else None,
        "origin": memory.origin.value,
        "confidence": memory.confidence,
        "support": memory.support,
        "graph": str(memory.graph),
        "evidence": quotes,
    }


def show(console: Console, result: Tryout) -> None:
    """Print the result for a person."""
    out = partial(_paragraph, console)
    out(f"Replayed {len(result.titles)} sessions ({result.hook_calls} hook calls) in a throw-away home:")
    for title in result.titles.values():
        out(f"  {title}")
    out("\nLearned", style="bold")
    for memory in result.learned:
        _show_memory(out, memory, result.titles)
    out("\nHeld for your review (a script said it, not you)", style="bold")
    for memory in result.waiting:
        _show_memory(out, memory, result.titles)
    out("\nLeft out, and why", style="bold")
    for said in result.left_out:
        out(f"  {said.verdict.sentence}", style="dim")
        out(f"      {said.verdict.reason}", style="dim")
    out("\nThe next session starts with exactly this", style="bold")
    exactly = partial(console.print, markup=False, soft_wrap=True)
    exactly(result.block.text)
    tokens = round(result.block.chars / CHARS_PER_TOKEN)
    cost = f"{result.block.chars} characters of context (about {tokens} tokens), 0 model calls"
    out(f"\nCost: {cost}, {result.cpu_ms_per_call:.1f} ms of CPU in the daemon for each hook call.")
    again = "gets nothing more: what fits it is already there." if not result.later_block.text else "adds:"
    out(f"\nIts first prompt, {NEXT_PROMPT!r}, {again}")
    if result.later_block.text:
        exactly(result.later_block.text)


def _paragraph(console: Console, text: str, *, style: str = "") -> None:
    """Print a paragraph, wrapped between words on a terminal; its further lines go on two columns further in."""
    blank = len(text) - len(text.lstrip("\n"))
    body = text[blank:]
    if console.is_terminal:
        hang = " " * (len(body) - len(body.lstrip(" ")) + 2)
        rows = textwrap.wrap(
            body, console.width, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False
        )
        body = "\n".join(rows)
    console.print("\n" * blank + body, markup=False, soft_wrap=True, style=style)


def _show_memory(out: Callable[..., None], memory: Memory, titles: Mapping[str, str]) -> None:
    seen = f", said {memory.support} times" if memory.support > 1 else ""
    source = "rule" if memory.source is Source.CORRECTION else memory.source.value if memory.source else "unknown"
    out(f"  [{memory.short_id}] {memory.text}")
    out(f"      {source}, confidence {memory.confidence:.2f}{seen}", style="dim")
    for ref in memory.evidence:
        out(f"      from {titles.get(ref.session_id, ref.session_id)}: {ref.quote!r}", style="dim")


def run() -> Tryout:
    """Replay the bundled sessions in a temporary home and return what came of it. Needs git."""
    with tempfile.TemporaryDirectory(prefix="wisen-try-") as home:
        env = {"WISEN_HOME": f"{home}/wisen", "HOME": home}
        where = paths(env)
        clock = _Calendar()
        settings = load_settings(where, env, {"embedding": "off"})  # words do for three sessions
        wisen = compose(where, settings, env=os.environ, parts=real_parts(where, os.environ, clock=clock))
        try:
            return _replayed(wisen, clock, _example_repository(Path(home) / "widgets"))
        finally:
            wisen.close()


def _replayed(wisen: Wisen, clock: _Calendar, cwd: str) -> Tryout:
    sessions = list(_bundled())
    titles: dict[str, str] = {}
    said: list[Said] = []
    calls = 0
    began = time.process_time()
    for n, session in enumerate(sessions):
        clock.days_ago = len(sessions) - n
        session_id = f"try-{n + 1}"
        titles[session_id] = str(session["title"])
        for event in _events(session, session_id, cwd, clock):
            calls += 1
            said += [Said(session=session_id, verdict=verdict) for verdict in explain(event)]
            captured = wisen.capture.capture(event)
            prepared = wisen.recall.prepare(captured) if captured else None
            if prepared is not None:
                wisen.recall.commit(prepared)
        wisen.promote.promote(HARNESS, session_id)
    cpu_ms = (time.process_time() - began) * 1000 / max(calls, 1)
    clock.days_ago = 0
    block, later = _next_session(wisen, cwd, clock)
    graphs = wisen.locator.locate(HARNESS, cwd).reads
    return Tryout(
        titles=titles,
        learned=wisen.inspect.memories(graphs, statuses=frozenset({Status.ACTIVE})),
        waiting=wisen.curate.waiting(graphs),
        said=tuple(said),
        block=block,
        later_block=later,
        hook_calls=calls,
        cpu_ms_per_call=cpu_ms,
    )


def _next_session(wisen: Wisen, cwd: str, clock: _Calendar) -> tuple[RecallBlock, RecallBlock]:
    """Return the blocks of a fourth session's start and of its first substantial prompt."""
    calls = [
        {"hook_event_name": "SessionStart", "source": "startup"},
        {"hook_event_name": "UserPromptSubmit", "prompt": NEXT_PROMPT, "prompt_id": "n1"},
    ]
    blocks = []
    for event in _events({"entrypoint": "cli", "calls": calls}, "try-next", cwd, clock):
        captured = wisen.capture.capture(event)
        prepared = wisen.recall.prepare(captured) if captured else None
        if prepared is None:
            blocks.append(RecallBlock(text="", shown=(), left_out=()))
            continue
        wisen.recall.commit(prepared)
        blocks.append(prepared.block)
    return blocks[0], blocks[1]


def _bundled() -> Iterator[Mapping[str, object]]:
    folder = resources.files("wisen.evals") / "sessions"
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            yield json.loads(file.read_text(encoding="utf-8"))


def _events(session: Mapping[str, object], session_id: str, cwd: str, clock: _Calendar) -> Iterator[Event]:
    calls = session["calls"]
    for n, call in enumerate(calls if isinstance(calls, list) else []):
        payload = {"session_id": session_id, "cwd": cwd, "transcript_path": "", **call}
        yield from adapter(HARNESS).events(
            json.dumps(payload).encode(),
            entrypoint=str(session["entrypoint"]),
            delivery_id=f"{session_id}-{n}",
            received_at=clock.now(),
            redact=FloorRedactor().redact,
        )


def _example_repository(top: Path) -> str:
    """Make a repository with a remote and one commit; the only git command outside `gitrepo`, in a scratch folder."""
    top.mkdir()
    # GIT_DIR and the like would send the commands into a repository of the user's.
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env = own | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ["-c", "user.name=Example", "-c", "user.email=example@example.invalid"]
    for command in (
        ["init", "--quiet"],
        ["remote", "add", "origin", "https://github.com/acme/widgets.git"],
        [*who, "commit", "--quiet", "--allow-empty", "--message", "Begin"],
    ):
        subprocess.run(["git", *command], cwd=top, env=env, check=True, capture_output=True, timeout=20)
    return str(top)
