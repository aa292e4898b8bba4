from __future__ import annotations

import pytest

from wisen.redact import FloorRedactor

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
        ("stray </private> stays", "stray </private> stays"),
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
