"""What is an episode (a failure, what was done, a success), and of which pieces is its recipe made?"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from wisen.core.commands import head, is_everybodys, is_looking, is_quiet, written_words
from wisen.core.programs import SELF_BUILDING
from wisen.core.signals import recipe_text as text
from wisen.core.signals.deltas import Delta
from wisen.core.signals.error_kinds import WORDS, Kind
from wisen.core.signals.failures import Failure
from wisen.core.signals.steps import Step, doing, is_check, is_fixer, is_risky_line, prepares
from wisen.core.types import Event, ShellSegment, Tier, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A failure, what was done after it, and the success that covers it."""

    failure: Failure
    event: Event
    call: ToolCall
    delta: Delta
    steps: tuple[Step, ...]
    is_user_between: bool = False

    @property
    def has_edits(self) -> bool:
        """Was the work tree changed in between?"""
        return any(step.is_edit for step in self.steps)

    @property
    def cwd(self) -> str:
        """Where the success ran."""
        return self.event.cwd


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A lesson in words. `done` are the calls in between that are part of it."""

    tier: Tier
    title: str
    rule: str
    how: str
    why: str
    flags: tuple[str, ...] = ()
    done: tuple[Step, ...] = ()
    is_about_place: bool = False

    def is_contradicted_by(self, told: str) -> bool:
        """Does a recipe of the same session add by force what this one leaves out?"""
        forced = _forced().search(told)
        return forced is not None and f"`{forced[1]}`" in self.rule and "-f" not in self.rule


@cache
def _forced() -> re.Pattern[str]:
    return re.compile(r"`git (?:add|stage) -f ([^ `]+)")


def last_steps(
    episode: Episode, wanted: Callable[[ShellSegment], bool], *, most: int, failed_too: bool = False
) -> list[tuple[Step, ShellSegment]]:
    """The last steps with a part that is wanted, in the order done."""
    failed = head(episode.failure.segment)
    chosen: list[tuple[Step, ShellSegment]] = []
    for step in reversed(episode.steps):
        if not (step.is_success or failed_too) or step.call.family != "shell" or is_risky_line(step.call):
            continue
        parts = [p.segment for p in doing(step.call) if not p.is_masked and head(p.segment) != failed]
        part = next((one for one in reversed(parts) if wanted(one) and not is_of_the_day(one)), None)
        if part is not None and head(part) not in {head(one) for _, one in chosen}:
            chosen.append((step, part))
        if len(chosen) == most:
            break
    return chosen[::-1]


def is_of_the_day(segment: ShellSegment) -> bool:
    """Does a program or its script lie in a temporary directory, so that the next session will not find it?"""
    return any(_temporary().match(word) for word in (*written_words(segment)[:1], *head(segment)[1:]))


@cache
def _temporary() -> re.Pattern[str]:
    return re.compile(r"(?:/private)?/(?:tmp|var/folders|var/tmp|dev)/")


def is_remedy(segment: ShellSegment) -> bool:
    """Is it a formatter or a linter that mends?"""
    return is_fixer(segment) and not is_looking(segment)


def is_preparing(segment: ShellSegment) -> bool:
    """Is it a step that a commit could have needed?"""
    return prepares(segment) and segment.program != "git"


def is_checking(segment: ShellSegment) -> bool:
    """Is it tests, types or lint?"""
    return is_check(segment) and not is_looking(segment) and not is_quiet(segment)


def prepared_by(episode: Episode) -> list[tuple[Step, ShellSegment]]:
    """Return the last two steps that a later command could have needed."""
    failed = episode.failure.segment.program

    def is_wanted(segment: ShellSegment) -> bool:
        builds_anyway = segment.program == failed and failed in SELF_BUILDING and segment.subcommand != "install"
        return prepares(segment) and not builds_anyway

    return last_steps(episode, is_wanted, most=2)


def is_all_that_was_done(episode: Episode, prepared: Sequence[tuple[Step, ShellSegment]]) -> bool:
    """Was nothing else done that changes anything?"""
    done = [part.segment for step in episode.steps if step.is_success for part in doing(step.call)]
    return all(one in {segment for _, segment in prepared} or is_check(one) for one in done)


def tier_of(episode: Episode, prepared: Sequence[tuple[Step, ShellSegment]]) -> Tier:
    """Return how sure steps are.

    A program from nowhere that an output told the agent to run waits for the person, and so does one that erases what
    then has to be installed again, or sources.
    """
    told = any(segment.text in episode.failure.output and _is_strange(segment) for _, segment in prepared)
    erases = any(segment.program in _ERASING and _is_dear(segment.words) for _, segment in prepared)
    return Tier.SUGGEST if told or erases else Tier.ADOPT


_ERASING: Final = frozenset({"rm", "unlink", "shred", "trash", "del"})
_DEAR: Final = frozenset(
    {"node_modules", "vendor", ".venv", "venv", "env", "src", "lib", "app", "tests", "docs", "data"}
)


def _is_dear(words: Sequence[str]) -> bool:
    """Is one of these places a directory of dependencies, of sources or of data?"""
    return any(word.rstrip("/*").rpartition("/")[2] in _DEAR for word in words)


def _is_strange(segment: ShellSegment) -> bool:
    """Is it neither everybody's nor in the work tree?"""
    return not (is_everybodys(segment) or segment.text.startswith(("./", "scripts/", "bin/", "tools/")))


def first_run(episode: Episode, prepared: Sequence[tuple[Step, ShellSegment]], *, title: str) -> Recipe:
    """A command that needs others first."""
    command = text.name(episode.delta.worked)
    shown = [text.whole(segment, cwd=episode.cwd) for _, segment in prepared]
    steps, kind = " and ".join(shown), episode.failure.kind
    said = f"{command} {WORDS[kind]}: run {steps} first"
    if kind in {Kind.CODE, Kind.OTHER}:
        said = f"{command} needs {steps} first"
    how = "\n".join((*shown, command))
    done = tuple(step for step, _ in prepared)
    tier = tier_of(episode, prepared)
    return said_as(episode, title=title, rule=text.sentence(said), how=how, tier=tier, done=done)


def recipe(
    episode: Episode,
    *,
    title: str,
    fix: str,
    about: str = "",
    tier: Tier = Tier.ADOPT,
    flags: tuple[str, ...] = (),
) -> Recipe:
    """Return a recipe of the form "this fails so: this works"."""
    about = about or text.name(episode.delta.failed)
    rule = text.sentence(f"{about} {WORDS[episode.failure.kind]}: {fix}")
    return said_as(episode, title=title, rule=rule, how=fix[:1].upper() + fix[1:] + ".", tier=tier, flags=flags)


def said_as(
    episode: Episode,
    *,
    title: str,
    rule: str,
    how: str,
    tier: Tier = Tier.ADOPT,
    flags: tuple[str, ...] = (),
    done: tuple[Step, ...] = (),
) -> Recipe:
    """Return a recipe with a sentence of its own."""
    failed = text.name(episode.failure.segment)
    why = text.sentence(f"{failed} {WORDS[episode.failure.kind]}; what worked afterwards is the step")
    return Recipe(tier=tier, title=title, rule=rule, how=how, why=why, flags=flags, done=done)


def at_tier(found: Recipe | None, tier: Tier) -> Recipe | None:
    """Return a recipe, if there is one, at another tier."""
    if found is None:
        return None
    return replace(found, tier=tier)
