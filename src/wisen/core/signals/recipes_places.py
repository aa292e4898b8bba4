"""What does a command teach that works in other surroundings: a directory, a variable, a wrapper, a step before it?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from wisen.core.commands import bare, head, is_everybodys, is_looking
from wisen.core.signals import recipe_text as text
from wisen.core.signals.deltas import is_kin
from wisen.core.signals.episodes import (
    Episode,
    Recipe,
    at_tier,
    first_run,
    is_all_that_was_done,
    prepared_by,
    recipe,
    said_as,
)
from wisen.core.signals.error_kinds import Kind
from wisen.core.signals.steps import moves
from wisen.core.types import Tier, ToolCall

# --- places and scripts -----------------------------------------------------------------------------------------


def no_script(episode: Episode) -> Recipe | None:
    """A script or target that is not in this directory, or has another name."""
    failed, worked, word = episode.delta.failed, episode.delta.worked, episode.failure.word
    title = f"Running {text.name(worked)}"
    if head(failed) == head(worked) or moves(episode.call):
        return wrong_place(episode)
    other = next((one for one in (*head(worked)[1:], *worked.words[:1]) if is_kin(one, word)), "")
    if not other:
        return None
    said = text.sentence(f"There is no `{word}` here: run {text.name(worked)}")
    return said_as(episode, title=title, rule=said, how=text.name(worked))


def wrong_place(episode: Episode) -> Recipe | None:
    """A command that works in another directory."""
    delta = episode.delta
    if not delta.is_moved and not (delta.added and not episode.has_edits):
        return None
    command = text.name(delta.worked)
    title = f"Running {command}"
    what = "has no such script" if episode.failure.kind is Kind.NO_SCRIPT else "fails"
    options = [word for word in delta.added if word.startswith("-")]
    if options:
        works = text.from_program(delta.worked, cwd=episode.cwd)
        said = text.sentence(f"{command} {what} without saying where: {works} works")
        return said_as(episode, title=title, rule=said, how=works)
    where = _place(episode)
    if not where:
        return None
    said = text.sentence(f"Run {command} {where}: elsewhere it {what}")
    return replace(said_as(episode, title=title, rule=said, how=f"{command} {where}"), is_about_place=True)


def _place(episode: Episode) -> str:
    """Say where the success ran, in words that hold on every machine; empty when it can't be said."""
    was, now = episode.failure.event.cwd.rstrip("/"), episode.cwd.rstrip("/")
    if was and now and was != now:
        if was.startswith(now + "/"):
            return f"in the directory above `{was[len(now) + 1 :]}/`"
        if now.startswith(was + "/"):
            return f"in `{now[len(was) + 1 :]}/`"
    lines = [episode.call, *(step.call for step in reversed(episode.steps) if step.is_success)]
    for call in lines:
        target = next((s.words[0] for s in call.segments if s.program in {"cd", "pushd"} and s.words), "")
        if not target:
            continue
        if target.startswith("/"):
            return _from_here(target.rstrip("/"), was or now)
        shown = text.kept_word(target, was or now)
        if shown in {text.GONE, "."}:
            return "in the project's root"
        return (
            f"in the directory above (`cd {shown}`)" if shown.startswith("..") else f"in `{shown}/`".replace("//", "/")
        )
    return ""


def _from_here(target: str, here: str) -> str:
    """Say where a directory of this machine lies as seen from the session's; '' where that is elsewhere altogether."""
    if target == here:
        return "in the project's root"
    if target.startswith(f"{here}/"):
        return f"in `{target[len(here) + 1 :]}/`"
    if here.startswith(f"{target}/"):
        return f"in the directory above `{here[len(target) + 1 :]}/`"
    return ""


# --- surroundings -----------------------------------------------------------------------------------------------


def surroundings(episode: Episode) -> Recipe | None:
    """A variable, a wrapper, an option or a step that the command needs on this machine."""
    delta = episode.delta
    title = f"Running {text.name(delta.worked)}"
    if delta.added_env or delta.dropped_env:
        return _variables(episode, title)
    if delta.added_before or delta.dropped_before or delta.path:
        return _through(episode, title)
    if episode.has_edits:
        return None
    if delta.is_same_words and (prepared := prepared_by(episode)):
        return first_run(episode, prepared, title=title)
    return _words(episode, title)


def _through(episode: Episode, title: str) -> Recipe | None:
    """Another way to start the same program: `uv run`, `npx`, none at all."""
    delta = episode.delta
    if delta.worked.program != delta.failed.program:
        return recipe(episode, title=title, fix=f"{text.name(delta.worked, cwd=episode.cwd)} works")
    program, *rest = text.called(delta.worked)
    works = text.ticked((*delta.added_before, delta.path or program, *rest), cwd=episode.cwd)
    failing = text.ticked((*delta.dropped_before, *text.called(delta.failed)), cwd=episode.cwd)
    return recipe(episode, title=title, fix=f"{works} works", about=failing) if works != failing else None


def _variables(episode: Episode, title: str) -> Recipe | None:
    delta = episode.delta
    if delta.added_env:
        works = text.ticked((*_values(delta.added_env, episode.call), *text.called(delta.worked)), cwd=episode.cwd)
        return recipe(episode, title=title, fix=f"{works} works")
    names = [word.partition("=")[0] for word in delta.dropped_env]
    return recipe(
        episode,
        title=title,
        fix=f"leave {text.listed(names)} unset",
        about=f"{text.name(delta.failed)} with {text.listed(names)}",
    )


def _values(names: Sequence[str], call: ToolCall) -> list[str]:
    """The assignments as they were written, also for names that an `export` set."""
    return [name if "=" in name else _assignment_of(name, call.command) for name in names]


def _assignment_of(name: str, line: str) -> str:
    found = re.search(rf"(?<!\w){re.escape(name)}=(?:'[^']*'|\"[^\"]*\"|[^\s;&|]*)", line)
    return bare(found[0]) if found else f"{name}={text.GONE}"


def _words(episode: Episode, title: str) -> Recipe | None:
    """Other words of the same command, for the classes in which that is a fix."""
    delta, kind = episode.delta, episode.failure.kind
    if kind not in _FIXED_BY_WORDS or not (delta.added or delta.dropped):
        return None
    added = _repositories(delta.added) if kind is Kind.NOT_FOUND_REPO else delta.added[:3]
    words = text.changed(delta.worked, added)
    if kind is Kind.NOT_FOUND_REPO and not _repositories(words):
        return None  # what else differs is not why it is found
    if not words:
        gone = text.listed([word for word in delta.dropped if word.startswith("-")])
        return recipe(episode, title=title, fix=f"leave {gone} out", tier=_FIXED_BY_WORDS[kind]) if gone else None
    works = text.name(delta.worked, *words, cwd=episode.cwd)
    return recipe(episode, title=title, fix=f"{works} works", tier=_FIXED_BY_WORDS[kind])


def _repositories(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words that may name a repository: `owner/name`, maybe with a host before it, or an address."""
    return tuple(word for word in words if _repository().fullmatch(word.rpartition("=")[2].strip("'\"")))


@cache
def _repository() -> re.Pattern[str]:
    part = r"(?!\.{1,2}(?:/|$))[\w.-]+"
    return re.compile(
        rf"(?:{part}/)?{part}/(?!.*\.(?:py|go|rs|[jt]sx?|md|json|ya?ml|toml|sh)$){part}|(?:https|ssh)://\S+|git@\S+"
    )


_FIXED_BY_WORDS: Final[Mapping[Kind, Tier]] = {
    Kind.NOT_FOUND_REPO: Tier.ADOPT,
    Kind.SELECTION: Tier.ADOPT,
    Kind.LOCKFILE: Tier.SUGGEST,
    Kind.VERSION: Tier.SUGGEST,
    Kind.UNTRUSTED: Tier.ADOPT,
    Kind.MANAGED: Tier.SUGGEST,
    Kind.INTERACTIVE: Tier.SUGGEST,
    Kind.PERMISSION: Tier.SUGGEST,
}


def anything(episode: Episode) -> Recipe | None:
    """A failure of no class, or one that reads like code: only what hangs on the surroundings counts."""
    delta = episode.delta
    title = f"Running {text.name(delta.worked)}"
    if episode.has_edits:
        return None
    if delta.is_same and (prepared := prepared_by(episode)):
        is_clear = len(prepared) == 1 and prepared[0][1].program != "rm" and is_all_that_was_done(episode, prepared)
        lesson = first_run(episode, prepared, title=title)
        return lesson if is_clear else at_tier(lesson, Tier.SUGGEST)
    is_code = episode.failure.kind is Kind.CODE
    if delta.added_before or delta.dropped_before or delta.added_env or delta.dropped_env:
        has_env = delta.added_env or delta.dropped_env
        found = _variables(episode, title) if has_env else _through(episode, title)
        return at_tier(found, Tier.SUGGEST if is_code else Tier.ADOPT)
    if is_code or not delta.added or is_looking(delta.failed):
        return None
    return _other_words(episode, title)


def _other_words(episode: Episode, title: str) -> Recipe | None:
    """An option or a variable more for everybody's program, or another word for one of somebody's own."""
    delta = episode.delta
    if is_everybodys(delta.failed):
        new = [word for word in delta.added if word.startswith("-") or "=" in word]
        if delta.dropped or not new:
            return None
        fix = f"{text.name(delta.worked, *new[:2], cwd=episode.cwd)} works"
        return recipe(episode, title=title, fix=fix, tier=Tier.SUGGEST)
    failing = text.name(delta.failed, *text.changed(delta.failed, delta.dropped[:2]), cwd=episode.cwd)
    works = text.name(delta.worked, *text.changed(delta.worked, delta.added[:2]), cwd=episode.cwd)
    if failing == works or (text.GONE in failing + works and len(delta.added) != 1):
        return None
    return recipe(episode, title=title, fix=f"{works} works", about=failing, tier=Tier.SUGGEST)
