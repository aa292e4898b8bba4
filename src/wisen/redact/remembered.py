"""Which texts are known to hold nothing more to take out? A redactor that goes through none of them a second time.

One event's texts are cleaned where they come in, again before they are stored, and once more with the event after it:
the input of a tool is in both. What a redactor has given back once it gives back unchanged, so its digest is enough.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # the log is redacted before the daemon listens: it does not wait for all the ports' values
    from wisen.ports import Redactor

_CLEAN_TEXTS: Final = 1024
_SHORT: Final = 16  # characters; a digest costs as much as looking


class RememberingRedactor:
    """A redactor that remembers what came out of it, by digests alone. `ports.Redactor`."""

    def __init__(self, inner: Redactor) -> None:
        self._inner = inner
        self._clean: dict[bytes, None] = {}  # digests, oldest first

    def redact(self, text: str) -> str:
        """Return what the inner redactor does."""
        if len(text) < _SHORT:
            return self._inner.redact(text)
        if _digest(text) in self._clean:
            return text
        clean = self._inner.redact(text)
        self._remember(_digest(clean))
        return clean

    def problems(self) -> tuple[str, ...]:
        """Return the inner one's."""
        return self._inner.problems()

    def _remember(self, digest: bytes) -> None:
        self._clean[digest] = None
        while len(self._clean) > _CLEAN_TEXTS:
            # Another thread may have taken the oldest, or added while we looked: then the next text makes room.
            try:
                self._clean.pop(next(iter(self._clean)), None)
            except (RuntimeError, StopIteration):
                return


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
