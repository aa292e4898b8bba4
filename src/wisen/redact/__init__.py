"""Takes secrets and private spans out of text before it is stored, logged or sent.

A secret is known by its form (`forms`: a provider's prefix), by its place (`placed`: an Authorization header, the
password of a URL), by its name (`named`: `DB_PASSWORD=...`) or because a sentence says so (`spoken`: "the password is
..."). What only looks like one stays: hashes, UUIDs, colours, `$TOKEN`, `<your-key>`, `xxxx`.
Every pattern is linear: bounded repeats, or one open repeat over a set that the next character is not in.
"""

from __future__ import annotations

from typing import Final

from wisen.redact.codes import without_codes
from wisen.redact.forms import without_forms
from wisen.redact.hashed import without_hashed
from wisen.redact.layouts import without_laid_out
from wisen.redact.logins import without_logins
from wisen.redact.named import without_named
from wisen.redact.placed import without_placed
from wisen.redact.plain import without_plain
from wisen.redact.private import PrivateSpans, without_private
from wisen.redact.remembered import RememberingRedactor
from wisen.redact.scanner import ScannedRedactor, with_scanner
from wisen.redact.spoken import without_spoken
from wisen.redact.tagged import without_tagged

__all__ = ["FloorRedactor", "PrivateSpans", "RememberingRedactor", "ScannedRedactor", "with_scanner"]


class FloorRedactor:
    """The redactor that needs no model and no network. `ports.Redactor`."""

    def redact(self, text: str) -> str:
        """Return text with `[private]` for private spans and `[redacted:KIND]` for secrets. Idempotent."""
        for _ in range(_MOST_ROUNDS):
            before, text = text, _redacted(text)
            if text == before:
                break
        return text

    def problems(self) -> tuple[str, ...]:
        """Return nothing: it needs nothing."""
        return ()


_MOST_ROUNDS: Final = 8
"""Taking one secret out can bare another that stood against it; two rounds settle nearly every text."""


def _redacted(text: str) -> str:
    for without in _STEPS:
        text = without(text)
    return text


_STEPS: Final = (
    without_private,
    without_forms,
    without_hashed,
    without_tagged,
    without_placed,
    without_named,
    without_plain,
    without_codes,
    without_spoken,
    without_logins,
    without_laid_out,
)
"""The surest first: what one step takes out, a weaker one can't cut wrongly."""
