"""Which secrets are known by their place: a URL's password, an Authorization header, a flag, a connection string."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from wisen.redact.values import (
    is_code,
    is_filler,
    is_mixed,
    is_random,
    is_reference,
    is_stand_in,
    is_strong,
    is_technical,
    is_withheld,
)

_Replace: TypeAlias = Callable[[re.Match[str]], str]


def without_placed(text: str) -> str:
    """Return text with `[redacted:password]` or `[redacted:authorization]` where only a secret can stand."""
    low = text.lower()
    for place in _places():
        if any(hint in low for hint in place.hints):
            text = place.pattern.sub(place.replace, text)
    return text


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a secret stands. `hints` are literals one of which is in every lower-case text that has the place."""

    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    replace: _Replace


@cache
def _places() -> tuple[_Place, ...]:
    return (*_addresses(), *_headers(), *_flags(), *_connections())


# --- addresses ---------------------------------------------------------------------------------------------------


@cache
def _addresses() -> tuple[_Place, ...]:
    return (
        # scheme://user:PASSWORD@host
        _Place(
            ("://",),
            re.compile(r"(?<=:)//([^\s/:@\"'<>\[\]]{0,100}):([^\s/\"'<>\[\]]{1,200})(?=@[\w\[.$-])"),
            _in_url,
        ),
        # name@host.tld:PASSWORD, but not git@host.tld:path
        _Place(
            ("@",),
            re.compile(
                r"((?<=\w)(?<!git)@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}:)([^\s/.:@\"'`<>\[\]]{8,100})(?![/:@\"'`\w]|\.\w)"
            ),
            _after_address,
        ),
        # name:PASSWORD@host.tld, where nobody wrote a scheme
        _Place(
            ("@",),
            re.compile(r"((?<=[\w.+-]):)([^\s/:@\"'`<>()\[\]]{5,100})(?=@[\w-]{1,60}\.[A-Za-z0-9])"),
            _if_strong,
        ),
        # https://hooks.host.tld/services/T024BE7LD/B0DD08H5G/SECRET
        _Place(
            ("hook",),
            re.compile(r"(hooks?\b[^\s\"'<>?#]{0,200}/)([\w-]{16,200})(?![\w/-])", re.IGNORECASE),
            _in_hook,
        ),
        # otpauth://totp/...?secret=SEED
        _Place(
            ("otpauth:",),
            re.compile(r"(otpauth://[^\s\"'<>]{1,300}?[?&]secret=)([A-Za-z2-7]{8,128})"),
            _unless_referred,
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


def _in_hook(found: re.Match[str]) -> str:
    return f"{found[1]}[redacted:webhook]" if is_random(found[2]) else found[0]


# --- headers -----------------------------------------------------------------------------------------------------


@cache
def _headers() -> tuple[_Place, ...]:
    return (
        # Authorization: Bearer VALUE, also X-Api-Key and their like
        _Place(
            ("authorization", "-key", "-token"),
            re.compile(
                r"\b((?:proxy-)?authorization|x-[a-z-]{0,30}(?:key|token)|private-token"
                r"|api-key)(\"?'?\s{0,3}[:=]\s{0,3}[\"']?\s{0,3})"
                r"([a-z][a-z-]{2,20}\s{1,3})?([A-Za-z0-9+/=_.~:|-]{8,4000})",
                re.IGNORECASE,
            ),
            _in_header,
        ),
        _Place(
            ("bearer",),
            re.compile(r"\b(bearer)(\s{1,3})()([A-Za-z0-9+/=_.~-]{20,4000})", re.IGNORECASE),
            _in_header,
        ),
    )


def _in_header(found: re.Match[str]) -> str:
    if is_withheld(found[4]) or not (is_mixed(found[4]) or is_random(found[4])):
        return found[0]
    return f"{found[1]}{found[2]}{found[3] or ''}[redacted:authorization]"


# --- flags and variables of commands -----------------------------------------------------------------------------


@cache
def _flags() -> tuple[_Place, ...]:
    return (
        # curl -u user:PASSWORD, quoted as a whole or in parts
        _Place(
            ("-u",),
            re.compile(
                r"(\s(?:-u|--user|--proxy-user)[ =]{1,2}[\"']?[^\s:\"'\[\]]{0,100}[\"']?:[\"']?)"
                r"([^\s\"'\[\]]{3,200})"
            ),
            _after_user,
        ),
        # curl -u TOKEN: has no password
        _Place(
            ("-u",),
            re.compile(r"(\s(?:-u|--user)[ =]{1,2}[\"']?)([^\s:\"'\[\]]{8,200})(?=:[\"']?(?:\s|$))"),
            _in_flag,
        ),
        # --password VALUE, sshpass -p VALUE, mysql -pVALUE, openssl -passin pass:VALUE
        _Place(
            ("--", "sshpass", "mysql", "-pass"),
            re.compile(
                r"(\s--(?:[a-z]{1,20}-)?(?:pass(?:word|wd|phrase)?|token|api-key|secret(?:-key)?)\s{1,3}[\"']?"
                r"|\bsshpass\s{1,3}-p\s{0,3}[\"']?|\bmysql(?:dump|admin)?\s[^\n|;&]{0,80}?\s-p[\"']?"
                r"|\s-pass(?:in|out|word)?\s{1,3}[\"']?pass:)"
                r"([^\s\"'\[\]]{4,200})"
            ),
            _in_flag,
        ),
        # redis-cli -a PASSWORD
        _Place(
            ("redis-cli",),
            re.compile(r"(\bredis-cli\s[^\n|;&]{0,80}?-a\s{1,3}[\"']?)([^\s\"'\[\];&]{4,200})"),
            _unless_referred,
        ),
        # PGPASSWORD=PASSWORD
        _Place(
            ("pgpassword", "mysql_pwd", "rediscli_auth", "sshpass"),
            re.compile(r"(\b(?:PGPASSWORD|MYSQL_PWD|REDISCLI_AUTH|SSHPASS)=[\"']?)([^\s\"'\[\];&]{4,200})"),
            _unless_referred,
        ),
        # BUNDLE_GEMS__ACME__COM=user:PASSWORD
        _Place(
            ("bundle_",),
            re.compile(
                r"(\bBUNDLE_[A-Z0-9_]{1,80}__[A-Z0-9]{2,20}['\"]?\s{0,3}[:=]\s{0,3}['\"]?)"
                r"([\w.%+-]{1,100}:[\w.%+-]{4,100})"
            ),
            _unless_referred,
        ),
    )


_COMMAND_CHARS: Final = 600
_LONGEST_CHOSEN: Final = 20


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
    if len(value) > _LONGEST_CHOSEN and is_filler(value):
        return found[0]
    return _taken(found) if is_random(value) and not is_withheld(value) else _if_strong(found)


def _unless_referred(found: re.Match[str]) -> str:
    return found[0] if is_reference(found[2]) or is_stand_in(found[2]) else _taken(found)


def _if_strong(found: re.Match[str]) -> str:
    value = found[2]
    is_other = is_reference(value) or is_stand_in(value) or is_code(value) or is_technical(value)
    return found[0] if is_other or not is_strong(value) else _taken(found)


def _taken(found: re.Match[str]) -> str:
    return f"{found[1]}[redacted:password]"


# --- connection strings ------------------------------------------------------------------------------------------


@cache
def _connections() -> tuple[_Place, ...]:
    return (
        # Server=db;User Id=sa;Password=PASSWORD
        _Place(
            ("password", "pwd"),
            re.compile(r"(\b(?:password|pwd)\s?=\s?[\"']?)([^\s;\"'(){}<>,\[\]]{3,4000})", re.IGNORECASE),
            _in_connection,
        ),
    )


_CONNECTION_CHARS: Final = 400
_CONNECTION_PARTS: Final = 8


def _in_connection(found: re.Match[str]) -> str:
    value, text = found[2], found.string
    if is_reference(value) or is_stand_in(value) or value in {"password", "pwd"}:
        return found[0]
    if not is_strong(value) and not text.startswith(";", found.end()):
        return found[0]
    begin = max(text.rfind("\n", 0, found.start()) + 1, found.start() - _CONNECTION_CHARS)
    before = _between_parts().split(text[begin : found.start()])[-_CONNECTION_PARTS:]
    after = _between_parts().split(text[found.end() : found.end() + _CONNECTION_CHARS].partition("\n")[0])
    is_connection = any(_of_connection().search(part) for part in (*before, *after[:_CONNECTION_PARTS]))
    return _taken(found) if is_connection else found[0]


@cache
def _between_parts() -> re.Pattern[str]:
    return re.compile(r"[;\s]+")


@cache
def _of_connection() -> re.Pattern[str]:
    """Return the parts that only a connection string has; counted, because what is taken out gets shorter."""
    return re.compile(
        r"\b(?:server|host|hostaddr|source|dbname|database|catalog|uid)=[\"']?[\w.-]",
        re.IGNORECASE,
    )
