from __future__ import annotations

import pytest

from wisen.core.trust import STANDING, standing_for
from wisen.core.types import Origin, Status, Tier

TABLE = [
    (Origin.USER_TYPED, Status.ACTIVE, Status.ACTIVE),
    (Origin.USER_APPROVED, Status.ACTIVE, Status.ACTIVE),
    (Origin.OBSERVED_OUTCOME, Status.ACTIVE, Status.ACTIVE),
    (Origin.OBSERVED_LOCATION, Status.ACTIVE, Status.ACTIVE),
    (Origin.CURATED_FILE, None, None),
    (Origin.ASSISTANT_INFERRED, Status.PENDING_REVIEW, Status.PENDING_REVIEW),
    (Origin.HEADLESS_PROMPT, Status.PENDING_REVIEW, Status.ACTIVE),
    (Origin.TOOL_OUTPUT, None, None),
    (Origin.PEER, None, None),
]


@pytest.mark.parametrize(("origin", "by_default", "learning_headless"), TABLE)
def test_who_said_it_decides_what_it_may_become(
    origin: Origin, by_default: Status | None, learning_headless: Status | None
) -> None:
    assert standing_for(origin, learn_headless=False) is by_default
    assert standing_for(origin, learn_headless=True) is learning_headless


def test_no_origin_is_without_a_row() -> None:
    assert set(STANDING) == set(Origin) == {origin for origin, _, _ in TABLE}


@pytest.mark.parametrize("origin", list(Origin))
def test_what_the_gate_is_not_sure_of_is_never_active_at_birth(origin: Origin) -> None:
    sure = standing_for(origin, learn_headless=True)
    unsure = standing_for(origin, learn_headless=True, tier=Tier.SUGGEST)
    assert unsure is (Status.PENDING_REVIEW if sure is Status.ACTIVE else sure)
