"""The surroundings of a command that runs as a process."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from wisen.cli.process import real_app


@pytest.mark.parametrize("name", ["Europe/Berlin", ":Europe/Berlin"])
def test_a_date_to_come_is_that_of_the_persons_zone_in_summer_and_in_winter(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("TZ", name)
    zone = real_app().now().tzinfo
    assert datetime(2027, 1, 1, tzinfo=zone).utcoffset() == timedelta(hours=1)
    assert datetime(2027, 7, 1, tzinfo=zone).utcoffset() == timedelta(hours=2)


@pytest.mark.parametrize("name", ["", "Nowhere/Nothing", "../../etc/passwd", "CET-1CEST", "\x01"])
def test_a_zone_that_has_no_name_is_still_a_zone(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("TZ", name)
    assert real_app().now().utcoffset() is not None
