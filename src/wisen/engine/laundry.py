"""What may a memory from a file hold and claim? Its words are cleaned as if said now, and it earns no trust."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any, Final, TypeVar

from wisen.core.lifecycle import fingerprint
from wisen.core.portable import MemoryRecord
from wisen.core.render import plain_line
from wisen.core.trust import standing_for
from wisen.core.types import Anchor, EventRef, Memory, Status, Trigger
from wisen.engine.cleaning import clean_words
from wisen.errors import InvalidValue
from wisen.ports import Redactor

Part = TypeVar("Part", EventRef, Anchor, Trigger)

_WORDS: Final = ("text", "category", "title", "why", "how_to_apply")
_NAMES: Final = ("session_id", "branch")


class Laundry:
    """Cleans the records of one batch; every version of a memory in its journal alike, so that they still fit."""

    def __init__(self, redactor: Redactor, *, learn_headless: bool, review: bool) -> None:
        self._redactor = redactor
        self._learn_headless = learn_headless
        self._review = review
        self._words = _remembered(partial(clean_words, redactor=redactor))
        self._name = _remembered(redactor.redact)

    def washed(self, record: MemoryRecord) -> tuple[MemoryRecord, tuple[str, ...]]:
        """Return a record as it may be kept, and what was done to it. Raises InvalidValue for one that may not be."""
        notes: dict[str, None] = {}
        versions: dict[int, Memory] = {}

        def clean(memory: Memory | None) -> Memory | None:
            if memory is not None and id(memory) not in versions:
                versions[id(memory)] = self._memory(memory, notes)
            return None if memory is None else versions[id(memory)]

        journal = tuple(
            replace(
                entry,
                reason=self._words(entry.reason),
                action=self._name(entry.action),
                batch=self._name(entry.batch),
                before=clean(entry.before),
                after=clean(entry.after),
            )
            for entry in record.journal
        )
        return replace(record, memory=clean(record.memory), journal=journal), tuple(notes)

    def _memory(self, memory: Memory, notes: dict[str, None]) -> Memory:
        clean = self._cleaned(memory)
        if clean != memory:
            notes["secrets or hidden characters taken out"] = None
        if not plain_line(clean.text):
            raise InvalidValue("there is nothing to remember: the text is empty")
        return self._demoted(replace(clean, digest=fingerprint(clean.text)), notes)

    def _cleaned(self, memory: Memory) -> Memory:
        said: dict[str, Any] = {name: self._words(getattr(memory, name)) for name in _WORDS}
        named: dict[str, Any] = {name: self._name(getattr(memory, name)) for name in _NAMES}
        return replace(
            memory,
            **said,
            **named,
            tags=tuple(map(self._words, memory.tags)),
            supersedes=tuple(map(self._name, memory.supersedes)),
            evidence=tuple(replace(self._named(ref), quote=self._words(ref.quote)) for ref in memory.evidence),
            anchors=tuple(map(self._named, memory.anchors)),
            trigger=memory.trigger and self._named(memory.trigger),
        )

    def _named(self, part: Part) -> Part:
        """Return a part of a memory with its names cleaned."""
        held = {one.name: getattr(part, one.name) for one in fields(part)}
        clean: dict[str, Any] = {name: self._name(value) for name, value in held.items() if isinstance(value, str)}
        clean |= {name: tuple(map(self._name, value)) for name, value in held.items() if isinstance(value, tuple)}
        return replace(part, **clean)

    def _demoted(self, memory: Memory, notes: dict[str, None]) -> Memory:
        """Return the memory with no better standing than who said it allows; with `review`, it waits for the user."""
        allowed = standing_for(memory.origin, learn_headless=self._learn_headless)
        if allowed is None:
            raise InvalidValue(f"what {memory.origin.value} says may not become a memory")
        if self._review and memory.status in {Status.CANDIDATE, Status.ACTIVE}:
            return replace(memory, status=Status.PENDING_REVIEW, pinned=False)
        if memory.status is Status.ACTIVE and allowed is not Status.ACTIVE:
            notes[f"said by {memory.origin.value}: waits for review"] = None
            return replace(memory, status=Status.PENDING_REVIEW)
        return memory


def _remembered(clean: Callable[[str], str]) -> Callable[[str], str]:
    """Return the function with its answers kept: the versions of a memory share most of their words."""
    known: dict[str, str] = {}

    def cleaned(text: str) -> str:
        if text not in known:
            known[text] = clean(text)
        return known[text]

    return cleaned
