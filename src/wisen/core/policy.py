"""When to recall, with which words, which filter and which budget. Never on every turn.

The moments and their limits are the original's (session start .5 / 2,000 characters, prompt .6 / 1,000 / 30 characters,
sub-task 800, tool family .6 / 800), with the wrapper counted in. A recipe before its command is one line, and so is the
place of a name before a search for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from wisen.core.excerpts import halves
from wisen.core.places import names_in_prose
from wisen.core.recalls import Budget, RecallTrigger
from wisen.core.records import Session
from wisen.core.scripts import substance
from wisen.core.signals.repeated_lookup import sought_in
from wisen.core.signals.stated_decision import asks_about_the_past
from wisen.core.types import Event, PreTool, SessionStart, ShellSegment, StartSource, ToolCall, UserPrompt

MAX_QUERY_CHARS = 2000
MAX_ITEMS = 25
MANUAL_CHARS = 9000  # what a harness takes at most
_FENCE_CHARS = 150  # what stands around the one line before a command; see core/render.py
_MATCHED_CHARS = 2000  # of a command, against a pattern that the user wrote


EVERY = "every"  # prompt looks for memories; else only one that is due (`core.working`)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The numbers a user may change; `config.Settings` documents each."""

    session_start_chars: int = 2000
    user_prompt_chars: int = 1000
    sub_task_chars: int = 800
    memory_chars: int = 300
    prompt_min_chars: int = 30
    prompt_items: int = 6
    prompt_recall: str = EVERY
    prompt_refresh_turns: int = 10
    session_start_min_confidence: float = 0.5
    user_prompt_min_confidence: float = 0.6
    sub_task_min_confidence: float = 0.6
    pre_tool_chars: int = 400
    pre_tool_min_confidence: float = 0.6
    pre_tool_most: int = 3
    tool_family_chars: int = 800
    tool_family_min_confidence: float = 0.6
    tool_recall: tuple[tuple[str, str], ...] = ()  # (regular expression, query), first match wins


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPlan:
    """What to recall now. `reads_history`: the transcript may hold blocks already, so leave out what it shows.

    `segments` are those of the command that is about to run, `names` those in code that the moment is about. `or_else`
    is what to recall if that gives nothing. `with_episodes`: it asks about the past, so what was decided counts.
    """

    trigger: RecallTrigger
    query: str
    min_confidence: float
    budget: Budget
    reads_history: bool = False
    segments: tuple[ShellSegment, ...] = ()
    names: tuple[str, ...] = ()
    with_episodes: bool = False
    or_else: RecallPlan | None = None

    @property
    def is_before_a_tool(self) -> bool:
        """Is it one of the many moments at which most often there is nothing to say, and nothing to put on record?"""
        return self.trigger in {RecallTrigger.PRE_TOOL, RecallTrigger.TOOL_FAMILY}


def plan_recall(event: Event, session: Session, limits: Limits) -> RecallPlan | None:
    """Return the recall an event asks for, or None: inside a subagent, or where no answer reaches the model."""
    if event.agent_id or not event.is_answerable:
        return None
    match event.body:
        case SessionStart(source=source):
            had_a_life = source in {StartSource.RESUME, StartSource.FORK}
            return _plan(RecallTrigger.SESSION_START, "", limits, reads_history=had_a_life)
        case UserPrompt(text=text):
            return _at_prompt(text.strip(), session, limits)
        case PreTool(call=call) if call.family == "task" and is_substantial(call.summary, limits):
            return _plan(RecallTrigger.SUB_TASK, call.summary, limits)
        case PreTool(call=call):
            return _before_tool(call, limits)
        case _:
            return None


def _before_tool(call: ToolCall, limits: Limits) -> RecallPlan | None:
    """Return the recipes for a command and the places of what it searches, or what the user's own map has for it."""
    query = _mapped(f"{call.tool} {call.command}"[:_MATCHED_CHARS], limits.tool_recall)
    by_map = _plan(RecallTrigger.TOOL_FAMILY, query, limits) if query else None
    sought = sought_in(call)
    if not (call.segments or sought):
        return by_map
    plan = _plan(RecallTrigger.PRE_TOOL, call.command or call.summary, limits)
    return replace(plan, segments=call.segments, names=sought, or_else=by_map)


def _mapped(what: str, tool_recall: tuple[tuple[str, str], ...]) -> str:
    return next((query for pattern, query in tool_recall if _compiled(pattern).search(what)), "")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _at_prompt(text: str, session: Session, limits: Limits) -> RecallPlan | None:
    """Return a prompt's recall; the first prompt makes up for a session start that could not be answered."""
    query = text if is_substantial(text, limits) else ""
    if not session.start_delivered:
        return _plan(RecallTrigger.SESSION_START, query, limits, reads_history=True)
    return _plan(RecallTrigger.USER_PROMPT, query, limits) if query else None


def is_substantial(text: str, limits: Limits) -> bool:
    """Tell whether a text says enough to recall by: short answers and acknowledgements don't."""
    return substance(text.strip()) >= limits.prompt_min_chars


def limits_at(trigger: RecallTrigger, limits: Limits) -> tuple[Budget, float]:
    """Return the budget and the least confidence of a trigger. A person's own question is under no confidence floor."""
    chars, least = {
        RecallTrigger.SESSION_START: (limits.session_start_chars, limits.session_start_min_confidence),
        RecallTrigger.USER_PROMPT: (limits.user_prompt_chars, limits.user_prompt_min_confidence),
        RecallTrigger.SUB_TASK: (limits.sub_task_chars, limits.sub_task_min_confidence),
        RecallTrigger.PRE_TOOL: (limits.pre_tool_chars, limits.pre_tool_min_confidence),
        RecallTrigger.TOOL_FAMILY: (limits.tool_family_chars, limits.tool_family_min_confidence),
        RecallTrigger.MANUAL: (MANUAL_CHARS, 0.0),
    }[trigger]
    if trigger is RecallTrigger.PRE_TOOL:
        room = min(limits.memory_chars, max(chars - _FENCE_CHARS, 0))
        return Budget(max_chars=chars, max_memory_chars=room, max_items=1), least
    at_prompt = trigger in {RecallTrigger.USER_PROMPT, RecallTrigger.SUB_TASK}
    items = min(limits.prompt_items, MAX_ITEMS) if at_prompt else MAX_ITEMS
    return Budget(max_chars=chars, max_memory_chars=limits.memory_chars, max_items=items), least


def _plan(trigger: RecallTrigger, query: str, limits: Limits, *, reads_history: bool = False) -> RecallPlan:
    budget, least = limits_at(trigger, limits)
    return RecallPlan(
        trigger=trigger,
        query=_bounded(query.strip()),
        names=names_in_prose(_bounded(query)),
        with_episodes=asks_about_the_past(query),
        min_confidence=least,
        budget=budget,
        reads_history=reads_history,
    )


def _bounded(query: str) -> str:
    """Return the query, or the ends of a very long one: what is asked stands before or behind what is pasted."""
    return query if len(query) <= MAX_QUERY_CHARS else " ".join(halves(query, MAX_QUERY_CHARS))
