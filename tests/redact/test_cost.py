from __future__ import annotations

import time

import pytest

from wisen.redact import FloorRedactor

redact = FloorRedactor().redact


UNITS = [
    *'a ey sk- xoxb- password= password=" ://a: <private> authorization: Q~ a. " - ghp_a'.split(),
    *(
        "-----BEGIN PRIVATE KEY-----",
        " -u a:",
        "eyJaaaaaaaaaaaaaaaaaaaa.",
        "`<private>` ",
        "a@b.c:",
        "token>a",
        " --token a",
    ),
    *("password ", "the password is ", "password for a b c ", "pw a as my ", "user: a pass ", "login a/", "密码是a"),
    *("creds: a:b1c2d3e4, ", "password: a_b-", "password is abc-ab1-", "pw: sha2a-", "secret is Aa1", "пароль a "),
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_the_work_grows_with_the_length_and_no_faster(unit: str) -> None:
    def seconds(chars: int) -> float:
        text = unit * (chars // len(unit))
        start = time.process_time()
        redact(text)
        return time.process_time() - start

    # Quadratic work would take 16 times as long for 4 times the text; the best of three keeps noise out.
    short = min(seconds(15_000) for _ in range(3))
    long = min(seconds(60_000) for _ in range(3))
    assert long < 10 * short + 0.05
