"""When does a person mean? `--for 7d`, `--until 2026-12-24`, `--since 30d`, in the time zone that the person sees."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from typing import Final

from wisen.errors import InvalidValue, UsageError

DEFAULT_SPAN: Final = "7d"
_SPAN: Final = re.compile(r"([0-9]{1,6})\s*(min|h|d|w)")
_UNITS: Final = {
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_EXAMPLES: Final = "--for 90min, 12h, 7d or 2w; --until 09:00, 2030-01-31 or '2030-01-31 09:00'"
_PAST_EXAMPLES: Final = "--since 30d, 2w, 2030-01-31 or '2030-01-31 09:00'"
_CLOCK: Final = re.compile(r"[0-9]{1,2}:[0-9]{2}")


def moment_meant(span: str | None, until: str | None, now: datetime) -> datetime:
    """Return the moment that one of the two options names, with its zone.

    A day means its first moment, a time of day the next time that it is so late.

    Without either it is a week from now. Raises UsageError for both, InvalidValue for what names no time to come.
    """
    if span is not None and until is not None:
        raise UsageError("say either --for or --until", hint=_EXAMPLES)
    said = DEFAULT_SPAN if span is None and until is None else (until or span or "").strip()
    if not said:
        raise InvalidValue("the time is empty", hint=_EXAMPLES)
    moment = _at(said, now) if until is not None else _after(said, now)
    if moment <= now:
        raise InvalidValue(f"{said} is past", hint=_EXAMPLES)
    return moment


def moment_past(said: str, now: datetime) -> datetime:
    """Return the moment that `--since` names: so long ago, or the first moment of a day. Raises InvalidValue."""
    text = said.strip()
    if found := _SPAN.fullmatch(text.lower()):
        try:
            return now - int(found[1]) * _UNITS[found[2]]
        except OverflowError as error:
            raise InvalidValue(f"{said!r} is beyond the calendar", hint=_PAST_EXAMPLES) from error
    try:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.utcoffset() is not None else moment.replace(tzinfo=now.tzinfo)
        moment.timestamp()
    except (ValueError, OverflowError) as error:
        raise InvalidValue(f"{said!r} is no date, and no span of time", hint=_PAST_EXAMPLES) from error
    return moment


def _after(span: str, now: datetime) -> datetime:
    found = _SPAN.fullmatch(span.strip().lower())
    if not found:
        raise InvalidValue(f"{span!r} is no span of time", hint=_EXAMPLES)
    try:
        return now + int(found[1]) * _UNITS[found[2]]
    except OverflowError as error:
        raise InvalidValue(f"{span!r} is beyond the calendar", hint=_EXAMPLES) from error


def _at(until: str, now: datetime) -> datetime:
    text = until.strip()
    try:
        if _CLOCK.fullmatch(text):
            return _next(time.fromisoformat(text.zfill(5)), now)
        moment = datetime.fromisoformat(text)
        moment = moment if moment.utcoffset() is not None else moment.replace(tzinfo=now.tzinfo)
        moment.timestamp()  # a zone can push the first and the last day out of the calendar
    except (ValueError, OverflowError) as error:
        raise InvalidValue(f"{until!r} is no date or time", hint=_EXAMPLES) from error
    return moment


def _next(clock: time, now: datetime) -> datetime:
    """Return the next moment at which clocks show a time, by the wall clock of that day."""
    today = datetime.combine(now.date(), clock, now.tzinfo)
    return today if today > now else datetime.combine(now.date() + timedelta(days=1), clock, now.tzinfo)
