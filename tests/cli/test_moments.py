"""When a person means, in their own time zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from wisen.cli.moments import moment_meant
from wisen.errors import UsageError

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 10, 20, 9, 30, tzinfo=BERLIN)  # summer time; winter begins five days later


@pytest.mark.parametrize(
    ("span", "delta"),
    [
        (None, timedelta(days=7)),
        ("90min", timedelta(minutes=90)),
        ("12h", timedelta(hours=12)),
        (" 7 D ", timedelta(days=7)),
        ("2w", timedelta(weeks=2)),
    ],
)
def test_a_span_counts_from_now(span: str | None, delta: timedelta) -> None:
    assert moment_meant(span, None, NOW) == NOW + delta


@pytest.mark.parametrize(
    ("until", "moment"),
    [
        ("2026-12-24", datetime(2026, 12, 23, 23, 0, tzinfo=UTC)),
        ("2026-10-21", datetime(2026, 10, 20, 22, 0, tzinfo=UTC)),
        ("2026-12-24 09:00", datetime(2026, 12, 24, 8, 0, tzinfo=UTC)),
        ("2026-12-24T09:00:00+05:30", datetime(2026, 12, 24, 3, 30, tzinfo=UTC)),
        ("2026-12-24T09:00Z", datetime(2026, 12, 24, 9, 0, tzinfo=UTC)),
        ("9:31", datetime(2026, 10, 20, 7, 31, tzinfo=UTC)),
        (" 09:30", datetime(2026, 10, 21, 7, 30, tzinfo=UTC)),
        ("00:00", datetime(2026, 10, 20, 22, 0, tzinfo=UTC)),
    ],
)
def test_a_date_is_that_of_the_persons_zone_also_beyond_the_end_of_summer_time(until: str, moment: datetime) -> None:
    assert moment_meant(None, until, NOW) == moment


@pytest.mark.parametrize(
    ("span", "until"),
    [
        ("1d", "2027-01-01"),
        ("0d", None),
        ("-1d", None),
        ("7", None),
        ("tomorrow", None),
        ("999999w", None),
        (None, "2026-10-20"),
        (None, "2026-10-20 09:30"),
        (None, "1970-01-01"),
        (None, "0001-01-01"),
        (None, "2026-02-30"),
        (None, "24.12.2026"),
        (None, "christmas"),
        (None, " "),
        (None, ""),
        ("", None),
        (" ", None),
        ("", ""),
    ],
)
def test_what_names_no_time_to_come_is_refused(span: str | None, until: str | None) -> None:
    with pytest.raises(UsageError) as refused:
        moment_meant(span, until, NOW)
    assert "--for" in refused.value.hint
