from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.errors import StoreDamaged
from wisen.store.sqlite.checksum import seal, verify

VALUES = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=80)


@given(st.lists(VALUES, min_size=1, max_size=6), st.data())
def test_a_flipped_bit_anywhere_in_a_text_is_noticed(
    values: list[int | float | str | None], data: st.DataObject
) -> None:
    texts = [i for i, value in enumerate(values) if isinstance(value, str) and value]
    if not texts:
        return
    place = data.draw(st.sampled_from(texts))
    raw = bytearray(str(values[place]).encode())
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    damaged = [*values]
    damaged[place] = raw.decode(errors="surrogateescape")
    if damaged != values:
        assert seal(*damaged) != seal(*values)


def test_values_that_changed_places_are_noticed() -> None:
    assert seal("a", "b") != seal("b", "a")
    assert seal("ab", "") != seal("a", "b")
    assert seal(1) != seal("1")
    assert seal(None) != seal("None")


def test_a_row_that_does_not_match_is_named() -> None:
    verify("memory m1", seal("x"), "x")
    with pytest.raises(StoreDamaged, match="memory m1"):
        verify("memory m1", seal("x"), "y")
