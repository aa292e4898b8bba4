"""Is this the command before which a recipe surfaces, and does the agent do what it says anyway?

Commands are compared by their segments (program, sub-command, flags), never by their text.
"""

from __future__ import annotations

from collections.abc import Sequence

from wisen.core.commands import head, written_words
from wisen.core.lifecycle import same_rule
from wisen.core.types import Memory, ShellSegment, Trigger

_PATTERN_MARKS = "*?["  # of the shell
_MISSING = frozenset({"unknown-option", "unknown-subcommand"})  # `error_kinds.Kind`
_LEFT_OUT = "…"  # stands in a recipe for what was of one run only


def is_met(trigger: Trigger, segments: Sequence[ShellSegment]) -> bool:
    """Tell whether one segment is the trigger's call: the same program and sub-command, with all of its flags."""
    return any(_is_call(trigger, segment) for segment in segments)


def commands_in(text: str) -> tuple[str, ...]:
    """Return the commands that a recipe names: what stands in backquotes, or all of a text without any."""
    return tuple(text.split("`")[1::2]) or (text,)


def is_same_call(one: Trigger | None, other: Trigger | None) -> bool:
    """Tell whether two triggers surface before the same calls; two times none is the same.

    The kind of error is not compared: it says why a recipe was learned, not when it is shown.
    """
    if one is None or other is None:
        return one is other
    return (one.program, one.subcommand, frozenset(one.flags)) == (
        other.program,
        other.subcommand,
        frozenset(other.flags),
    )


def same_recipe(memory: Memory, text: str, trigger: Trigger) -> bool:
    """Tell whether a recipe is a memory's own: before the same call, and teaching the same.

    That is word for word, but for what was of one run only; or that something is not there (an option, a sub-command):
    it is one lesson, whatever helped instead.
    """
    if memory.trigger is None or not is_same_call(memory.trigger, trigger):
        return False
    is_missing = memory.trigger.error_class == trigger.error_class and trigger.error_class in _MISSING
    return is_missing or same_rule(_lasting(memory.text), _lasting(text))


def _lasting(text: str) -> str:
    return text.replace(f"/{_LEFT_OUT}", "/")


def is_done(
    trigger: Trigger, fix: Sequence[ShellSegment], now: Sequence[ShellSegment], before: Sequence[ShellSegment]
) -> bool:
    """Tell whether the agent does without being told what a recipe says.

    `fix` are the segments of its steps, `now` those of the command that is about to run, `before` those of the commands
    that worked in this session. A step that is another call than the trigger's may have been done before; one that is
    the same call in another form (a flag, a variable, a wrapper, a word more) has to be in the command itself. A recipe
    that only names the call is no command to follow ("`git commit` fails until the key is unlocked").
    """
    others = [step for step in fix if not _is_call(trigger, step)]
    same = [step for step in fix if _is_call(trigger, step)]
    changed = [step for step in same if _differs(trigger, step)]
    if changed:
        return all(_has(now, step) for step in changed)
    if others:
        return all(_has((*before, *now), step) for step in others)
    worded = [step for step in same if _words_beyond(trigger, step)]
    return bool(worded) and all(_has(now, step, with_words=True) for step in worded)


def _is_call(trigger: Trigger, segment: ShellSegment) -> bool:
    words = trigger.subcommand.split()  # `pr view` of `gh pr view`: the second is a plain word of the segment
    if not words and not trigger.flags:
        words = [""]  # else an option that the program takes before any sub-command
    is_program = segment.program == trigger.program and [segment.subcommand, *segment.words][: len(words)] == words
    return is_program and all(_holds(segment, flag) for flag in trigger.flags)


def _holds(segment: ShellSegment, flag: str) -> bool:
    """Tell whether a segment has an option, or a word that the shell would take for more than a word, so written."""
    if flag.startswith("-") and not set(_PATTERN_MARKS) & set(flag):
        return flag in segment.flags or flag in segment.options
    words = [word for word in written_words(segment) if word[:1] not in "'\""]
    return any(word.startswith(flag) or (flag in _PATTERN_MARKS and flag in word) for word in words)


def _words_beyond(trigger: Trigger, step: ShellSegment) -> bool:
    """Tell whether a step has words behind those of the trigger's call."""
    return len([step.subcommand, *step.words]) > len(trigger.subcommand.split() or [""])


def _differs(trigger: Trigger, step: ShellSegment) -> bool:
    """Tell whether a step says more than to run the trigger's call again."""
    return bool(step.env or step.wrapper or {*step.flags, *step.options} - set(trigger.flags))


def _has(done: Sequence[ShellSegment], step: ShellSegment, *, with_words: bool = False) -> bool:
    return any(
        head(one) == head(step)
        and set(step.flags) <= set(one.flags)
        and set(step.options) <= set(one.options)
        and set(step.env) <= set(one.env)
        and (not step.wrapper or step.wrapper == one.wrapper)
        and (not with_words or {word for word in step.words if _LEFT_OUT not in word} <= set(one.words))
        for one in done
    )
