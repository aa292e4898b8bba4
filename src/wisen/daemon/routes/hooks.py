"""The harnesses' hooks: raw payload in, the harness's own reply out. Late answers are dropped, not recorded."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from http import HTTPStatus

from wisen import __version__
from wisen.adapters.registry import adapter as adapter_of
from wisen.client import version_key
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
    """Take one hook's payload. One of a harness that wisen was taken out of, by a session still open, is not heard."""
    deadline = _deadline(call.headers.get("x-wisen-deadline", ""), time.monotonic())
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
    kept = [captured for event in events if (captured := _keep(call, event)) is not None]
    reply = _reply(call, kept, deadline)
    is_start = any(isinstance(event.body, SessionStart) for event in events)
    return _the_last(call, reply) if is_start and _is_from_newer(call) else reply


def _reply(call: Call, kept: Sequence[Captured], deadline: float) -> Reply:
    for captured in kept:
        prepared = _recalled(call, captured, deadline)
        if prepared is not None:
            reply = adapter_of(captured.event.harness).reply(captured.event.name, prepared.block.text)
            return _answer(call, reply, prepared, deadline)
    return _NOTHING


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
    commit = partial(call.wisen.recall.commit, prepared)
    return Reply(raw=reply, status=HTTPStatus.OK if reply else HTTPStatus.NO_CONTENT, afterwards=commit)


def _deadline(header: str, now: float) -> float:
    """Return when the hook process gives up, by the clock that all processes of a machine share."""
    try:
        said = float(header)
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
