"""Lines that wisen printed, and lines of people that only look a little like them."""

from __future__ import annotations

import pytest

from wisen.core.signals.own_output import own

SHOWN = """\
Package manager
Use pnpm here, not npm, because the lock file of this repository is pnpm's and
npm would write a second one.
  id          3f2a91bc (0193a000-0000-7000-9000-00003f2a91bc)
  status      active, confidence 0.80, seen 3 times, pinned
  why         The lock file is pnpm's.

Evidence
  “we use pnpm, not npm”
    2026-11-27 11:58 · session session-1

History
  r2  2026-11-30 11:00 user edit: more exact
      was: Use pnpm."""


@pytest.mark.parametrize(
    "text",
    [
        "Forgotten 1a2b3c4d: We use pnpm here, not npm.",
        "Edited and accepted 1a2b3c4d: We use pnpm here, not npm.",
        "Known already: 1a2b3c4d: We use pnpm here, not npm.",
        "Held for your review: 1a2b3c4d: We use pnpm here, not npm.",
        "Erased 1a2b3c4d.",
        "1. [1a2b3c4d] We use pnpm here, not npm.",
        "- [1a2b3c4d] We use pnpm here, not npm.",
        "- [1a2b3c4d] Remember: we use pnpm here, not npm.",
        "1a2b3c4d\tWe use pnpm here, not npm.\trule\t0.80",
        "1a2b3c4d  We use pnpm here, not npm.  rule  0.80\n          never npm, says everybody who was asked",
        "r12\t1 h\tuser\tstatus\t1a2b3c4d\tWe use pnpm here",
        "· y3   1 h  user  status  1a2b3c4d  We use pnpm here, not npm.",
        "Took back r12 (edit of 1a2b3c4d, acme/widgets).\n  was         We use bun.\n  now         We use pnpm.",
        "Your latest change here is y5 (1a2b3c4d now forgotten, you (dev)), made 1 h ago:\n  We use pnpm, not npm.",
        "session s1 · 2026-11-30 12:00\n  taken\n    “We use pnpm here, not npm.”",
        "Pinned 1a2b3c4d: Never commit to main unless the release manager has said so, not\neven for a typo.",
        SHOWN,
    ],
)
def test_what_wisen_printed_is_known(text: str) -> None:
    lines = text.split("\n")
    assert own(lines) == {at for at, line in enumerate(lines) if line}


@pytest.mark.parametrize(
    "text",
    [
        "We use pnpm here, not npm.",
        "Forgotten: we use pnpm here, not npm.",
        "Restored the branch 1a2b3c4d and pushed it.",
        "1a2b3c4d is the commit that broke it",
        "1a2b3c4 We use pnpm here, not npm.",
        "  why we use pnpm: the lock file",
        "  status of the build: always look at it first",
        "r12 is the release that counts",
        "1 of 3 tests fails",
        "History\n  we always squash",
        "batch jobs run at night",
        "remember: [1a2b3c4d] is the commit to revert",
        "`wisen status` must be green before every release.",
    ],
)
def test_what_a_person_writes_is_not_taken_for_it(text: str) -> None:
    assert own(text.split("\n")) == frozenset()


def test_the_user_speaks_again_below_and_above_it() -> None:
    lines = [
        "this is wrong, we use bun here:",
        *SHOWN.split("\n"),
        "please always use bun from now on",
        "Forgotten 1a2b3c4d: We use pnpm here.",
        "we use bun now",
        "1a2b3c4d  Use pnpm",
        "  - and always squash",
    ]
    printed = own(lines)
    spoken = [line for at, line in enumerate(lines) if at not in printed and line]
    assert spoken == [
        "this is wrong, we use bun here:",
        "please always use bun from now on",
        "we use bun now",
        "  - and always squash",
    ]


def test_an_ask_is_never_taken_for_it() -> None:
    lines = ["remember that we use bun", *SHOWN.split("\n"), "  remember: always squash"]
    assert {0, len(lines) - 1}.isdisjoint(own(lines))
