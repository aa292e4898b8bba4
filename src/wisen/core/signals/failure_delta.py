"""A command failed, something was done, and the command worked: what is there to know the next time?

The most recent failure that a success covers counts; one episode gives one lesson, however many failures shared its
success, and the same lesson is told once a session. Memory is bounded: the last 20 failures of the last 10 minutes, and
the last 60 calls in between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from wisen.core.commands import Placed, head, is_behind_a_pipe, is_quiet, is_slip, placed, written_words
from wisen.core.excerpts import excerpt
from wisen.core.graphemes import cut_before
from wisen.core.signals.deltas import argv, delta_of, is_inserted, is_kin, is_replaced, wrapped
from wisen.core.signals.episodes import Episode, Recipe
from wisen.core.signals.error_classes import class_of
from wisen.core.signals.error_kinds import Kind
from wisen.core.signals.failures import Failure, failure_of
from wisen.core.signals.recipe_rules import mended_of, recipe_of
from wisen.core.signals.recipe_text import kept_word
from wisen.core.signals.steps import Step, moves, step_of
from wisen.core.types import (
    Event,
    EventRef,
    MemoryKind,
    Origin,
    Outcome,
    PostTool,
    ShellSegment,
    Signal,
    Source,
    Tier,
    ToolCall,
    Trigger,
    UserPrompt,
)

MOST_FAILURES: Final = 20
MOST_STEPS: Final = 60
WINDOW: Final = timedelta(minutes=10)
MOST_TOLD: Final = 100
QUOTE_CHARS: Final = 300
ERROR_CHARS: Final = 200

_STRENGTH: Final = {Tier.ADOPT: 0.7, Tier.SUGGEST: 0.5}


def recipes(events: Iterable[Event]) -> Iterator[Signal]:
    """Yield what a session's events, in the order of time, teach about its commands."""
    watch = _Watch()
    for event in events:
        yield from watch.take(event)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """Something between a failure and a success: a step, or what the user said."""

    number: int
    step: Step | None = None
    said: Event | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """A failure that waits for its success, and how many things had been done before it."""

    failure: Failure
    number: int


@dataclass(slots=True)
class _Watch:
    """What is known of a session at one moment."""

    _open: deque[_Open] = field(default_factory=lambda: deque(maxlen=MOST_FAILURES))
    _done: deque[_Done] = field(default_factory=lambda: deque(maxlen=MOST_STEPS))
    _told: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_TOLD))
    _number: int = 0

    def take(self, event: Event) -> Iterator[Signal]:
        """Take in the next event."""
        body = event.body
        if isinstance(body, UserPrompt):
            self._note(said=event)
            return
        if not isinstance(body, PostTool):
            return
        if body.call.family == "shell" and body.outcome is Outcome.SUCCESS and self._open:
            yield from self._success(event, body)
        if step := step_of(event):
            self._note(step=step)
        if failure := failure_of(event):
            self._open.append(_Open(failure=failure, number=self._number))

    def _note(self, *, step: Step | None = None, said: Event | None = None) -> None:
        self._number += 1
        self._done.append(_Done(number=self._number, step=step, said=said))

    def _success(self, event: Event, body: PostTool) -> Iterator[Signal]:
        self._open = deque((one for one in self._open if event.at - one.failure.event.at <= WINDOW), MOST_FAILURES)
        parts = placed(body.call)
        covered = [
            (one, episode)
            for one in reversed(self._open)
            if one.failure.event.agent_id == event.agent_id and (episode := self._episode(one, event, body, parts))
        ]
        if not covered:
            return
        gone = {id(one) for one, _ in covered}
        self._open = deque((one for one in self._open if id(one) not in gone), MOST_FAILURES)
        for one, episode in covered:
            if recipe := recipe_of(episode) or mended_of(episode):
                if recipe.rule not in self._told and not any(map(recipe.is_contradicted_by, self._told)):
                    self._told.append(recipe.rule)
                    yield self._signal(one, episode, recipe, count=len(covered))
                return

    def _episode(self, one: _Open, event: Event, body: PostTool, parts: tuple[Placed, ...]) -> Episode | None:
        failure = one.failure
        found = _covering(failure, body, parts)
        if found is None:
            return None
        worked, failed = found
        steps = tuple(
            done.step
            for done in self._done
            if done.number > one.number and done.step and done.step.event.agent_id == event.agent_id
        )
        added, dropped = wrapped(failed, worked, without=_option(failure)) or ((), ())
        was, now = failure.event.cwd, event.cwd
        went = any(moves(step.call) for step in steps) or moves(body.call) != moves(failure.call)
        delta = delta_of(failed, worked, before=added, without=dropped, moved=bool(was and now and was != now) or went)
        is_user_between = any(done.number > one.number and done.said for done in self._done)
        return Episode(
            failure=failure,
            event=event,
            call=body.call,
            delta=delta,
            steps=steps,
            is_user_between=is_user_between,
        )

    def _signal(self, one: _Open, episode: Episode, recipe: Recipe, *, count: int) -> Signal:
        failure, segment = episode.failure, episode.failure.segment
        error = failure.output[: cut_before(failure.output, ERROR_CHARS)]
        evidence = [
            _ref(failure.event, f"{_quoted(failure.event, failure.call, recipe)}\n{error}".strip()),
            *(_ref(step.event, _quoted(step.event, step.call, recipe)) for step in recipe.done),
            *(
                _ref(said, excerpt(said.body.text, QUOTE_CHARS))
                for said in self._said_after(one)
                if isinstance(said.body, UserPrompt)
            ),
            _ref(episode.event, _quoted(episode.event, episode.call, recipe)),
        ]
        return Signal(
            source=Source.FAILURE_DELTA,
            origin=Origin.OBSERVED_OUTCOME,
            session_id=episode.event.session_id,
            at=episode.event.at,
            evidence=tuple(evidence),
            strength=min(0.9, _STRENGTH[recipe.tier] + 0.05 * (count - 1)),
            rule=recipe.rule,
            cwd=episode.event.cwd,
            tier=recipe.tier,
            kind=MemoryKind.PROCEDURAL,
            title=recipe.title,
            why=recipe.why,
            how_to_apply=recipe.how,
            trigger=Trigger(
                program=segment.program,
                subcommand="" if set(recipe.flags) & set(segment.options) else _subcommand(segment),
                flags=recipe.flags,
                error_class=failure.kind.value,
            ),
        )

    def _said_after(self, one: _Open) -> list[Event]:
        return [done.said for done in self._done if done.number > one.number and done.said][-2:]


def _subcommand(segment: ShellSegment) -> str:
    """The words behind the program by which a trigger knows the call again: `pr view` of `gh pr view`."""
    if not segment.subcommand:
        return ""
    return " ".join(word for word in head(segment)[1:] if kept_word(word) == word)


def _ref(event: Event, quote: str) -> EventRef:
    return EventRef(event_id=event.event_id, session_id=event.session_id, at=event.at, quote=quote)


def _quoted(event: Event, call: ToolCall, recipe: Recipe) -> str:
    """Return a command as evidence, cut, but with every word that the recipe names."""
    place = event.cwd if recipe.is_about_place else ""
    quote = f"{place}$ {excerpt(call.command, QUOTE_CHARS)}"
    words = (word for segment in call.segments for word in segment.words)
    lost = dict.fromkeys(word for word in words if word not in quote and kept_word(word, event.cwd) in recipe.rule)
    return " ".join((quote, *tuple(lost)[:3]))


# --- which success covers which failure -------------------------------------------------------------------------

_ABOUT_THE_LINE: Final = frozenset(
    {Kind.GLOB, Kind.EXPANDED, Kind.RESERVED, Kind.MISSING_PROGRAM, Kind.UNKNOWN_SUBCOMMAND, Kind.UNKNOWN_OPTION,
     Kind.NO_SCRIPT, Kind.WRONG_PLACE, Kind.IGNORED}
)  # fmt: skip
"""Failures of a command that never started its work: that it starts is shown even behind a pipe."""


def _covering(failure: Failure, body: PostTool, parts: tuple[Placed, ...]) -> tuple[ShellSegment, ShellSegment] | None:
    """Return the segment of a success that covers a failure, and the failing segment it covers; None when none does."""
    is_early = failure.kind in _ABOUT_THE_LINE
    usable = [p.segment for p in parts if not p.is_masked and (p.is_shown or is_early) and not is_quiet(p.segment)]
    if not usable or (is_early and class_of(body.excerpt).kind is failure.kind):
        return None
    if failure.kind in {Kind.GLOB, Kind.EXPANDED, Kind.RESERVED}:
        return _avoiding(failure, body, usable)
    heads = {head(one): one for one in usable}
    if all(head(one) in heads for one in failure.segments):
        return heads[head(failure.segment)], failure.segment
    if failure.kind is Kind.MISSING_PROGRAM:
        return _instead(failure, usable)
    if failure.kind in {Kind.UNKNOWN_SUBCOMMAND, Kind.UNKNOWN_OPTION, Kind.NO_SCRIPT}:
        return _otherwise(failure, usable)
    around = next((one for one in usable if len(failure.segments) == 1 and wrapped(failure.segment, one)), None)
    return (around, failure.segment) if around else None


def _avoiding(failure: Failure, body: PostTool, usable: list[ShellSegment]) -> tuple[ShellSegment, ShellSegment] | None:
    """A line of the same programs without the bare word."""
    if any(failure.word in written_words(one) for one in body.call.segments):
        return None
    programs = {one.program for one in failure.call.segments if not is_quiet(one)}
    worked = next((one for one in usable if one.program == failure.segment.program), None)
    worked = worked or next((one for one in usable if one.program in programs), None)
    return (worked, failure.segment) if worked else None


def _instead(failure: Failure, usable: list[ShellSegment]) -> tuple[ShellSegment, ShellSegment] | None:
    """Another program with the same words, or the rest of the line without the missing one."""
    failed = failure.segment
    for one in usable:
        if is_replaced(failed, one) or wrapped(failed, one) or (one.program == f"g{failure.word}"):
            return one, failed
    if not is_behind_a_pipe(failed, failure.call):
        return None  # it was what the line was for
    others = {head(one) for one in failure.call.segments if one.program != failed.program and not is_quiet(one)}
    worked = next((one for one in usable if head(one) in others), None)
    return (worked, failed) if worked else None


def _otherwise(failure: Failure, usable: list[ShellSegment]) -> tuple[ShellSegment, ShellSegment] | None:
    """The same work behind other words, or without the words that were refused."""
    failed = failure.segment
    for one in usable:
        if wrapped(failed, one, without=_option(failure)) or _holds(argv(one)[1:4], head(failed)):
            return one, failed
        if one.program == failed.program and _is_near(failure, one):
            return one, failed
    return None


def _is_near(failure: Failure, worked: ShellSegment) -> bool:
    """Is a command of the same program what an unknown sub-command or script was meant to be?"""
    match failure.kind:
        case Kind.UNKNOWN_SUBCOMMAND:
            words = (worked.subcommand, *worked.words[:2])
            slip = any(is_slip(failure.word, word) for word in words if word)
            return slip or is_inserted(failure.segment, worked) or is_inserted(worked, failure.segment)
        case Kind.NO_SCRIPT:
            words = (*head(worked)[1:], *worked.words[:1])
            return any(is_kin(word, failure.word) or is_slip(word, failure.word) for word in words)
        case _:
            return False


def _holds(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words)))


def _option(failure: Failure) -> str:
    return failure.word if failure.kind is Kind.UNKNOWN_OPTION else ""
