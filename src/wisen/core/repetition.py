"""Was it said again although the agent had been told? Then recalling was not enough, and the person should see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final

from wisen.core.records import Receipt
from wisen.core.trust import OBSERVED
from wisen.core.types import Memory, Signal

REPEATED: Final = "repeated"
"""The tag of a memory that was corrected again in a session in which it had been recalled before."""


def said_again(memory: Memory, signal: Signal, receipts: Iterable[Receipt]) -> Memory:
    """Return the memory a signal repeats, marked if its session had been shown it; `receipts` are that session's."""
    if signal.origin in OBSERVED or is_repeated(memory) or not _was_shown(memory, receipts, before=signal.at):
        return memory
    return replace(memory, tags=(*memory.tags, REPEATED))


def is_repeated(memory: Memory) -> bool:
    """Was it said again although it had been recalled?"""
    return REPEATED in memory.tags


def _was_shown(memory: Memory, receipts: Iterable[Receipt], *, before: datetime) -> bool:
    return any(
        item.memory_id == memory.memory_id for receipt in receipts if receipt.at < before for item in receipt.shown
    )
