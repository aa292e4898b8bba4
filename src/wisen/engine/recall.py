"""An event -> the block the model gets, if any, and the receipt that says why. Makes no model call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from wisen.core.places import is_known_already
from wisen.core.policy import EVERY, Limits, RecallPlan, limits_at, plan_recall
from wisen.core.recalls import (
    Budget,
    By,
    Hit,
    LeftOut,
    MemoryFilter,
    RecallBlock,
    Recalled,
    RecallRequest,
    RecallTrigger,
)
from wisen.core.records import Receipt, RepoIdentity, Session, ShownItem, Standing
from wisen.core.render import memory_line, render, statement
from wisen.core.triggers import commands_in, is_done, is_met
from wisen.core.types import (
    Event,
    GraphId,
    Memory,
    MemoryKind,
    Outcome,
    PostTool,
    SessionStart,
    ShellSegment,
    Source,
    UserPrompt,
)
from wisen.engine.capture import Capture, Captured
from wisen.engine.working import Working
from wisen.errors import StoreError
from wisen.ports import Clock, ControlStore, Embedders, GraphStore, GraphStores, HistoryReader, Ids, Redactor
from wisen.retrieval.pipeline import Means, retrieve


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A recall that is ready but not yet told to anyone: `Recall.commit` records it, dropping it changes nothing."""

    block: RecallBlock
    receipt: Receipt


UNSAFE = "holds what looks like a secret: `wisen forget --purge` erases it"
_JUDGED = 512  # texts whose judgement is kept: a millisecond of CPU each
_MOST_RECIPES = 50  # of a program, that are compared with a command
_HOOK_WAITS_S, _PERSON_WAITS_S = 0.15, 5.0  # for the model; without it the words have to do
_LOOKED_BACK = 200  # events; what the agent did long before the command does not count as part of it

# A recipe that was shown is not shown again: it waits for its better moment, just before the command. The place of a
# name comes only with that name.
_BEFORE_COMMANDS_ONLY = frozenset({RecallTrigger.SESSION_START, RecallTrigger.USER_PROMPT, RecallTrigger.SUB_TASK})

# What was decided once comes only where a prompt asks about the past.
_LASTING = frozenset({MemoryKind.SEMANTIC, MemoryKind.PROCEDURAL})

# One conversation between two compactions: (harness, session id, epoch).
_Context = tuple[str, str, int]


class Recall:
    """Recalls for hooks (with a session) and for people (without)."""

    def __init__(
        self,
        *,
        control: ControlStore,
        graphs: GraphStores,
        capture: Capture,
        clock: Clock,
        ids: Ids,
        limits: Limits,
        histories: Mapping[str, HistoryReader],
        redactor: Redactor,
        parse: Callable[[str], tuple[ShellSegment, ...]],
        embedders: Embedders | None = None,
    ) -> None:
        self._control = control
        self._graphs = graphs
        self._capture = capture
        self._steps = lru_cache(maxsize=_JUDGED)(lambda text: tuple(s for one in commands_in(text) for s in parse(one)))
        self._clock = clock
        self._ids = ids
        self._limits = limits
        self._embedders = embedders
        self._histories = histories
        self._is_clean = lru_cache(maxsize=_JUDGED)(lambda text: redactor.redact(text) == text)
        self.working = Working()
        self._held: dict[_Context, list[Prepared]] = {}
        self._lock = threading.Lock()

    def prepare(self, captured: Captured) -> Prepared | None:
        """Return the recall an event asks for, or None where none is due or the repository is not known yet."""
        event, session, identity = captured.event, captured.session, captured.identity
        if not captured.new or identity is None:
            return None
        held = self._held_for(session)
        if any(other.receipt.trigger is RecallTrigger.SESSION_START for other in held):
            session = replace(session, start_delivered=True)
        due = self._due(captured)
        plan = plan_recall(event, session, self._limits)
        if plan is not None and plan.trigger is RecallTrigger.USER_PROMPT and not due:
            return None
        if plan is None or identity.standing is Standing.PENDING:
            return None
        if plan.trigger is RecallTrigger.SESSION_START and self._embedders is not None:
            self._embedders.now(within=0.0)  # it loads in the meantime: the first prompt will want it
        captured = replace(captured, session=session)
        prepared = self._prepared(captured, plan, held)
        if prepared is None and plan.or_else is not None:
            return self._prepared(captured, plan.or_else, held)
        return prepared

    def _due(self, captured: Captured) -> bool:
        """Take note of a prompt; return whether one recalls now, where it is not the start of a session."""
        event = captured.event
        if not isinstance(event.body, UserPrompt) or event.agent_id or not event.is_answerable:
            return True
        every = self._limits.prompt_refresh_turns
        why = self.working.heard(captured.session, event.body.text, refresh_every=every)
        return why is not None or self._limits.prompt_recall == EVERY

    def _prepared(self, captured: Captured, plan: RecallPlan, held: Sequence[Prepared]) -> Prepared | None:
        """Return what a plan gives; before a tool, None where that is nothing."""
        session, identity = captured.session, captured.identity
        is_before = plan.trigger is RecallTrigger.PRE_TOOL
        if identity is None or (
            is_before and not (self._has_recipe(identity, plan) or self._has_place(identity, plan))
        ):
            return None
        if is_before and self._shown_before_tools(session, held) >= self._limits.pre_tool_most:
            return None
        inherited = self._in_history(captured, plan)
        exclude = dict(self._control.injected(session.harness, session.session_id, session.epoch))
        exclude |= {memory.memory_id: memory.digest for memory in inherited}
        exclude |= {item.memory_id: item.digest for other in held for item in other.receipt.shown}
        request = RecallRequest(
            trigger=plan.trigger,
            graphs=identity.reads,
            query=plan.query,
            filter=MemoryFilter(
                min_confidence=plan.min_confidence,
                exclude=exclude,
                awake_at=self._clock.now(),
                with_recipes=plan.trigger not in _BEFORE_COMMANDS_ONLY,
                with_places=plan.trigger is RecallTrigger.TOOL_FAMILY,
                kinds=None if plan.with_episodes else _LASTING,
            ),
            budget=plan.budget,
            segments=plan.segments,
            names=plan.names,
        )
        recalled = self._clean(self._retrieved(request, _HOOK_WAITS_S))
        if is_before:
            recalled = self._without_done(recalled, captured, plan)
        if plan.is_before_a_tool and not recalled.hits:
            return None
        block = render(
            recalled.hits,
            trigger=plan.trigger,
            budget=plan.budget,
            nonce=self._ids.nonce(),
            left_out=recalled.left_out,
            more=recalled.more,
        )
        if plan.is_before_a_tool and not block.text:
            return None
        receipt = self._receipt(captured, request, block, recalled, inherited)
        return Prepared(block=block, receipt=receipt)

    def _has_recipe(self, identity: RepoIdentity, plan: RecallPlan) -> bool:
        """Whether there is a recipe for the command at all: asked before every one, and nearly always there is none."""
        programs = frozenset(segment.program for segment in plan.segments)
        where = MemoryFilter(programs=programs)
        return any(
            memory.trigger is not None and is_met(memory.trigger, plan.segments)
            for store in self._readable(identity.reads)
            for memory in store.list(where, limit=_MOST_RECIPES)
        )

    def _shown_before_tools(self, session: Session, held: Sequence[Prepared]) -> int:
        """Return how many memories came before the tools of a session: whoever says much is not heard."""
        receipts = self._control.receipts(harness=session.harness, session_id=session.session_id, limit=_LOOKED_BACK)
        told = [*receipts, *(other.receipt for other in held)]
        shown = {
            item.memory_id for one in told if one.trigger is RecallTrigger.PRE_TOOL for item in one.shown
        }  # fmt: skip
        return len(shown)

    def _has_place(self, identity: RepoIdentity, plan: RecallPlan) -> bool:
        """Whether the place of one of the names that are searched for is known."""
        where = MemoryFilter(names=frozenset(plan.names))
        return bool(plan.names) and any(store.count(where) for store in self._readable(identity.reads))

    def _without_done(self, recalled: Recalled, captured: Captured, plan: RecallPlan) -> Recalled:
        """Leave out what the agent does or knows anyway, and all but the best of the others: it is one line."""
        session = captured.session
        before = _worked(self._control.events(session.harness, session.session_id, limit=_LOOKED_BACK))
        undone: list[Hit] = []
        dropped: list[LeftOut] = []
        for hit in recalled.hits:
            trigger, steps = hit.memory.trigger, self._steps(hit.memory.text)
            reason = "one line before a command" if undone else ""
            if trigger is not None and is_done(trigger, steps, plan.segments, before):
                reason = "the agent does it anyway"
            elif trigger is None and is_known_already(hit.memory, plan.query):
                reason = "the search looks there already"
            if reason:
                memory = hit.memory
                dropped.append(LeftOut(memory_id=memory.memory_id, graph=memory.graph, reason=reason, score=hit.score))
            else:
                undone.append(hit)
        return replace(recalled, hits=tuple(undone), left_out=(*recalled.left_out, *dropped))

    def hold(self, prepared: Prepared) -> None:
        """Note that a block is on its way and its record is not written yet: the next event must not repeat it."""
        with self._lock:
            self._held.setdefault(_context(prepared.receipt), []).append(prepared)

    def _held_for(self, session: Session) -> tuple[Prepared, ...]:
        with self._lock:
            return tuple(self._held.get((session.harness, session.session_id, session.epoch), ()))

    def commit(self, prepared: Prepared) -> None:
        """Record that the block was handed over: its receipt, the start it was, and one use of each memory in it."""
        try:
            self._record(prepared)
        finally:
            self.release(prepared)

    def release(self, prepared: Prepared) -> None:
        """Note that a block is no longer on its way: it has arrived, or never will."""
        with self._lock:
            held = self._held.pop(_context(prepared.receipt), [])
            if rest := [other for other in held if other is not prepared]:
                self._held[_context(prepared.receipt)] = rest

    def _record(self, prepared: Prepared) -> None:
        receipt = prepared.receipt
        if self._readable(receipt.graphs):
            self._control.add_receipt(receipt)
        if receipt.trigger is RecallTrigger.SESSION_START:
            self._capture.mark_start_delivered(receipt.harness, receipt.session_id)
        if receipt.trigger in {RecallTrigger.SESSION_START, RecallTrigger.USER_PROMPT}:
            shown = tuple(item.memory_id for item in receipt.shown)
            self.working.recalled((receipt.harness, receipt.session_id), receipt.query, shown)
        by_graph: dict[GraphId, list[str]] = {}
        for hit in prepared.block.shown:
            by_graph.setdefault(hit.memory.graph, []).append(hit.memory.memory_id)
        for graph, memory_ids in by_graph.items():
            for store in self._readable([graph]):
                store.touch(memory_ids, self._clock.now())

    def _readable(self, graphs: Iterable[GraphId]) -> list[GraphStore]:
        """Return the graphs that are there and can be read; of the others the receipt tells."""
        stores: list[GraphStore] = []
        for graph in graphs:
            with suppress(StoreError):
                if (store := self._graphs.existing(graph)) is not None:
                    stores.append(store)
        return stores

    def ask(
        self,
        query: str,
        identity: RepoIdentity,
        *,
        trigger: RecallTrigger = RecallTrigger.MANUAL,
        min_confidence: float | None = None,
        sources: frozenset[Source] | None = None,
        kinds: frozenset[MemoryKind] | None = None,
        by: By = By.BOTH,
        most: int | None = None,
    ) -> tuple[RecallBlock, Recalled]:
        """Recall for a person: no session, no receipt, nothing counted as used.

        Limits and confidence are those of the trigger, as an agent would meet them; `min_confidence` overrides, and
        `most` is how many memories the block may hold if that is fewer.
        Raises Unsupported when only meaning is asked for and there is nothing to compare it with.
        """
        budget, least = limits_at(trigger, self._limits)
        if most is not None:
            budget = replace(budget, max_items=min(most, budget.max_items))
        request = RecallRequest(
            trigger=trigger,
            graphs=identity.reads,
            query=query,
            filter=MemoryFilter(
                min_confidence=least if min_confidence is None else min_confidence,
                sources=sources,
                kinds=kinds,
                awake_at=self._clock.now(),
            ),
            budget=budget,
            by=by,
        )
        recalled = self._clean(self._retrieved(request, _PERSON_WAITS_S))
        block = render(
            recalled.hits,
            trigger=trigger,
            budget=budget,
            nonce=self._ids.nonce(),
            left_out=recalled.left_out,
            more=recalled.more,
        )
        return block, recalled

    def _retrieved(self, request: RecallRequest, within: float) -> Recalled:
        means = Means(embedders=self._embedders, within=within)
        return retrieve(request, self._graphs, now=self._clock.now(), means=means)

    def _clean(self, recalled: Recalled) -> Recalled:
        """Leave out what an earlier version, which knew fewer forms of secrets, has let in."""
        clean = [hit for hit in recalled.hits if self._is_clean(statement(hit.memory))]
        if len(clean) == len(recalled.hits):
            return recalled
        kept = {hit.memory.memory_id for hit in clean}
        dropped = [
            LeftOut(memory_id=hit.memory.memory_id, graph=hit.memory.graph, reason=UNSAFE, score=hit.score)
            for hit in recalled.hits
            if hit.memory.memory_id not in kept
        ]
        return replace(recalled, hits=tuple(clean), left_out=(*recalled.left_out, *dropped))

    def _in_history(self, captured: Captured, plan: RecallPlan) -> list[Memory]:
        """Return the memories that a resumed or forked conversation brings along in its own history."""
        session, identity = captured.session, captured.identity
        reader = self._histories.get(session.harness)
        if not plan.reads_history or reader is None or not session.transcript or identity is None:
            return []
        body = captured.event.body
        short_ids = reader(session.transcript, body.last_reply_at if isinstance(body, SessionStart) else None)
        stores = self._readable(identity.reads) if short_ids else []
        return [m for store in stores for m in store.list(MemoryFilter()) if m.short_id in short_ids]

    def _receipt(
        self,
        captured: Captured,
        request: RecallRequest,
        block: RecallBlock,
        recalled: Recalled,
        inherited: Sequence[Memory],
    ) -> Receipt:
        event, session = captured.event, captured.session
        return Receipt(
            receipt_id=self._ids.new_id(),
            harness=event.harness,
            session_id=event.session_id,
            epoch=session.epoch,
            at=self._clock.now(),
            trigger=request.trigger,
            event_id=event.event_id,
            graphs=request.graphs,
            query=request.query,
            shown=(
                *(self._shown_item(hit, request.budget) for hit in block.shown),
                *(_inherited_item(memory) for memory in inherited),
            ),
            left_out=tuple(_distinct(block.left_out, but_not={memory.memory_id for memory in inherited})),
            chars=block.chars,
            more=recalled.more,
            degraded=recalled.degraded,
            note=captured.identity.note if captured.identity else "",
        )

    @staticmethod
    def _shown_item(hit: Hit, budget: Budget) -> ShownItem:
        memory = hit.memory
        return ShownItem(
            memory_id=memory.memory_id,
            graph=memory.graph,
            digest=memory.digest,
            score=hit.score,
            chars=len(memory_line(memory, max_chars=budget.max_memory_chars)),
            reasons=hit.reasons,
        )


def _worked(events: Iterable[Event]) -> tuple[ShellSegment, ...]:
    """Return the segments of the commands that worked."""
    bodies = [event.body for event in events]
    done = [body.call for body in bodies if isinstance(body, PostTool) and body.outcome is Outcome.SUCCESS]
    return tuple(segment for call in done for segment in call.segments)


def _context(receipt: Receipt) -> _Context:
    return receipt.harness, receipt.session_id, receipt.epoch


def _inherited_item(memory: Memory) -> ShownItem:
    """A memory that came with the history: known to the model, at no new cost."""
    return ShownItem(
        memory_id=memory.memory_id,
        graph=memory.graph,
        digest=memory.digest,
        score=0.0,
        chars=0,
        reasons=("already in this conversation's history",),
    )


def _distinct(items: Sequence[LeftOut], *, but_not: Container[str]) -> list[LeftOut]:
    """Return each memory once, with the first reason given for it."""
    first: dict[str, LeftOut] = {}
    for item in items:
        if item.memory_id not in but_not:
            first.setdefault(item.memory_id, item)
    return list(first.values())
