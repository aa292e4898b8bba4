"""The harnesses' hooks: raw payload in, the harness's own reply out. Late answers are dropped, not recorded."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from wisen import __version__
from wisen.adapters.registry import adapter as adapter_of
from wisen.client import version_key
from wisen.core.types import Event, PreCompact, SessionEnd, SessionStart
from wisen.daemon.ear import Ear
from wisen.daemon.notices import LEARNS_NOTHING, Trouble
from wisen.daemon.routes.call import Call, Handler, Reply
from wisen.engine.capture import Captured
from wisen.engine.recall import Prepared
from wisen.errors import PayloadError, StoreError, WisenError

log = logging.getLogger(__name__)

# The longest that a hook process waits; what is ready later has not been shown.
LONGEST_DEADLINE_S = 1.5
SHORTEST_DEADLINE_S = 0.25
_MARGIN_S = 0.03
_SETTLE_S = 0.5
_NOTHING = Reply(status=204)
_NOT_KEPT = {"x-wisen-kept": "no"}  # the hook prints the answer, and leaves a pointer to the event


def receive(call: Call) -> Reply:
    """Take one hook's payload. One of a harness that wisen was taken out of, by a session still open, is not heard."""
    deadline = _deadline(call.headers, time.monotonic())
    adapter = adapter_of(call.path["harness"])
    if not call.services.hears(call.path["harness"]):
        return _NOTHING
    try:
        events = adapter.events(
            call.raw,
            entrypoint=call.headers.get("x-wisen-entrypoint", ""),
            delivery_id=call.headers.get("x-wisen-delivery", "") or call.wisen.ids.new_id(),
            received_at=call.wisen.clock.now(),
            redact=call.wisen.redactor.redact,
        )
    except PayloadError as error:
        call.wisen.control.count("bad_payloads")
        log.warning("bad_payload", extra={"error": error.message})
        return _NOTHING
    is_start = any(isinstance(event.body, SessionStart) for event in events)
    try:
        kept = [captured for event in events if (captured := _keep(call, event)) is not None]
    except WisenError as error:
        call.services.notices.capture_failed(error, call.wisen.clock.now())
        if is_start and (notice := _notice(call)):
            return Reply(raw=adapter.reply(events[0].name, "", notice=notice), headers=_NOT_KEPT)
        raise
    lost = next((captured.lost for captured in kept if captured.lost), None)
    if lost:
        call.services.notices.capture_failed(lost, call.wisen.clock.now())
    elif kept:
        call.services.notices.capture_worked()
    reply = _reply(call, kept, deadline, notice=_notice(call) if is_start and kept else "")
    reply = replace(reply, headers=_NOT_KEPT) if lost else reply
    return _the_last(call, reply) if is_start and _is_from_newer(call) else reply


def _reply(call: Call, kept: Sequence[Captured], deadline: float, *, notice: str) -> Reply:
    for captured in kept:
        prepared = _recalled(call, captured, deadline)
        if prepared is not None:
            reply = adapter_of(captured.event.harness).reply(captured.event.name, prepared.block.text, notice=notice)
            return _answer(call, reply, prepared, deadline)
    if notice:
        return Reply(raw=adapter_of(kept[0].event.harness).reply(kept[0].event.name, "", notice=notice))
    return _NOTHING


def _notice(call: Call) -> str:
    """Return what to tell the person who starts this session, '' for nothing, or where nobody sits."""
    if not adapter_of(call.path["harness"]).is_interactive(call.headers.get("x-wisen-entrypoint", "")):
        return ""
    refused = [
        Trouble(kind="settings", why=f"settings refused: {one}", says=LEARNS_NOTHING)
        for one in call.services.in_force.problems
    ]
    try:
        counters = call.wisen.control.counters()
    except StoreError:
        counters = {}
    return call.services.notices.line((*refused, *call.services.worker.troubles()), counters, call.wisen.clock.now())


def _is_from_newer(call: Call) -> bool:
    """Whether the hook is of a newer wisen than this daemon: it was upgraded while we ran."""
    return version_key(call.headers.get("x-wisen-version", "")) > version_key(__version__)


def _the_last(call: Call, reply: Reply) -> Reply:
    """Stop after this answer: the session's next event starts the daemon of its own version."""

    def finish() -> None:
        with ExitStack() as stack:
            stack.callback(call.services.on_shutdown)
            if reply.afterwards:
                reply.afterwards()

    log.info("making_room", extra={"newer": call.headers.get("x-wisen-version", "")})
    return replace(reply, afterwards=finish)


def _answer(call: Call, reply: bytes, prepared: Prepared, deadline: float) -> Reply:
    """Answer first, then write down that it was shown: writing waits for the disk, and the hook process does not."""
    if time.monotonic() > deadline - _MARGIN_S:
        call.wisen.control.count("late_recalls")
        return _NOTHING
    call.wisen.recall.hold(prepared)
    if not reply:
        return replace(_NOTHING, afterwards=partial(call.wisen.recall.commit, prepared))
    if call.headers.get("x-wisen-confirms") == "printed" and call.ear:
        call.ear.open()
        return Reply(raw=reply, afterwards=partial(_when_printed, call, call.ear, prepared, deadline))
    return Reply(raw=reply, afterwards=partial(call.wisen.recall.commit, prepared))


def _when_printed(call: Call, ear: Ear, prepared: Prepared, deadline: float) -> None:
    """Record a recall once the hook says that it printed it. One that died before has shown nothing."""
    if ear.heard(until=deadline + _MARGIN_S):
        call.wisen.recall.commit(prepared)
    else:
        call.wisen.recall.release(prepared)
        call.wisen.control.count("unprinted_recalls")


def _deadline(headers: Mapping[str, str], now: float) -> float:
    """Return when who waits gives up, by the clock that all processes of a machine share.

    A hook process says when; a plugin, whose runtime has no such clock, says how many seconds from now.
    """
    try:
        if patience := headers.get("x-wisen-patience", ""):
            said = now + float(patience)
        else:
            said = float(headers.get("x-wisen-deadline", ""))
    except ValueError:
        return now + SHORTEST_DEADLINE_S
    return min(said, now + LONGEST_DEADLINE_S) if math.isfinite(said) else now + SHORTEST_DEADLINE_S


def _keep(call: Call, event: Event) -> Captured | None:
    try:
        return call.wisen.capture.capture(event)
    finally:
        if isinstance(event.body, PreCompact | SessionEnd):
            call.services.worker.wake()


def _recalled(call: Call, captured: Captured, deadline: float) -> Prepared | None:
    """Return what an event recalls; at a session start, what was said elsewhere is promoted first, if time allows."""
    if not call.wisen.settings.recall:
        return None
    if captured.new and isinstance(captured.event.body, SessionStart):
        patience = min(_SETTLE_S, deadline - time.monotonic() - 2 * _MARGIN_S)
        call.services.worker.settle(within_s=max(patience, 0.0), but_not=captured.event.session_id)
    return call.wisen.recall.prepare(captured)


ROUTES: list[tuple[str, str, Handler]] = [("POST", "/v1/hook/{harness}", receive)]
