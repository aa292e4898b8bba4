"""What does a command teach that the shell or the program did not take: a word, an option, a sub-command, itself?"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.core.commands import bare, head, is_everybodys, is_slip, written_words
from wisen.core.programs import LOOKING
from wisen.core.signals import recipe_text as text
from wisen.core.signals.deltas import argv, is_another_release, is_inserted, is_much_alike, is_replaced, wrapped
from wisen.core.signals.episodes import Episode, Recipe, first_run, prepared_by, recipe, said_as
from wisen.core.signals.error_kinds import Kind
from wisen.core.signals.failures import Failure
from wisen.core.types import Tier

# --- the shell --------------------------------------------------------------------------------------------------


def shell_word(episode: Episode) -> Recipe | None:
    """A bare word that the shell took for a pattern, an expansion or a variable of its own."""
    word = episode.failure.word
    if episode.failure.kind is Kind.RESERVED and re.search(rf"(?<!\w){re.escape(word)}=", episode.call.command):
        return None
    program = text.name(episode.failure.segment)
    quoted = f"'{bare(word)}'"
    if "`" in word or len(word) > text.LONGEST_WORD or text.kept_word(word, episode.cwd) == text.GONE:
        return None
    match episode.failure.kind:
        case Kind.RESERVED:
            said = f"Do not assign to `{word}` in this shell, it keeps that variable for itself: take another name"
            title = "Shell variables"
        case Kind.EXPANDED:
            mark = mark_of(word)
            said = (
                f"Quote a word that begins with `{mark}`, as in {program} (`'{mark}'`): this shell expands it and stops"
            )
            title = "Quoting in the shell"
        case _ if _is_operand(episode.failure):
            if episode.failure.segment.program in _FILE_PROGRAMS:
                return None  # a search without a match
            mark = _start_of(word)[-1]
            said = text.sentence(
                f"Give {program} no bare pattern with `{mark}`: this shell stops when it matches no file"
            )
            title, how = "Patterns in the shell", "Name the directory."
            return said_as(episode, title=title, rule=said, how=how, tier=Tier.SUGGEST, flags=(mark,))
        case _:
            said = f"Quote `{word}` in {program} (`{quoted}`): this shell stops when a bare pattern matches no file"
            title = "Quoting in the shell"
    flags = (_start_of(word),) if episode.failure.kind is not Kind.RESERVED else ()
    return said_as(episode, title=title, rule=text.sentence(said), how="Write it with quotes.", flags=flags)


def _start_of(word: str) -> str:
    """Return what of a word the shell stops at: `===` of `===done`, `--include=*` of `--include=*.go`."""
    pattern = re.match(r"[^*?\[]*[*?\[]", word)
    return pattern[0] if pattern else mark_of(word)


def mark_of(word: str) -> str:
    """Return what a word begins with again and again: `===` of `===` and of `===done`."""
    return word[: len(word) - len(word.lstrip(word[0]))]


def _is_operand(failure: Failure) -> bool:
    """Is a pattern a name of files, and not an option, its value, an address or a list of extras?"""
    words, word = written_words(failure.segment), failure.word
    if failure.segment.program in _FILE_PROGRAMS:
        return True
    before = words[words.index(word) - 1] if word in words[1:] else ""
    return not (word.startswith("-") or before.startswith("-") or "://" in word or "*" not in word)


_FILE_PROGRAMS: Final = frozenset("ls cat cp mv rm wc head tail stat file du chmod touch less sed gofmt".split())


# --- programs, sub-commands, options ----------------------------------------------------------------------------


def missing_program(episode: Episode) -> Recipe | None:
    """A program that is not there: another one, another way to start it, or doing without."""
    failed, worked, cwd = episode.delta.failed, episode.delta.worked, episode.cwd
    missing, title = f"`{episode.failure.word}`", f"Running `{episode.failure.word}`"
    if is_slip(episode.failure.word, worked.program):
        return None
    if episode.failure.word != failed.program:
        return _missing_wrapper(episode, title)
    if worked.program == failed.program:
        return _found_again(episode, title)
    if is_replaced(failed, worked) or wrapped(failed, worked):
        is_release = is_another_release(failed.program, worked.program)
        works = f"`{worked.program}`" if is_release else text.name(worked, cwd=cwd)
        return recipe(episode, title=title, fix=f"use {works} instead", about=missing)
    if any(segment.program == failed.program for segment in episode.call.segments):
        return None
    said = text.sentence(f"{missing} is not available here; {text.name(worked)} was done without it")
    return said_as(episode, title=title, rule=said, how=f"Do it without {missing}.")


def _found_again(episode: Episode, title: str) -> Recipe | None:
    """The same program, which another way to start it, a step or a variable made known."""
    delta, cwd = episode.delta, episode.cwd
    works = text.ticked((*delta.added_before, delta.path or delta.worked.program, *head(delta.worked)[1:]), cwd=cwd)
    if not (delta.added_before or delta.path):
        if prepared := prepared_by(episode):
            return first_run(episode, prepared, title=title)
        if not delta.added_env:
            return None
        works = text.whole(delta.worked, cwd=cwd)
    return recipe(episode, title=title, fix=f"{works} works", about=f"`{episode.failure.word}`")


def _missing_wrapper(episode: Episode, title: str) -> Recipe | None:
    """`timeout` and its like, in front of a command."""
    worked, word = episode.delta.worked, episode.failure.word
    if any(word in segment.wrapper for segment in episode.call.segments):
        return None
    is_other = is_another_release(word, worked.program)
    fix = f"use `{worked.program}` instead" if is_other else f"run {text.name(worked)} without it"
    return recipe(episode, title=title, fix=fix, about=f"`{word}`")


def unknown_subcommand(episode: Episode) -> Recipe | None:
    """A command that the program, mostly a wrapper, does not have."""
    failed, worked, word = episode.delta.failed, episode.delta.worked, episode.failure.word
    shorter = wrapped(failed, worked)
    if not shorter and any(is_slip(word, other) for other in (worked.subcommand, *worked.words[:2]) if other):
        return None
    if shorter and shorter[1]:
        without = " ".join(shorter[1])
        said = text.sentence(f"Run {text.name(worked)} without `{without}`: `{without}` has no sub-command `{word}`")
        return said_as(episode, title=f"Running {text.name(worked)}", rule=said, how=text.name(worked))
    if (shorter and shorter[0]) or is_inserted(failed, worked):
        works = text.from_program(worked, *(shorter[0] if shorter else ()), cwd=episode.cwd)
        return recipe(
            episode, title=f"Running {text.name(worked)}", fix=f"{works} works", about=text.name(failed, word)
        )
    if is_inserted(worked, failed) and not is_everybodys(failed):
        about = text.ticked((failed.program, word))
        fix = f"{text.name(worked)} works without it"
        return recipe(episode, title=f"Running {text.name(worked)}", fix=fix, about=about, tier=Tier.SUGGEST)
    return None


def unknown_option(episode: Episode) -> Recipe | None:
    """An option that the program does not have, mostly because another program took its place."""
    failed, worked, option = episode.delta.failed, episode.delta.worked, episode.failure.word
    is_own = not is_everybodys(failed) or _is_other_programs(episode.failure)
    if (
        option in argv(worked)
        or not is_much_alike(failed, worked, without=option)
        or (failed.program in LOOKING and not is_own)
    ):
        return None
    about = text.ticked((failed.program, option) if option in failed.options else (*text.called(failed), option))
    new = [word for word in episode.delta.added if word.startswith("-") and word != "--"][:2]
    works = text.name(worked, *new, cwd=episode.cwd)
    fix = f"{works} works" if new or head(worked) != head(failed) else f"leave `{option}` out"
    tier = Tier.ADOPT if is_own else Tier.SUGGEST
    title = f"Running `{failed.program}`" if option in failed.options else f"Running {text.name(failed)}"
    return recipe(episode, title=title, fix=fix, about=about, tier=tier, flags=(option,))


def _is_other_programs(failure: Failure) -> bool:
    """Does a usage text belong to another program than the one called: a wrapper took its place?"""
    called = {failure.segment.program, *failure.segment.wrapper}
    return any(found[1].rpartition("/")[2] not in called for found in _usage().finditer(failure.output))


@cache
def _usage() -> re.Pattern[str]:
    return re.compile(r"^[Uu](?:sage|SAGE): ?\n?\s*(?:[$>] )?([\w./-]+)", re.MULTILINE)
