"""Who said it, and what that may become. Gating what may be written is the defence; text filters are not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wisen.core.types import Origin, Status, Tier

STANDING: Final[Mapping[Origin, Status | None]] = {
    Origin.USER_TYPED: Status.ACTIVE,
    Origin.USER_APPROVED: Status.ACTIVE,
    Origin.OBSERVED_OUTCOME: Status.ACTIVE,
    Origin.OBSERVED_LOCATION: Status.ACTIVE,
    Origin.HEADLESS_PROMPT: Status.PENDING_REVIEW,
    Origin.ASSISTANT_INFERRED: Status.PENDING_REVIEW,
    Origin.CURATED_FILE: None,  # compared with what is learned, not stored
    Origin.TOOL_OUTPUT: None,  # evidence only
    Origin.PEER: None,  # evidence only
}
"""What a new memory of this origin is at birth; None: it may not become a memory at all."""


OBSERVED: Final = frozenset({Origin.OBSERVED_OUTCOME, Origin.OBSERVED_LOCATION})
"""What nobody said: it was seen to happen, in one repository."""


def standing_for(origin: Origin, *, learn_headless: bool, tier: Tier = Tier.ADOPT) -> Status | None:
    """Return the status a new memory of this origin gets, or None when it may not become one.

    `learn_headless` is the user's own switch for prompts that a script or an SDK wrote; it moves no other row. What the
    gate is not sure of (`tier`) waits for review, whoever said it.
    """
    standing = STANDING[origin]
    if origin is Origin.HEADLESS_PROMPT and learn_headless:
        standing = Status.ACTIVE
    return Status.PENDING_REVIEW if standing is Status.ACTIVE and tier is Tier.SUGGEST else standing
