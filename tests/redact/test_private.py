from __future__ import annotations

import pytest

from wisen.core.hygiene import tidied
from wisen.redact import FloorRedactor, PrivateSpans

redact = FloorRedactor().redact


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("a <private>pw</private> b", "a [private] b"),
        ("a <PRIVATE>pw</Private> b", "a [private] b"),
        ("a <private>x <private>y</private> z</private> b", "a [private] b"),
        ("a <private>one\ntwo", "a [private]"),
        ("a <private reason='x'>one</private>", "a [private]"),
        ("a < private >one< / private > b", "a [private] b"),
        ("<private>a</private><private>b</private>", "[private][private]"),
        ("pw</private> b", "[private] b"),
        ("pw </private> pw <private>pw</private> b </private> c", "[private] c"),
        ("a ＜private＞pw＜/private＞ b", "a [private] b"),
        ("a ﹤private﹥pw﹤／private﹥ b", "a [private] b"),
        ("a &lt;private&gt;pw&lt;/private&gt; b", "a [private] b"),
        ("a &amp;lt;private&amp;gt;pw&amp;lt;/private&amp;gt; b", "a [private] b"),
        ("a &#x0003C;private>pw&#060;/private> b", "a [private] b"),
        (r"a \u003cprivate\u003epw\u003c/private\u003e b", "a [private] b"),
        (r"a \\u003Cprivate\x3epw\x3c\/private\x3e b", "a [private] b"),
        ("a %3Cprivate%3Epw%3C%2Fprivate%3E b", "a [private] b"),
        ("a <privateer> stays", "a <privateer> stays"),
        ("private stays", "private stays"),
        ("remember that <private>x</private> prod is eu-west-1", "remember that [private] prod is eu-west-1"),
        ("we don't use `<private>` tags", "we don't use `<private>` tags"),
        ("end it with `</private>`", "end it with `</private>`"),
        ("```<private>``` and `x <private>` stay", "```<private>``` and `x <private>` stay"),
        ("`<private>` hides: <private>pw</private> b", "`<private>` hides: [private] b"),
        ("<private>a `</private>` b</private> c", "[private] c"),
        ("`<private>pw</private>` b", "`[private]` b"),
        ("a ` b <private>pw ` c</private> d", "a ` b [private] d"),
        ("`code` <private>one `two`", "`code` [private]"),
    ],
)
def test_private_spans_are_cut_out_whole(text: str, out: str) -> None:
    assert redact(text) == out


def test_a_full_width_tag_is_still_one_after_tidying() -> None:
    assert redact(tidied("a ＜ｐｒｉｖａｔｅ＞pw＜/ｐｒｉｖａｔｅ＞ b")) == "a [private] b"


@pytest.mark.parametrize(
    ("texts", "out"),
    [
        (["a <private>pw", "pw</private> b"], ["a [private]", "[private] b"]),
        (["<private>", "pw", "", "`pw`", "</private>"], ["[private]", "[private]", "", "[private]", "[private]"]),
        (["<private>pw <private>", "pw</private> pw", "</private> b"], ["[private]", "[private]", "[private] b"]),
        (["<private>pw</private> a", "b"], ["[private] a", "b"]),
        (["a", "pw</private> b", "c"], ["a", "[private] b", "c"]),
        (["talk of `<private>`", "a"], ["talk of `<private>`", "a"]),
    ],
)
def test_a_span_reaches_from_one_text_into_the_next(texts: list[str], out: list[str]) -> None:
    spans = PrivateSpans()
    assert [spans.without(text) for text in texts] == out
