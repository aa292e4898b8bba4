"""What did a check of the user's data find, and what is to be done about it?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"  # something is lost, damaged or out of use
    WARNING = "warning"  # nothing is lost, but something is not as it should be
    NOTE = "note"  # worth knowing, nothing to do


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as it should be.

    `what` is a sentence without the words of a memory, `where` a file, `next_step` what the user can do about it.
    """

    what: str
    where: str
    severity: Severity
    next_step: str
