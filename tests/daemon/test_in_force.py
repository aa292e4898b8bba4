"""A settings file that was changed by hand holds at once; one that can't be read switches everything off."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.worlds import World

from wisen.compose import Parts
from wisen.config import Paths, paths
from wisen.daemon.in_force import InForce
from wisen.redact import FloorRedactor


@pytest.fixture
def where(tmp_path: Path) -> Paths:
    return paths({"WISEN_HOME": str(tmp_path), "HOME": str(tmp_path)})


@pytest.fixture
def in_force(where: Paths) -> InForce:
    world = World()
    parts = Parts(
        control=world.control,
        graphs=world.graphs,
        probe=world.probe,
        redactor=FloorRedactor(),
        clock=world.clock,
        ids=world.wisen.ids,
    )
    return InForce(where, parts, {"USER": "dev"})


def write(where: Paths, text: str) -> None:
    where.config_file.write_text(text)
    stat = where.config_file.stat()
    os.utime(where.config_file, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1_000_000))


def test_without_a_change_it_is_the_same_wisen(in_force: InForce) -> None:
    assert in_force.wisen is in_force.wisen
    assert in_force.problems == ()


def test_a_change_by_hand_holds_at_once_over_the_same_stores(in_force: InForce, where: Paths) -> None:
    before = in_force.wisen
    assert not before.locator.is_excluded("/home/dev/clients/a")
    write(where, 'exclude = ["/home/dev/clients/*"]\n')
    assert in_force.wisen.locator.is_excluded("/home/dev/clients/a")
    assert in_force.wisen.control is before.control
    where.config_file.unlink()
    assert not in_force.wisen.locator.is_excluded("/home/dev/clients/a")


def test_settings_that_cannot_be_read_switch_everything_off_and_say_so(in_force: InForce, where: Paths) -> None:
    write(where, 'excludes = ["/x"]\n')
    off = in_force.wisen.settings
    assert (off.learn, off.recall) == (False, False)
    assert "excludes" in in_force.problems[0]
    write(where, "learn = true\n")
    mended = in_force.wisen.settings
    assert (mended.learn, mended.recall) == (True, True)
    assert in_force.problems == ()
