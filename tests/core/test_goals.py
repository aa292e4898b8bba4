"""What some steps are for is said before them, unless they say it themselves."""

from __future__ import annotations

import pytest

from wisen.core.goals import said_before


@pytest.mark.parametrize(
    ("title", "text", "before"),
    [
        ("Running `make test`", "`make test` needs a server: run `make up` first.", ""),
        ("Running `make test`", "run `make up` first", "Running `make test`: "),
        ("From `npm test` to `pnpm test`", "`pnpm test` works", "From `npm test` to `pnpm test`: "),
        ("Release", "tag; push; publish", "Release: "),
        ("", "tag; push", ""),
        ("An odd ` tick", "tick", "An odd ` tick: "),
    ],
)
def test_a_goal_is_said_where_the_steps_do_not_name_it(title: str, text: str, before: str) -> None:
    assert said_before(title, text) == before
