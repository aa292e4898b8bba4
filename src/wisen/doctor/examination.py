"""Which checks are there, in which order?"""

from __future__ import annotations

from collections.abc import Sequence

from wisen.doctor import copies, keeping, places, registration
from wisen.doctor.patient import Patient
from wisen.doctor.report import Check


def examine(patient: Patient) -> Sequence[Check]:
    """Run every check. Changes nothing of what it looks at, and starts nothing."""
    health, why_not = keeping.examined(patient)
    return (
        registration.hooks(patient),
        registration.settings(patient),
        registration.switches(patient),
        registration.daemon(patient),
        keeping.memories(patient, health, why_not),
        copies.backups(patient),
        keeping.work(health),
        keeping.capture(patient, health),
        places.private(patient),
        places.spool(patient),
        places.log(patient),
        places.room(patient),
    )
