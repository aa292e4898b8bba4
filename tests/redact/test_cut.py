"""A quote that was cut off is closed by the end of its line, wherever one opens a secret."""

from __future__ import annotations

import re

import pytest

from wisen.redact import FloorRedactor

redact = FloorRedactor().redact

MARKED = re.compile(r"<(\w[^>]*)>")


@pytest.mark.parametrize(
    "told",
    [
        'DB_PASSWORD="<Zq8mLx!v3T>',
        "DB_PASSWORD='<Zq8mLx!v3T>",
        'export A="b"\napi_key: "<a1b2c3d4e5f6>',
        '  "password": "<Zq8mLx!v3T>',
        "password = `<Zq8mLx!v3T>",
        'password: ["<Zq8mLx!v3T>',
        'client_secret = "<Zx81(Qw92),Er;5>',
        'DB_PASSWORD="<Zq8mLx!v3T> npm start',
        '{\\"db_password\\": \\"<Zq8mLx!v3T>',
        'echo DB_PASSWORD=\\"<Zq8mLx!v3T>\\nls\\n',
        "ALTER ROLE app IDENTIFIED BY '<Zq8 mLx!v3T>",
        'DB_PASSWORD="<swordfish>',
        "DB_PASSWORD='<swordfish>  ",
        'MYSQL_ROOT_PASSWORD: "<swordfish>',
        'mycli --password "<swordfish>',
        'the password is "<swordfish>',
        "das Passwort ist „<Feder!Hut7>",
        "the passphrase is “<correct horse battery staple>",
        "le mot de passe est « <Fromage7!>",
        "パスワードは「<Haru!2031>",
    ],
)
@pytest.mark.parametrize("after", ["", "\nand the next line", "\r\nand the next line"])
def test_the_end_of_a_line_closes_a_quote(told: str, after: str) -> None:
    out = redact(MARKED.sub(r"\1", told) + after)
    assert re.sub(r"\[redacted:(?:secret|password)\]", "[]", out) == MARKED.sub("[]", told) + after


def test_a_value_too_long_to_look_for_its_closing_quote_goes_whole() -> None:
    value = "x91mq7tr2lw8zk04bv" * 30
    assert redact(f'acme_token = "{value}", 3') == 'acme_token = "[redacted:secret]", 3'


@pytest.mark.parametrize(
    "text",
    [
        'password: "',
        'password: "must have a digit1 and a sign',
        'token: "two words2 and no end',
        'DB_PASSWORD="changeme',
        'DB_PASSWORD="$DB_PASSWORD2',
        'the password is "required',
        "the tokens' names2 and ends",
        'mycli --password "$PW',
        '"secret": "your-secret-key-1',
    ],
)
def test_a_stand_in_or_a_sentence_in_a_cut_quote_stays(text: str) -> None:
    assert redact(text) == text
    assert redact(f"{text}\nmore") == f"{text}\nmore"
