"""Takes secrets and private spans out of text before it is stored, logged or sent.

A secret is known by its form (`forms`: a provider's prefix), by its place (`placed`: an Authorization header, the
password of a URL), by its name (`named`: `DB_PASSWORD=...`) or because a sentence says so (`spoken`: "the password is
..."). What only looks like one stays: hashes, UUIDs, colours, `$TOKEN`, `<your-key>`, `xxxx`.
Every pattern is linear: bounded repeats, or one open repeat over a set that the next character is not in.
"""

from __future__ import annotations

from typing import Final

from wisen.redact.forms import without_forms
from wisen.redact.named import without_named
from wisen.redact.placed import without_placed
from wisen.redact.private import without_private
from wisen.redact.spoken import without_spoken

__all__ = ["FloorRedactor"]


class FloorRedactor:
    """The redactor that needs no model and no network. `ports.Redactor`."""

    def redact(self, text: str) -> str:
        """Return text with `[private]` for private spans and `[redacted:KIND]` for secrets. Idempotent."""
        for _ in range(_MOST_ROUNDS):
            before, text = text, _redacted(text)
            if text == before:
                break
        return text


_MOST_ROUNDS: Final = 8
"""Taking one secret out can bare another that stood against it; two rounds settle nearly every text."""


def _redacted(text: str) -> str:
    return without_spoken(without_named(without_placed(without_forms(without_private(text)))))
