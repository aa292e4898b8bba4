"""What does a refusal of git teach: an ignored path, a hook, a key, a branch that is not to be pushed?"""

from __future__ import annotations

import re
from functools import cache

from wisen.core.signals import recipe_text as text
from wisen.core.signals.episodes import (
    Episode,
    Recipe,
    is_checking,
    is_preparing,
    is_remedy,
    last_steps,
    recipe,
    said_as,
    tier_of,
)
from wisen.core.types import Tier


def ignored(episode: Episode) -> Recipe | None:
    """A path that `git add` refuses because .gitignore names it."""
    delta, cwd = episode.delta, episode.cwd
    if {"-f", "--force"} & set(delta.worked.flags) - set(delta.failed.flags):
        works = text.name(delta.worked, "-f", *delta.worked.words[:1], cwd=cwd)
        return recipe(episode, title="Staging files", fix=f"{works} works")
    dropped = [word for word in delta.dropped if not word.startswith("-")]
    shown = text.listed(dropped, cwd=cwd)
    if not shown or set(dropped) >= set(delta.failed.words):
        return None
    # True whether the path was left out for good or belongs in: only `-f` would tell.
    verb = "are" if " and " in shown else "is"
    said = text.sentence(f"{shown} {verb} ignored by .gitignore: with it `git add` stages nothing")
    return said_as(episode, title="Staging files", rule=said, how=f"Stage the rest without {shown}.")


def hook(episode: Episode) -> Recipe | None:
    """A hook that refuses, and what was done before it no longer did."""
    git = text.name(episode.failure.segment)
    title = "Committing" if episode.failure.segment.subcommand == "commit" else f"Running {git}"
    for wanted in (is_remedy, is_preparing, is_checking):
        chosen = last_steps(episode, wanted, most=1, failed_too=wanted is is_checking)
        if chosen:
            shown = text.whole(chosen[0][1], cwd=episode.cwd)
            said = text.sentence(f"Run {shown} before {git}: its hook refuses it otherwise")
            tier = tier_of(episode, chosen)
            return said_as(episode, title=title, rule=said, how=f"{shown}\n{git}", tier=tier, done=(chosen[0][0],))
    if message := _message_type(episode):
        said = text.sentence(f"A hook checks the message of {git}: one that begins with `{message}` passes")
        return said_as(episode, title=title, rule=said, how=f"Begin the message with a type, as in `{message}`.")
    if not episode.has_edits:
        return None
    said = text.sentence(f"A hook checks the work tree at {git} and can refuse it")
    return said_as(
        episode, title=title, rule=said, how=f"Mend what the hook names, then {git} again.", tier=Tier.SUGGEST
    )


def _message_type(episode: Episode) -> str:
    """The type that a commit message began with when it passed, and did not when it was refused."""
    if episode.steps or episode.failure.segment.subcommand != "commit":
        return ""
    refused, passed = (_typed().search(one.text) for one in (episode.delta.failed, episode.delta.worked))
    return f"{passed['type']}:" if passed and not refused else ""


@cache
def _typed() -> re.Pattern[str]:
    return re.compile(r"\s(?:-\w*m|--message)[ =]?['\"](?P<type>[a-z]{2,10})(?:\([\w./-]+\))?!?: ")


def signing(episode: Episode) -> Recipe | None:
    """A key that the person has to unlock: nothing changed, but they said something in between."""
    if not (episode.is_user_between and episode.delta.is_same_before_words):
        return None
    git = text.name(episode.failure.segment)
    said = text.sentence(f"{git} can fail at signing until the person unlocks the key: stop and ask, then try again")
    return said_as(episode, title="Signing", rule=said, how="Ask the person to unlock the key.")


def protected(episode: Episode) -> Recipe | None:
    """A branch or a way of merging that the host refuses."""
    delta = episode.delta
    if not (delta.added or delta.dropped):
        return None
    title = f"Running {text.name(delta.failed)}"
    if delta.failed.subcommand == "push":
        about = text.name(delta.failed, *delta.failed.words[:2])
        return recipe(episode, title=title, fix="push another branch", about=about)
    about = text.name(delta.failed, *(word for word in delta.dropped if word.startswith("-")))
    works = text.name(delta.worked, *(word for word in delta.added if word.startswith("-")))
    return recipe(episode, title=title, fix=f"{works} works", about=about) if works != about else None
