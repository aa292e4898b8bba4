"""What may a memory from a file hold and claim? Its words are cleaned as if said now, and it earns no trust."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime
from functools import cache, partial
from typing import Any, Final, TypeVar, assert_never

from wisen.core.lifecycle import fingerprint
from wisen.core.portable import Alias, MemoryRecord, Record
from wisen.core.records import RootClaim
from wisen.core.render import plain_line
from wisen.core.trust import standing_for
from wisen.core.types import Anchor, EventRef, Memory, Status, Trigger
from wisen.engine.cleaning import clean_words
from wisen.engine.limits import APART, MAX_TEXT_CHARS, bounded
from wisen.errors import InvalidValue
from wisen.ports import Redactor

Part = TypeVar("Part", EventRef, Anchor, Trigger)

_WORDS: Final = ("text", "category", "title", "why", "how_to_apply")
_NAMES: Final = ("session_id", "branch")


class Laundry:
    """Cleans the records of one batch; every version of a memory in its journal alike, so that they still fit."""

    def __init__(self, redactor: Redactor, *, now: datetime, learn_headless: bool, review: bool) -> None:
        self._redactor = redactor
        self._now = now
        self._learn_headless = learn_headless
        self._review = review
        self._words = cache(
            partial(clean_words, redactor=redactor)
        )  # the versions of a memory share most of their words
        self._name = cache(redactor.redact)

    def washed(self, record: MemoryRecord) -> tuple[MemoryRecord, tuple[str, ...]]:
        """Return a record as it may be kept, and what was done to it. Raises InvalidValue for one that may not be."""
        self.refuse_secret_names(record)
        if any(len(said) > MAX_TEXT_CHARS for e in record.journal for said in (e.reason, e.action, e.batch)):
            raise InvalidValue(f"a change has a reason of more than {MAX_TEXT_CHARS:,} characters")
        notes: dict[str, None] = {}
        versions: dict[int, Memory] = {}

        def clean(memory: Memory | None) -> Memory | None:
            if memory is not None and id(memory) not in versions:
                versions[id(memory)] = self._memory(memory, notes)
            return None if memory is None else versions[id(memory)]

        journal = tuple(
            replace(
                entry,
                at=min(entry.at, self._now) if entry.at > self._now + APART else entry.at,
                reason=self._words(entry.reason),
                action=self._name(entry.action),
                batch=self._name(entry.batch),
                before=clean(entry.before),
                after=clean(entry.after),
            )
            for entry in record.journal
        )
        return replace(record, memory=clean(record.memory), journal=journal), tuple(notes)

    def refuse_secret_names(self, record: Record) -> None:
        """Raise InvalidValue for a secret in a name: other things are found by it, so it is not cleaned."""
        match record:
            case MemoryRecord():
                names: tuple[str, ...] = (str(record.graph), record.memory_id)
            case Alias():
                names = (str(record.old), str(record.new))
            case RootClaim():
                names = (record.graph, record.root, record.place, *record.trusted, *record.witnesses)
            case _:
                assert_never(record)
        if any(self._name(name) != name for name in names):
            raise InvalidValue("the name of a memory, a graph or a commit holds what looks like a secret")

    def _memory(self, memory: Memory, notes: dict[str, None]) -> Memory:
        clean = self._cleaned(memory)
        if clean != memory:
            notes["secrets or hidden characters taken out"] = None
        if not plain_line(clean.text):
            raise InvalidValue("there is nothing to remember: the text is empty")
        within, what = bounded(replace(clean, digest=fingerprint(clean.text)), self._now)
        notes.update(dict.fromkeys(what))
        return self._demoted(within, notes)

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
        waits = memory.status in {Status.CANDIDATE, Status.PENDING_REVIEW}
        if waits and memory.pinned and allowed is not Status.ACTIVE:
            notes[f"said by {memory.origin.value} and pinned: not pinned while it waits for review"] = None
            return replace(memory, pinned=False)
        if self._review and memory.status in {Status.CANDIDATE, Status.ACTIVE}:
            return replace(memory, status=Status.PENDING_REVIEW, pinned=False)
        if memory.status is Status.ACTIVE and allowed is not Status.ACTIVE:
            notes[f"said by {memory.origin.value}: waits for review"] = None
            return replace(memory, status=Status.PENDING_REVIEW, pinned=False)
        return memory
