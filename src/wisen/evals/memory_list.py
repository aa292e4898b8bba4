"""Is every memory worth keeping? A list for a person to judge: each memory with its evidence and a blank verdict.

The list holds the user's words: it is written for its owner alone to read, and nowhere unless asked. As Markdown, or as
JSON Lines where the file is named `.jsonl`; both are read back by `verdicts_in`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from wisen.core.plain import status_in_words
from wisen.core.render import statement
from wisen.core.types import EventRef, Memory
from wisen.errors import InvalidValue, NotFound
from wisen.evals.figures import Json, share
from wisen.evals.labelled import labelled

VERDICTS: Final = ("keep", "wrong", "useless")
UNJUDGED: Final = "unjudged"
_HEADING: Final = re.compile(r"## \d+\. (?P<status>\w+) ")
_VERDICT: Final = re.compile(r"-? ?verdict:\s*(?P<word>\w*)\s*$")


def list_of(memories: Sequence[Memory], sessions: Mapping[str, int], repository: str, *, as_lines: bool = False) -> str:
    """Return the list, as JSON Lines if asked. `sessions` numbers the sessions by id."""
    if as_lines:
        return "".join(json.dumps(_row(memory, sessions), ensure_ascii=False) + "\n" for memory in memories)
    return "\n".join(_markdown(memories, sessions, repository)) + "\n"


def verdicts_in(path: Path) -> Mapping[str, Mapping[str, int]]:
    """Return how often each verdict was given, by how the memories stand and for all; `unjudged` counts the rest.

    Raises NotFound for no such file, InvalidValue for a word that is no verdict.
    """
    found: dict[str, Counter[str]] = {}
    for status, word in _rows_in(path):
        if word not in {"", *VERDICTS}:
            raise InvalidValue(f"{word!r} is no verdict", hint="write keep, wrong or useless")
        for name in (status, "all"):
            found.setdefault(name, Counter())[word or UNJUDGED] += 1
    return dict(sorted(found.items()))


def shares_of(counts: Mapping[str, int]) -> Mapping[str, Json]:
    """Return the share of each verdict among those given, with its interval, and how many are missing."""
    judged = sum(counts.get(word, 0) for word in VERDICTS)
    shares = {word: share(counts.get(word, 0), judged) for word in VERDICTS}
    return {**shares, UNJUDGED: counts.get(UNJUDGED, 0)}


def _rows_in(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (how it stands, verdict) of each memory in a list."""
    if path.suffix == ".jsonl":
        for row in labelled(path):
            yield row.text("status"), row.text("verdict").strip().casefold()
        return
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise NotFound(f"can't read {path}: {error}") from error
    status = ""
    for line in lines:
        if heading := _HEADING.match(line):
            status = heading["status"]
        elif status and (verdict := _VERDICT.match(line)):
            yield status, verdict["word"].casefold()
            status = ""


def _markdown(memories: Sequence[Memory], sessions: Mapping[str, int], repository: str) -> Iterator[str]:
    yield f"# {len(memories)} memories of {repository}"
    yield ""
    yield "As the maintainer of the repository, write one word behind each `verdict:`, then `wisen eval verdicts FILE`:"
    yield "keep (I would have written it down), wrong (not true, or not meant so), useless (true, and helps nobody)."
    for number, memory in enumerate(memories, 1):
        yield ""
        yield f"## {number}. {memory.status.value} {_source(memory)} [{memory.short_id}]"
        yield ""
        yield from (f"> {line}" for line in statement(memory).splitlines() or [""])
        yield ""
        yield from (f"- {name}: {_one_line(text)}" for name, text in _details(memory) if text)
        for ref in memory.evidence:
            yield f"- seen in session {_session(ref, sessions)}: {_one_line(ref.quote)!r}"
        yield "- verdict: "


def _row(memory: Memory, sessions: Mapping[str, int]) -> Mapping[str, Json]:
    return {
        "id": memory.memory_id,
        "status": memory.status.value,
        "source": _source(memory),
        "text": statement(memory),
        **dict(_details(memory)),
        "evidence": [
            {"session": _session(ref, sessions), "at": ref.at.isoformat(), "quote": ref.quote}
            for ref in memory.evidence
        ],
        "verdict": "",
    }


def _details(memory: Memory) -> tuple[tuple[str, str], ...]:
    trigger = memory.trigger
    call = " ".join((trigger.program, trigger.subcommand, *trigger.flags)).strip() if trigger else ""
    return (
        ("why", memory.why),
        ("how to apply", memory.how_to_apply),
        ("comes up before", f"{call} ({trigger.error_class})" if trigger and trigger.error_class else call),
        ("said by", memory.origin.value),
        ("stands", f"{status_in_words(memory.status.value)}, support {memory.support}, {memory.confidence:.2f}"),
    )


def _source(memory: Memory) -> str:
    return memory.source.value if memory.source else "unknown"


def _session(ref: EventRef, sessions: Mapping[str, int]) -> str:
    number = sessions.get(ref.session_id)
    return f"{number} ({ref.at.date().isoformat()})" if number else ref.at.date().isoformat()


def _one_line(text: str) -> str:
    return " ".join(text.split())
