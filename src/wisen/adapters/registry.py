"""Which harnesses do we speak? A new one is one adapter module and one line here.

The harness segment of every graph id is the adapter's own `name`; no setting, header or payload can change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Protocol

from wisen.adapters.claude_code import ClaudeCode
from wisen.core.types import Event
from wisen.errors import NotFound


class Adapter(Protocol):
    """Translates between one harness's JSON and the core's events. Pure: no clock, no files, no environment."""

    @property
    def name(self) -> str:
        """The harness segment of graph ids."""
        ...

    def events(self, payload: bytes, *, entrypoint: str, delivery_id: str, received_at: datetime) -> tuple[Event, ...]:
        """Return the events in a hook payload, none when wisen has no use for it.

        `entrypoint` is what the harness's environment says about how it was started, '' when unknown.
        Raises PayloadError for bytes that are no hook payload.
        """
        ...

    def reply(self, event_name: str, text: str) -> bytes:
        """Return the document that injects `text` at the abstract event; empty when it can't or needn't be."""
        ...


ADAPTERS: Mapping[str, Adapter] = MappingProxyType({adapter.name: adapter for adapter in (ClaudeCode(),)})


def adapter(harness: str) -> Adapter:
    """Return the adapter of a harness. Raises NotFound for one we don't speak."""
    try:
        return ADAPTERS[harness]
    except KeyError:
        raise NotFound(f"no harness named {harness!r}", hint=f"known: {', '.join(sorted(ADAPTERS))}") from None
