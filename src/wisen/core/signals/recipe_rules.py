"""Is a failure that a success followed a lesson, and what does it say? One rule a kind of failure.

A lesson must hang on this repository or this machine: its hooks, scripts, services, variables, its shell. What
everybody's tools do everywhere, what another try mends, and the loop of editing and testing are none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from wisen.core.signals import recipe_text as text
from wisen.core.signals.episodes import Episode, Recipe, is_of_the_day, is_remedy, last_steps, said_as
from wisen.core.signals.error_kinds import Kind
from wisen.core.signals.recipes_commands import missing_program, shell_word, unknown_option, unknown_subcommand
from wisen.core.signals.recipes_git import hook, ignored, protected, signing
from wisen.core.signals.recipes_places import anything, no_script, surroundings, wrong_place
from wisen.core.signals.steps import is_risky
from wisen.core.types import Tier

Rule = Callable[[Episode], Recipe | None]


def recipe_of(episode: Episode) -> Recipe | None:
    """Return the lesson of an episode; None when it teaches nothing."""
    before = {segment.text for segment in episode.failure.call.segments}
    if any(is_risky(segment) and segment.text not in before for segment in episode.call.segments):
        return None
    if is_of_the_day(episode.failure.segment):
        return None
    rule = _RULES.get(episode.failure.kind)
    return rule(episode) if rule else None


def mended_of(episode: Episode) -> Recipe | None:
    """Return what a formatter or a mending linter did for a check that failed: a lesson if another session shows it."""
    is_check_of_code = episode.failure.kind in {Kind.CODE, Kind.OTHER} and not episode.has_edits
    if (
        not is_check_of_code
        or not episode.delta.is_same_words
        or not (chosen := last_steps(episode, is_remedy, most=1))
    ):
        return None
    step, segment = chosen[0]
    if segment.program != episode.delta.worked.program:
        return None
    check, fixer = text.name(episode.delta.worked), text.name(segment)
    said = text.sentence(f"Run {fixer} before {check}: it mends what that only reports")
    how = f"{fixer}\n{check}"
    return said_as(episode, title=f"Running {check}", rule=said, how=how, tier=Tier.SUGGEST, done=(step,))


_RULES: Final[Mapping[Kind, Rule]] = {
    Kind.IGNORED: ignored,
    Kind.HOOK: hook,
    Kind.PROTECTED: protected,
    Kind.SIGNING: signing,
    Kind.GLOB: shell_word,
    Kind.EXPANDED: shell_word,
    Kind.RESERVED: shell_word,
    Kind.MISSING_PROGRAM: missing_program,
    Kind.UNKNOWN_SUBCOMMAND: unknown_subcommand,
    Kind.UNKNOWN_OPTION: unknown_option,
    Kind.NO_SCRIPT: no_script,
    Kind.WRONG_PLACE: wrong_place,
    **dict.fromkeys(
        (
            Kind.UNTRUSTED,
            Kind.MANAGED,
            Kind.LOCKFILE,
            Kind.VERSION,
            Kind.MISSING_ENV,
            Kind.INTERACTIVE,
            Kind.NOT_FOUND_REPO,
            Kind.SELECTION,
            Kind.MEMORY,
            Kind.SERVICE,
            Kind.DEPENDENCY,
            Kind.PERMISSION,
            Kind.NETWORK,
        ),
        surroundings,
    ),
    Kind.CODE: anything,
    Kind.OTHER: anything,
}
