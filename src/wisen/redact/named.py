"""Which secrets are known by the name they are assigned to: `DB_PASSWORD=...`, `"apiKey": "..."`, `<token>...`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from wisen.redact.samples import is_published
from wisen.redact.shortened import SHORT_NAMES, is_shortened, is_worth
from wisen.redact.spans import Span, end_of_run, without
from wisen.redact.values import (
    is_code,
    is_issued,
    is_mixed,
    is_random,
    is_withheld,
    lowered,
)


def without_named(text: str) -> str:
    """Return text with `[redacted:secret]` for values assigned to a name that says "secret"."""
    return without(text, _assigned(text, lowered(text)))


# --- names -------------------------------------------------------------------------------------------------------

_CHOSEN: Final = r"pass(?:word|wd|phrase)|pwd"
"""People choose these, so a value may be short."""

_ISSUED: Final = (
    r"secret|token|(?:api|access|private|signing|encryption|account|auth|license|master)[_ -]?key"
    r"|credentials?|connection[_ -]?string"
)
"""Machines issue these: they are longer."""

_AMBIGUOUS: Final = (
    r"(?<=[a-z0-9_-])key|login|auth|access[_ -]?id"
    r"|sourcegraph|sonar|github|gitlab|datadog|sentry|twilio|hubspot|dropbox|stripe|heroku"
)
"""Names that stand before harmless values as often: only what a machine made counts after them."""

_HARMLESS: Final = (
    r"(?:public|cache|primary|foreign|sort|partition|row|object|map|group|idempotency|dedup\w{0,10}|react|translation"
    r"|lookup|hash|shard|index|query|storage|publishable|etag)[_-]?$"
)
_OTHERWISE: Final = (
    r"(?:[_-]?(?:ids?|names?|types?|urls?|uris?|paths?|files?|dirs?|hash(?:es)?|endpoints?|counts?|limits?|length|len"
    r"|size|ttl|expir\w*|version|field|prefix|pattern|regex|refs?|arn|policy|algorithm|scopes?|checksum|digest|label"
    r"|hint|format|sha\w*))(?![a-z])"
)
"""What a name ends in that is about a secret: `password_hash`, `tokenId`."""


@cache
def _beginnings() -> re.Pattern[str]:
    """Return what a name begins with; searching for it is quick because each begins with a letter of its own."""
    return re.compile(
        "pass|pwd|pw|secret|token|api|access|private|signing|encryption|account|auth|license|master|credential"
        "|connection|key|login|sourcegraph|sonar|github|gitlab|datadog|sentry|twilio|hubspot|dropbox|stripe|heroku"
    )


@cache
def _names() -> re.Pattern[str]:
    """Return the pattern of names in lower-case text, in a group for what may stand after them."""
    return re.compile(
        rf"(?P<chosen>{_CHOSEN})|(?P<short>{SHORT_NAMES})|(?P<issued>{_ISSUED})|(?P<ambiguous>{_AMBIGUOUS})"
    )


@cache
def _harmless() -> re.Pattern[str]:
    return re.compile(_HARMLESS)


@cache
def _otherwise() -> re.Pattern[str]:
    return re.compile(_OTHERWISE)


# --- values ------------------------------------------------------------------------------------------------------


def _assigned(text: str, low: str) -> Iterator[Span]:
    """Yield what is assigned to names that say "secret"."""
    run_end = seen = 0
    at = 0
    while beginning := _beginnings().search(low, at):
        name = _names().match(low, beginning.start())
        at = name.end() if name else beginning.start() + 1
        if not name or low.endswith("[redacted:", 0, name.start()):
            continue
        if name.start() >= run_end:
            run_end, seen = end_of_run(low, name.start()), 0
        seen += 1
        joint = _joint().match(text, name.end()) if seen <= _NAMES_A_RUN else None
        if not joint or _otherwise().match(low, name.end()):
            continue
        found = _value().match(text, joint.end())
        group = found.lastindex if found and found.lastindex else 0
        if found and _is_assigned(name, joint[0], found[group], is_quoted=group not in _UNQUOTED):
            start, end = found.span(group)
            is_cut = group in _UNQUOTED and end - start == _READ_CHARS
            yield Span(start, end_of_run(text, end) if is_cut else end, "secret")


_NAMES_A_RUN: Final = 4
"""Names in an unbroken run of characters that are looked at: each may have all of the rest for its value."""


_EQUALS: Final = r"(?:[:?.]{0,3}=|=>|={2,3}(?=\s?[\"'])|:|,(?=\s?[\"'`]))"

_FIRST: Final = r"(?:\[|\{\s{0,3}\\{0,3}[\"']value\\{0,3}[\"']\s?:)\s{0,3}(?=\\{0,3}[\"'])"
"""What opens a list of values, or an object whose `value` is one."""


@cache
def _joint() -> re.Pattern[str]:
    """Return the way from a name to its value: the rest of the name, then what assigns.

    Also `token: string = `, `token: |` with the value on the next line, `<token>`, and a `name` with its `value`.
    """
    return re.compile(
        r"(?:\d{1,2}|[_-]\w{1,20})?"
        r"(?:[\\\"'<]{0,4}\s{0,3}/?[A-Za-z]{0,6}[>,;]?\s{0,9}[\\\"'<]{0,3}value[\\\"']{0,3}\s?[:=>]\s{0,3}"
        rf"|[\\\"'`\]]{{0,4}}\s{{0,3}}(?:(?::\s?|\s)[A-Za-z]{{2,12}}\s?=(?!=)|{_EQUALS})\s{{0,3}}(?:[|>][-+]?\s{{1,20}}|{_FIRST})?"
        r"|>\s{0,20}(?=[^<>\s]{6,400}\s{0,20}</))",
        re.IGNORECASE,
    )


_UNQUOTED: Final = frozenset({4, 6})
_READ_CHARS: Final = 400


@cache
def _value() -> re.Pattern[str]:
    """Return a value in quotes, one without, and one whose closing quote was cut off or is too far away.

    The end of a line closes a quote as a second one does, also where JSON has escaped it; before that a space does, but
    then the value is judged as one without quotes.
    """
    return re.compile(
        r"\\{0,3}\"([^\"\n\\\[\]]{6,400})(?=\\{0,3}\")|\\{0,3}'([^'\n\\\[\]]{6,400})(?=\\{0,3}')"
        r"|`([^`\n\\\[\]]{6,400})(?=`)|([^\s\"'`,;(){}<>\[\]\\]{6,400})"
        r"|\\{0,3}[\"'`]([^\s\"'`\\\[\]]{6,400})(?=[ \t\r]{0,9}(?:\n|\Z|\\{1,4}[rn]))"
        r"|\\{0,3}(?:\"(?![^\"\n]{0,400}\")|'(?![^'\n]{0,400}')|`(?![^`\n]{0,400}`))([^\s\"'`,;(){}<>\[\]\\]{6,400})"
    )


_SHORTEST_ISSUED: Final = 10


def _is_assigned(name: re.Match[str], joint: str, value: str, *, is_quoted: bool) -> bool:
    if name.lastgroup == "ambiguous":
        return _is_made(name, value)
    if name.lastgroup == "short" and not (
        is_shortened(name.string, *name.span())
        and is_worth(name.string, name.start(), joint, value, is_quoted=is_quoted)
    ):
        return False
    if " " in value.strip() or (name.lastgroup == "issued" and len(value) < _SHORTEST_ISSUED):
        return False
    if not (is_mixed(value) or is_random(value)) or is_withheld(value) or is_published(value):
        return False
    return not _address().match(value) and (is_quoted or not is_code(value))


def _is_made(name: re.Match[str], value: str) -> bool:
    """Tell whether a machine made the value, and the name is none of a thing that everybody may know."""
    if is_withheld(value) or not _token().fullmatch(value):
        return False
    if "key" in name[0]:
        before = name.string[max(0, name.start() - _BEFORE_CHARS) : name.start()]
        return not _harmless().search(before) and (is_random(value) or is_issued(value))
    return is_random(value) or (is_issued(value) and not _hexadecimal().fullmatch(value))


@cache
def _hexadecimal() -> re.Pattern[str]:
    return re.compile(r"[0-9a-fA-F-]{1,400}")


_BEFORE_CHARS: Final = 20


@cache
def _token() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9+/=_.~-]{14,400}")


@cache
def _address() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z+]{1,20}://", re.IGNORECASE)  # its password, if it had one, is gone by now
