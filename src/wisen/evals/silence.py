"""Did sessions from which nothing was to be learned store nothing?

By the labels: a session is one to learn from when a prompt of it is labelled durable and firm, or a window of it a
recipe and firm; with a doubtful label it may be one. The labels cover a sample of the prompts and windows, so a session
that stored something without them is a case to read, not proof of a mistake; those of whose prompts every one is
labelled, and none durable, are counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wisen.core.types import Source
from wisen.evals.labelled import labelled
from wisen.evals.playing import Played
from wisen.transcripts.fields import Fields

PROMPTS_FILE: Final = "prompts.jsonl.gz"
WINDOWS_FILE: Final = "windows.jsonl.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """The sessions with something to learn from, surely or perhaps, and how many prompts of each are labelled."""

    firm: frozenset[str]
    perhaps: frozenset[str]
    prompts: Mapping[str, int]


def labelled_sessions(folder: Path, repository: str) -> Labelled:
    """Read what the labels say of a repository's sessions. Raises NotFound, PayloadError."""
    lessons: dict[str, bool] = {}  # by session; True where one of them is sure
    prompts: Counter[str] = Counter()
    for row in _rows(folder / PROMPTS_FILE, repository):
        prompts[row.text("session")] += 1
        _note(lessons, row, is_lesson=row.object("label").text("kind") == "durable")
    for row in _rows(folder / WINDOWS_FILE, repository):
        _note(lessons, row, is_lesson=row.object("label").text("label") == "recipe")
    firm = frozenset(session for session, is_sure in lessons.items() if is_sure)
    return Labelled(firm=firm, perhaps=frozenset(lessons), prompts=prompts)


def counts(sessions: Sequence[Played], labels: Labelled | None) -> Mapping[str, int]:
    """Return how many sessions stored nothing, and of those without a labelled lesson how many stored something.

    What was looked up for a third time is stored by right, whatever the labels say.
    """
    found = {"sessions": len(sessions), "stored_nothing": sum(not one.added for one in sessions)}
    if labels is None:
        return found
    without_firm = [one for one in sessions if one.session_id not in labels.firm]
    without_any = [one for one in without_firm if one.session_id not in labels.perhaps]
    covered = [one for one in without_any if labels.prompts.get(one.session_id, 0) >= one.prompts]
    groups = {"without_firm_lesson": without_firm, "without_any_lesson": without_any, "all_prompts_labelled": covered}
    for name, group in groups.items():
        found |= {name: len(group), f"{name}_stored": sum(_stored(one) for one in group)}
    return found


def _note(lessons: dict[str, bool], row: Fields, *, is_lesson: bool) -> None:
    if is_lesson:
        session = row.text("session")
        lessons[session] = lessons.get(session, False) or row.object("label").flag("firm")


def _stored(session: Played) -> bool:
    return any(memory.source is not Source.REPEATED_LOOKUP for memory in session.added)


def _rows(path: Path, repository: str) -> Sequence[Fields]:
    return [row for row in labelled(path) if row.text("repo") == repository]
