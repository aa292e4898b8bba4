"""Which secrets are known by their place: a URL's password, an Authorization header, a flag of a command."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias

from wisen.redact.values import (
    is_code,
    is_filler,
    is_mixed,
    is_reference,
    is_stand_in,
    is_strong,
    is_technical,
    is_withheld,
)

_Replace: TypeAlias = Callable[[re.Match[str]], str]


def without_placed(text: str) -> str:
    """Return text with `[redacted:password]` or `[redacted:authorization]` where only a secret can stand."""
    for pattern, replace in _places():
        text = pattern.sub(replace, text)
    return text


@cache
def _places() -> tuple[tuple[re.Pattern[str], _Replace], ...]:
    return (
        # scheme://user:PASSWORD@host
        (re.compile(r"(?<=:)//([^\s/:@\"'<>\[\]]{0,100}):([^\s/\"'<>\[\]]{1,200})(?=@[\w\[.$-])"), _in_url),
        # name@host.tld:PASSWORD, but not git@host.tld:path
        (
            re.compile(
                r"((?<=\w)(?<!git)@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}:)([^\s/.:@\"'`<>\[\]]{8,100})(?![/:@\"'`\w]|\.\w)"
            ),
            _after_address,
        ),
        # Authorization: Bearer VALUE, also X-Api-Key and their like
        (
            re.compile(
                r"\b((?:proxy-)?authorization|x-[a-z-]{0,30}(?:key|token)|private-token"
                r"|api-key)(\"?'?\s{0,3}[:=]\s{0,3}[\"']?\s{0,3})"
                r"([a-z][a-z-]{2,20}\s{1,3})?([A-Za-z0-9+/=_.~:|-]{8,4000})",
                re.IGNORECASE,
            ),
            _in_header,
        ),
        (re.compile(r"\b(bearer)(\s{1,3})()([A-Za-z0-9+/=_.~-]{20,4000})", re.IGNORECASE), _in_header),
        # curl -u user:PASSWORD, quoted as a whole or in parts
        (
            re.compile(
                r"(\s(?:-u|--user|--proxy-user)[ =]{1,2}[\"']?[^\s:\"'\[\]]{0,100}[\"']?:[\"']?)"
                r"([^\s\"'\[\]]{3,200})"
            ),
            _after_user,
        ),
        # curl -u TOKEN: has no password
        (re.compile(r"(\s(?:-u|--user)[ =]{1,2}[\"']?)([^\s:\"'\[\]]{8,200})(?=:[\"']?(?:\s|$))"), _in_flag),
        # --password VALUE, sshpass -p VALUE, mysql -pVALUE, openssl -passin pass:VALUE
        (
            re.compile(
                r"(\s--(?:[a-z]{1,20}-)?(?:pass(?:word|wd|phrase)?|token|api-key|secret(?:-key)?)\s{1,3}[\"']?"
                r"|\bsshpass\s{1,3}-p\s{0,3}[\"']?|\bmysql(?:dump|admin)?\s[^\n|;&]{0,80}?\s-p[\"']?"
                r"|\s-pass(?:in|out|word)?\s{1,3}[\"']?pass:)"
                r"([^\s\"'\[\]]{4,200})"
            ),
            _in_flag,
        ),
    )


def _in_url(found: re.Match[str]) -> str:
    # A login that is its own password is what a local database ships with.
    if is_reference(found[2]) or is_stand_in(found[2]) or found[1] == found[2]:
        return found[0]
    return f"//{found[1]}:[redacted:password]"


def _after_address(found: re.Match[str]) -> str:
    value = found[2].rstrip(",;)!?")
    cases = {char.isupper() for char in value if char.isalpha()}
    is_chosen = len(cases) > 1 and any(char.isdigit() for char in value)
    return f"{found[1]}[redacted:password]{found[2][len(value) :]}" if is_chosen else found[0]


def _in_header(found: re.Match[str]) -> str:
    if is_withheld(found[4]) or not is_mixed(found[4]):
        return found[0]
    return f"{found[1]}{found[2]}{found[3] or ''}[redacted:authorization]"


_COMMAND_CHARS: Final = 600


def _after_user(found: re.Match[str]) -> str:
    value = found[2].rstrip(".>)")
    core = value.strip("{}") if not value.startswith("{{") else value
    if is_reference(core) or is_stand_in(core) or (core != value and not is_mixed(core)):
        return found[0]
    # `docker run -u 1000:1000`: other programs take a user and a group.
    before = found.string[max(0, found.start() - _COMMAND_CHARS) : found.start()]
    if "curl" not in before and (is_filler(core) or not is_mixed(core)):
        return found[0]
    return f"{found[1]}[redacted:password]{found[2][len(value) :]}"


def _in_flag(found: re.Match[str]) -> str:
    value = found[2]
    if is_reference(value) or is_stand_in(value) or is_code(value) or is_technical(value) or not is_strong(value):
        return found[0]
    return f"{found[1]}[redacted:password]"
