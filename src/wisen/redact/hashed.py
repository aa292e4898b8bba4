"""Which runs are what a password was turned into by crypt and its like? `$2b$12$...`, `$argon2id$...`, `{SSHA}...`.

Whoever has one tries out passwords until it fits, so it goes as a password does. The form says all: a method and salt.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.redact.values import is_filler


def without_hashed(text: str) -> str:
    """Return text with `[redacted:password-hash]` for hashes of passwords."""
    return _hashed().sub(_replaced, text) if _hint().search(text) else text


def _replaced(found: re.Match[str]) -> str:
    return found[0] if is_filler(found[0]) else "[redacted:password-hash]"


_CRYPT: Final = "[./A-Za-z0-9]"
_BASE64: Final = "[+/A-Za-z0-9]"
_D: Final = r"\\?\$\$?"
"""Shells escape it, compose files double it."""


@cache
def _hint() -> re.Pattern[str]:
    return re.compile(
        r"\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|md5|argon2\w{0,2})\\?\$|\{(?:SSHA|SHA|SMD5|CRYPT|PBKDF2)|pbkdf2_sha|scrypt:\d"
    )


@cache
def _hashed() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![A-Za-z0-9$])(?:{_D}(?:apr1|1|md5){_D}{_CRYPT}{{1,16}}{_D}{_CRYPT}{{22}}"
        rf"|{_D}2[abxy]?{_D}\d\d{_D}{_CRYPT}{{53}}"
        rf"|{_D}[56]{_D}(?:rounds=\d{{1,9}}{_D})?{_CRYPT}{{1,16}}{_D}{_CRYPT}{{43,86}}"
        rf"|{_D}(?:y|gy|7){_D}{_CRYPT}{{1,20}}{_D}{_CRYPT}{{1,86}}{_D}{_CRYPT}{{43}}"
        rf"|{_D}argon2(?:id|i|d){_D}(?:v=\d{{1,4}}{_D})?[mtp=,\d]{{5,40}}{_D}{_BASE64}{{8,100}}{_D}{_BASE64}{{16,200}}"
        rf"|\{{(?:SSHA|SHA|SMD5)(?:256|384|512)?\}}{_BASE64}{{24,120}}={{0,2}}"
        rf"|pbkdf2_sha(?:1|256|512)\$\d{{3,8}}\$[\w./+=-]{{1,64}}\$[\w./+-]{{20,120}}={{0,2}}"
        rf"|scrypt:\d{{1,8}}:\d{{1,3}}:\d{{1,3}}\$[\w./+-]{{1,64}}\$[0-9a-f]{{64,256}})(?![A-Za-z0-9])"
    )
