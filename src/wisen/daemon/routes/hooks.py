"""The harnesses' hooks: raw payload in, the harness's own reply out. Late answers are dropped, not recorded."""

from __future__ import annotations

import logging
import math
import time

from wisen.adapters.registry import Adapter
from wisen.adapters.registry import adapter as adapter_of
from wisen.core.types import Event, PreCompact, SessionEnd, SessionStart
from wisen.daemon.routes.call import Call, Handler, Reply
from wisen.engine.capture import Captured
from wisen.engine.recall import Prepared
from wisen.errors import PayloadError

log = logging.getLogger(__name__)

# The longest that a hook process waits; what is ready later has not been shown.
LONGEST_DEADLINE_S = 1.5
SHORTEST_DEADLINE_S = 0.25
_MARGIN_S = 0.03
_SETTLE_S = 0.5
_NOTHING = Reply(status=204)


def receive(call: Call) -> Reply:
    """Take one hook's payload."""
    deadline = _deadline(call.headers.get("x-wisen-deadline", ""), time.monotonic())
    adapter = adapter_of(call.path["harness"])
    try:
        events = adapter.events(
            call.raw,
            entrypoint=call.headers.get("x-wisen-entrypoint", ""),
            delivery_id=call.headers.get("x-wisen-delivery", ""),
            received_at=call.wisen.clock.now(),
        )
    except PayloadError as error:
        call.wisen.control.count("bad_payloads")
        log.warning("bad payload", extra={"error": error.message})
        return _NOTHING
    for event in events:
        reply = _take(call, adapter, event, deadline)
        if reply:
            return Reply(raw=reply)
    return _NOTHING


def _deadline(header: str, now: float) -> float:
    """Return when the hook process gives up, by the clock that all processes of a machine share."""
    try:
        said = float(header)
    except ValueError:
        return now + SHORTEST_DEADLINE_S
    return min(said, now + LONGEST_DEADLINE_S) if math.isfinite(said) else now + SHORTEST_DEADLINE_S


def _take(call: Call, adapter: Adapter, event: Event, deadline: float) -> bytes:
    captured = call.wisen.capture.capture(event)
    if isinstance(event.body, PreCompact | SessionEnd):
        call.services.worker.wake()
    if captured is None or not captured.new or not call.wisen.settings.recall:
        return b""
    if isinstance(event.body, SessionStart):
        patience = min(_SETTLE_S, deadline - time.monotonic() - 2 * _MARGIN_S)
        call.services.worker.settle(within_s=max(patience, 0.0), but_not=event.session_id)
    prepared = call.wisen.recall.prepare(captured)
    if prepared is None:
        return b""
    if time.monotonic() > deadline - _MARGIN_S:
        call.wisen.control.count("late_recalls")
        return b""
    return _hand_over(call, adapter, captured, prepared)


def _hand_over(call: Call, adapter: Adapter, captured: Captured, prepared: Prepared) -> bytes:
    call.wisen.recall.commit(prepared)
    event = captured.event
    if prepared.is_start:
        call.wisen.capture.mark_start_delivered(event.harness, event.session_id)
    return adapter.reply(event.name, prepared.block.text)


ROUTES: list[tuple[str, str, Handler]] = [("POST", "/v1/hook/{harness}", receive)]
