from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.graphemes import cut_after, cut_before, is_border

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
WHOLE = [
    "e\u0301",
    "n\u0303\u0323",
    FAMILY,
    SCOTLAND,
    "\U0001f1e9\U0001f1ea",  # a flag of two letters
    "\U0001f44d\U0001f3fd",  # a thumb with a skin tone
    "1\ufe0f\u20e3",
    "\u2764\ufe0f\u200d\U0001f525",
    "\u1112\u1161\u11ab",  # a syllable in letters
    "\uac00\u11a8",
    "\u0e01\u0e33\u0e48",
    "\r\n",
]


@pytest.mark.parametrize("cluster", WHOLE, ids=ascii)
def test_a_cut_never_tears_what_is_read_as_one_character(cluster: str) -> None:
    text = f"ab{cluster}cd"
    for limit in range(2, 2 + len(cluster)):
        assert cut_before(text, limit) == 2
    assert cut_before(text, 2 + len(cluster)) == 2 + len(cluster)
    for start in range(3, 3 + len(cluster)):
        assert cut_after(text, start) == max(start, 2 + len(cluster))


def test_two_flags_are_two_characters() -> None:
    flags = "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7"
    assert [at for at in range(1, 4) if is_border(flags, at)] == [2]


def test_two_emoji_and_two_syllables_may_be_parted() -> None:
    assert is_border("\U0001f468\U0001f469", 1)
    assert is_border("\uac01\uac00", 1)
    assert is_border("ab", 1)


def test_a_character_of_a_thousand_marks_is_cut_all_the_same() -> None:
    assert cut_before("a" + "\u0301" * 1000, 500) == 500


@given(st.text(max_size=60), st.integers(-5, 70))
def test_a_cut_is_within_the_text_and_never_beyond_the_limit(text: str, limit: int) -> None:
    assert 0 <= cut_before(text, limit) <= max(min(limit, len(text)), 0)
    assert min(max(limit, 0), len(text)) <= cut_after(text, limit) <= len(text)
