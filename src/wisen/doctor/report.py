"""What did the doctor look at, and what came of it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from wisen.core.findings import Finding, Severity


class Standing(StrEnum):
    """How one check ended."""

    OK = "ok"
    LOOK = "look"  # nothing is lost, but something is not as it should be
    WRONG = "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One question, what was seen in a few words, and what is not as it should be."""

    name: str
    said: str = ""
    findings: tuple[Finding, ...] = ()

    @property
    def standing(self) -> Standing:
        """How it ended: as the worst of its findings. A note is none."""
        worst = {finding.severity for finding in self.findings}
        if Severity.ERROR in worst:
            return Standing.WRONG
        return Standing.LOOK if Severity.WARNING in worst else Standing.OK


def count(checks: Sequence[Check], severity: Severity) -> int:
    """Return how many findings there are of a severity."""
    return sum(finding.severity is severity for check in checks for finding in check.findings)


def wrong(what: str, next_step: str, where: str = "") -> Finding:
    """Return a finding of something that is lost, damaged or out of use."""
    return Finding(what=what, where=where, severity=Severity.ERROR, next_step=next_step)


def look(what: str, next_step: str, where: str = "") -> Finding:
    """Return a finding of something that is not as it should be, though nothing is lost by it."""
    return Finding(what=what, where=where, severity=Severity.WARNING, next_step=next_step)


def note(what: str, next_step: str = "", where: str = "") -> Finding:
    """Return a finding that is worth knowing."""
    return Finding(what=what, where=where, severity=Severity.NOTE, next_step=next_step)
