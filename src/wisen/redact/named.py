"""Which secrets are known by the name they are assigned to: `DB_PASSWORD=...`, `"apiKey": "..."`, `<token>...`."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.redact.values import is_code, is_mixed, is_random, is_withheld

_NAMES: Final = (
    r"pass(?:word|wd|phrase)|passwd|pwd|(?<![a-z0-9])pw|secret|token|api[_ -]?key|access[_ -]?key|private[_ -]?key"
    r"|signing[_ -]?key|encryption[_ -]?key|account[_ -]?key|auth[_-]?key|license[_ -]?key|credentials?"
    r"|(?<!public_)(?<=[a-z0-9]_)key|connection[_ -]?string"
)
_MAKERS: Final = (
    r"login|auth|access[_ -]?id|sourcegraph|sonar|github|gitlab|datadog|sentry|twilio|hubspot|dropbox|stripe|heroku"
)
"""Names that stand before harmless values as often: only what a machine made counts after them."""

_EQUALS: Final = r"(?:[:?]{0,3}=|=>|={2,3}(?=\s?[\"'])|:|,(?=\s?[\"']))"
_QUOTED: Final = (
    r"\\{0,3}(?:\"([^\"\n\\\[\]]{6,400})(?=\\{0,3}\")|'([^'\n\\\[\]]{6,400})(?=\\{0,3}')|`([^`\n\\\[\]]{6,400})(?=`))"
)


def without_named(text: str) -> str:
    """Return text with `[redacted:secret]` for values assigned to a name that says "secret"."""
    text = _assignments().sub(_assigned, text)
    return _made_by_machine().sub(_made, text)


@cache
def _assignments() -> re.Pattern[str]:
    return re.compile(
        rf"(?<!redacted:)(?:{_NAMES})(?:\d{{1,2}}|[_-]\w{{1,20}})?"
        rf"(?:[\\\"'\]]{{0,4}}\s{{0,3}}{_EQUALS}\s{{0,3}}|>(?=[^<>\s]{{6,400}}</))"
        rf"(?:{_QUOTED}|([^\s\"'`,;(){{}}<>\[\]\\]{{6,400}}))",
        re.IGNORECASE,
    )


def _assigned(found: re.Match[str]) -> str:
    quoted = found[1] or found[2] or found[3]
    value = quoted or found[4]
    is_address = _address().match(value) or (not quoted and is_code(value))
    if is_withheld(value) or " " in value.strip() or not is_mixed(value) or is_address:
        return found[0]
    return _without(found, value)


@cache
def _address() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z+]{1,20}://", re.IGNORECASE)  # its password, if it had one, is gone by now


@cache
def _made_by_machine() -> re.Pattern[str]:
    return re.compile(
        rf"(?:{_MAKERS})[\"'\]]{{0,2}}\s{{0,3}}{_EQUALS}\s{{0,3}}[\"']?([A-Za-z0-9+/=_-]{{14,400}})", re.IGNORECASE
    )


def _made(found: re.Match[str]) -> str:
    return _without(found, found[1]) if is_random(found[1]) and not is_withheld(found[1]) else found[0]


def _without(found: re.Match[str], value: str) -> str:
    start = found[0].rindex(value)
    return f"{found[0][:start]}[redacted:secret]{found[0][start + len(value) :]}"
