"""Which secrets say themselves that they are one? `acme_live_9fQ...`, `xkey-...`: a tag that names a key, then chance.

Most providers write their tokens so, and new ones do; this finds those whose form nobody has listed.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.redact.values import is_filler, is_random

_TAGS: Final = (
    r"[a-z]?sk|rk|pat|tkn|tok|[a-z]*token|[a-z]*secret|[a-z]*key|live|prod|test|sandbox|auth|o?auth2?|pass(?:word)?"
    r"|pw|priv|private|cred|bearer|webhook|hook|svc|service|access|refresh|bot|api"
)


def without_tagged(text: str) -> str:
    """Return text with `[redacted:secret]` for tokens that name themselves as one."""
    return _run().sub(_replaced, text)


def _replaced(run: re.Match[str]) -> str:
    return run[0] if is_filler(run[0]) or not (_is_tagged(run[0]) or _is_prefixed(run[0])) else "[redacted:secret]"


def _is_tagged(run: str) -> bool:
    """Tell whether a word for a key stands at the beginning and what follows was made by chance."""
    tag = _tag().match(run)
    return is_random(run[tag.end() :]) if tag else False


def _is_prefixed(run: str) -> bool:
    """Tell whether a short prefix stands before more chance than an id has: ids of 24 to 29 are everywhere."""
    prefix = _prefix().match(run)
    return is_random(run[prefix.end() :]) if prefix else False


@cache
def _run() -> re.Pattern[str]:
    """Return runs that are long enough, in nothing longer: no path, no address, no base64."""
    return re.compile(
        r"(?<![\w+/.@%-])(?!sha\d|md5|blake|h1)[A-Za-z][A-Za-z0-9]{1,15}[_-]"
        r"(?:[A-Za-z0-9_-]{20,300}(?![\w+/@%=(-]|\.\w)|[a-z]{0,9}_?eyJ[\w+/-]{40,4000})"
    )


@cache
def _tag() -> re.Pattern[str]:
    return re.compile(
        rf"(?:[a-z0-9]{{1,16}}[_-]){{0,2}}(?:{_TAGS})[_-](?:v?\d{{1,2}}[_-])?(?=[A-Za-z0-9_-]{{20}})",
        re.IGNORECASE,
    )


@cache
def _prefix() -> re.Pattern[str]:
    """Return a short prefix before 30 unbroken letters and digits, or before a document in base64."""
    return re.compile(r"[A-Za-z][A-Za-z0-9]{1,9}[_-](?:[a-z]{2,8}[_-])?(?=[A-Za-z0-9]{30,300}\Z|eyJ)")
