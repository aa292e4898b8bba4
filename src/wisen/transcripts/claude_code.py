"""What does a Claude Code session file hold that the hooks may have missed, and which memories has it seen already?

The file is the harness's own and is only read. What wisen injected (attachment lines), snapshots of requests, hook
output, subagents, summaries and slash commands are never taken for the user's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from wisen.core.types import Event, UserPrompt
from wisen.transcripts.claude_prompts import Prompt, PromptFinder, timestamp
from wisen.transcripts.claude_words import HARNESS
from wisen.transcripts.fields import text_in
from wisen.transcripts.lines import LineReader

_BLOCK = re.compile(
    r'<wisen-memory id="(?P<nonce>[a-z0-9]+)"[^\n]*\n(?P<lines>.*?)\n</wisen-memory id="(?P=nonce)">', re.DOTALL
)
_SHORT_ID = re.compile(r"^- \[([0-9a-f]{8})\] ", re.MULTILINE)
_TAIL_BYTES = 256 * 1024
_SAME_REPLY = timedelta(seconds=2.5)  # Claude Code tells the age of a reply in whole seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What a part of a session file says. `next_offset` is where a later read goes on, in bytes.

    `lines` and `skipped` count objects and malformed lines from the file's start; `incomplete` means that the last line
    is still being written.
    """

    events: tuple[Event, ...]
    next_offset: int
    lines: int
    skipped: int
    incomplete: bool


def read(
    path: Path, *, start_offset: int = 0, limit_bytes: int | None = None, assume_interactive: bool = False
) -> Transcript:
    """Return the user's words from `start_offset` on, at most the lines that begin in the `limit_bytes` after it.

    The part before is read too, for what it says about the part after: which turn runs, what waits in the queue.
    `assume_interactive` holds for lines of versions that don't say how a prompt came. Raises OSError.
    """
    finder = PromptFinder(assume_interactive=assume_interactive)
    end = None if limit_bytes is None else start_offset + limit_bytes
    lines = 0
    with _opened(path) as (file, modified):
        reader = LineReader(file, end=end)
        for lines, line in enumerate(reader, start=1):  # noqa: B007 - the count outlives the loop
            finder.take(line)
    said = (prompt for prompt in finder.prompts() if prompt.offset >= start_offset)
    return Transcript(
        events=tuple(_event(prompt, path, modified) for prompt in said),
        next_offset=max(reader.next_offset, start_offset),
        lines=lines,
        skipped=reader.skipped,
        incomplete=reader.incomplete,
    )


def injected_ids(path: Path, *, last_reply_at: datetime | None = None) -> frozenset[str]:
    """Return the short ids of memories in recall blocks that this history still holds: those after its last compaction.

    A fork's file is written with its first prompt. Before, `last_reply_at` (when the model last answered in the copied
    history) tells which file in the same folder it is a copy of. Nothing for files that can't be read.
    """
    try:
        if not path.exists() and last_reply_at is not None:
            path = _forked_from(path, last_reply_at) or path
        with _opened(path) as (file, _):
            return _ids_after_compaction(file)
    except OSError:
        return frozenset()


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, datetime]]:
    """Open a regular file, never a pipe that would block; give it and its time of modification."""
    if not path.is_file():
        raise FileNotFoundError(f"no transcript at {path}")
    with path.open("rb") as file:
        yield file, datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _event(prompt: Prompt, path: Path, modified: datetime) -> Event:
    return Event(
        event_id=prompt.key,
        delivery_id="",
        harness=HARNESS,
        session_id=prompt.session_id or path.stem,
        at=prompt.at or modified,
        cwd=prompt.cwd,
        body=UserPrompt(text=prompt.text, channel=prompt.channel, prompt_id=prompt.prompt_id),
        transcript=str(path),
    )


def _ids_after_compaction(file: BinaryIO) -> frozenset[str]:
    found: set[str] = set()
    for line in LineReader(file, mentioning=(b"wisen-memory", b"compact_boundary")):
        fields = line.fields
        attachment = fields.object("attachment")
        if fields.text("type") == "system" and fields.text("subtype") == "compact_boundary":
            found.clear()
        elif fields.text("type") == "attachment" and attachment.text("type") == "hook_additional_context":
            for block in _BLOCK.finditer(text_in(attachment.value("content"))):
                found.update(_SHORT_ID.findall(block["lines"]))
    return frozenset(found)


def _forked_from(path: Path, last_reply_at: datetime) -> Path | None:
    """Return the session file beside `path` whose model last answered at that moment, if there is exactly one."""
    at = last_reply_at.timestamp()
    slack = _SAME_REPLY.total_seconds()
    # A file written last before the reply can't hold it.
    near = [other for other in path.parent.glob("*.jsonl") if other.stat().st_mtime >= at - slack]
    same = [other for other in near if (last := _last_reply(other)) and abs(last - last_reply_at) <= _SAME_REPLY]
    return same[0] if len(same) == 1 else None


def _last_reply(path: Path) -> datetime | None:
    last = None
    with _opened(path) as (file, _):
        start = max(path.stat().st_size - _TAIL_BYTES, 0)
        for line in LineReader(file, start=start, mentioning=(b'"assistant"',)):
            if line.fields.text("type") == "assistant" and not line.fields.flag("isSidechain"):
                last = timestamp(line.fields.value("timestamp")) or last
    return last
