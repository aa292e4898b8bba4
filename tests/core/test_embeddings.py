"""Marks stop nobody whom a filter lets through, and tell at once most of what it asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.builders import T0, a_memory

from wisen.core.embeddings import MARK_BYTES, Space, mark_tables, marks, reads_english_only, slot_bytes
from wisen.core.recalls import MemoryFilter
from wisen.core.types import Anchor, Memory, MemoryKind, Source, Status, Trigger
from wisen.store.contract import admits

SYMBOLS = ("read_config", "")
PROGRAMS = ("make", "uv")

MEMORIES = st.builds(
    lambda **over: replace(a_memory("note"), **over),
    status=st.sampled_from(Status),
    kind=st.sampled_from(MemoryKind),
    source=st.sampled_from([None, *Source]) | st.just(Source.REPEATED_LOOKUP),
    confidence=st.floats(0, 1),
    trigger=st.none() | st.sampled_from(PROGRAMS).map(lambda program: Trigger(program=program)),
    anchors=st.just(()) | st.sampled_from(SYMBOLS).map(lambda symbol: (Anchor(path="a.py", symbol=symbol),)),
    snoozed_until=st.sampled_from([None, T0]),
)


def some(values: Iterable[object]) -> st.SearchStrategy[frozenset[object] | None]:
    return st.none() | st.frozensets(st.sampled_from(list(values)))


FILTERS = st.builds(
    MemoryFilter,
    statuses=st.frozensets(st.sampled_from(Status)) | st.just(frozenset(Status)),
    min_confidence=st.floats(0, 1) | st.just(0.0),
    sources=some(Source),
    kinds=some(MemoryKind),
    awake_at=st.sampled_from([None, T0]),
    programs=some(PROGRAMS),
    with_recipes=st.booleans(),
    with_places=st.booleans(),
    names=some(SYMBOLS),
)


def passes(where: MemoryFilter, memory: Memory) -> bool:
    return all(table[value] for table, value in zip(mark_tables(where), marks(memory), strict=True))


@given(MEMORIES, FILTERS)
def test_no_memory_that_a_filter_admits_is_stopped_by_its_marks(memory: Memory, where: MemoryFilter) -> None:
    assert passes(where, memory) or not admits(where, memory)


@given(MEMORIES)
def test_a_slot_that_is_taken_looks_like_no_empty_one(memory: Memory) -> None:
    assert len(marks(memory)) == MARK_BYTES
    assert all(marks(memory))


@given(FILTERS)
def test_an_empty_slot_never_passes(where: MemoryFilter) -> None:
    assert not all(table[0] for table in mark_tables(where))


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_confidence_that_is_enough_passes_and_one_that_is_a_step_too_low_does_not(held: float, least: float) -> None:
    memory = replace(a_memory("note"), confidence=held)
    where = MemoryFilter(min_confidence=least)
    assert passes(where, memory) or held < least
    assert not passes(where, memory) or held > least - 2 / 255


def test_marks_alone_tell_what_a_filter_asks_most() -> None:
    where = MemoryFilter(
        min_confidence=0.6, with_recipes=False, with_places=False, kinds=frozenset({MemoryKind.SEMANTIC})
    )
    memory = a_memory("note", confidence=0.9)
    place = (Anchor(path="a.py", symbol="read_config"),)
    assert passes(where, memory)
    assert not passes(where, replace(memory, status=Status.FORGOTTEN))
    assert not passes(where, replace(memory, kind=MemoryKind.EPISODIC))
    assert not passes(where, replace(memory, confidence=0.5))
    assert not passes(where, replace(memory, trigger=Trigger(program="make")))
    assert not passes(where, replace(memory, source=Source.REPEATED_LOOKUP, anchors=place))
    assert not passes(replace(where, sources=frozenset({Source.REPEATED_LOOKUP})), memory)
    assert not passes(MemoryFilter(programs=frozenset({"make"})), memory)
    assert not passes(MemoryFilter(names=frozenset({"read_config"})), memory)


def test_a_slot_holds_the_marks_and_a_bit_a_dimension() -> None:
    assert slot_bytes(Space(model="toy", digest="", dimension=8)) == MARK_BYTES + 1
    assert slot_bytes(Space(model="toy", digest="", dimension=384)) == MARK_BYTES + 48
    assert slot_bytes(Space(model="toy", digest="", dimension=9)) == MARK_BYTES + 2


def test_a_space_says_its_model_and_whether_that_knows_english_alone() -> None:
    small = Space(model="all-MiniLM-L6-v2", digest="1", dimension=384)
    assert str(small) == "all-MiniLM-L6-v2 (384 dimensions)"
    assert reads_english_only(small)
    assert not reads_english_only(replace(small, model="multilingual-e5-small"))
