from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.hygiene import tidied

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    "text",
    [
        "Use pnpm here, not npm.",
        "first line\n\tsecond line",
        "\u4f18\u5148\u7528\u4e2d\u6587\uff0c\u4e0d\u8981\u7528 npm\u3002",  # with full-width marks
        FAMILY,
        SCOTLAND,
        "1\ufe0f\u20e3 \u2764\ufe0f \u2139\ufe0f \U0001f1e9\U0001f1ea",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with the non-joiner that its spelling needs
        "\u0c1c\u0c4d\u0c1e\u200c\u0c3e",
        "\u0915\u094d\u200d\u0937",
        "x\u00b2 + \u00bd, No. \u2116, \u2460, \u2122 \u2026",  # NFKC would make other words of these
        "\ue0b0 main \uf8ff",  # of icon fonts
        "#deadbeef \u2192 \u2264 \u2500",
    ],
    ids=ascii,
)
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert tidied(text) == text


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("\x1b[1;31mred\x1b[0m and \x9b4mline\x9b0m", "red and line"),
        ("\x1b]8;;https://evil.example\x07click\x1b]8;;\x1b\\ here", "click here"),
        ("\x1b]0;a title that nothing ends\nthe next line", "\nthe next line"),
        ("cut off \x1b[", "cut off "),
        ("\x1bPq#0;2\x1b\\picture \x1bMup", "picture up"),
        ("a\u202eb\u2066c\u200fd\u061ce", "abcde"),
        ("AK\u200bIA\u2060IO\ufeffSF\u00adOD", "AKIAIOSFOD"),
        ("hi\U000e0068\U000e0069\U000e007f there", "hi there"),  # tags outside a flag: words that nobody sees
        ("a\ufe01b\U000e0101c\ufe0fd", "abcd"),  # selectors on letters can spell a message
        ("\u2764\ufe0f\ufe0f\ufe0f", "\u2764\ufe0f"),
        ("no\u200djoin", "nojoin"),
        ("e\u0301\u00c5 A\u030a", "\u00e9\u00c5 \u00c5"),
        ("e\u200b\u0301", "\u00e9"),
        ("\uff30\uff21\uff33\uff33 \U0001d412\U0001d41e\U0001d41c \ufb01le \uff76\uff9e", "PASS Sec file \u30ac"),
        ("hard\u00a0space\u202f!", "hard space !"),
        ("a\x00b\x07c\x7fd", "abcd"),
        ("one\r\ntwo\rthree\u2028four\x0bfive\x85six", "one\ntwo\nthree four five six"),
        ("\ud83d\ude00 \ud83d half", "\U0001f600 \ufffd half"),
        ("\u3164\u115f\uffa0filler", "filler"),
        ("\ufffe\ufdd0\U0001ffff", ""),
        ("\uff1cscript\uff1e", "\uff1cscript\uff1e"),  # must not become a real bracket
    ],
    ids=ascii,
)
def test_what_acts_hides_or_only_looks_alike_is_gone(dirty: str, clean: str) -> None:
    assert tidied(dirty) == clean


_NASTY = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from(
            "\x1b[]\x9b;m\x07\\\u200b\u200c\u200d\ufe0f\u0301e\U0001f3f4\U000e0067\U000e007f\ud83d\ude00\u0646"
        ),
    ),
    max_size=30,
)


@given(_NASTY)
def test_it_is_idempotent_and_nothing_that_acts_is_left(text: str) -> None:
    clean = tidied(text)
    assert tidied(clean) == clean
    assert unicodedata.is_normalized("NFC", clean)
    assert not any(unicodedata.category(char) == "Cs" for char in clean)
    assert not any(unicodedata.category(char) == "Cc" and char not in "\t\n" for char in clean)
    assert not set(clean) & set("\u200b\u202e\u2066\ufeff\u00ad")
    clean.encode()
