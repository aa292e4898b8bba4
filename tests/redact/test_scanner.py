from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.worlds import World

from wisen.config import Settings
from wisen.redact import FloorRedactor, with_scanner
from wisen.redact.scanner import REST_S, ScannedRedactor

UNKNOWN = "zq81-kk27-tt90-ab34"  # nothing that the floor knows
TEXT = f"see ticket {UNKNOWN} for it"

REPORTS = {
    "gitleaks": [{"RuleID": "acme", "Secret": UNKNOWN, "Match": TEXT}],
    "kingfisher": [{"rule": {"id": "acme.1"}, "finding": {"snippet": UNKNOWN, "line": 1}}],
    "kingfisher-new": {"findings": [{"rule": {"id": "acme.1"}, "finding": {"snippet": UNKNOWN}}], "summary": {}},
}


class Clock:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def a_scanner(folder: Path, name: str, script: str) -> str:
    """Write a program that notes its arguments and runs a shell script; return its path."""
    program = folder / name
    program.write_text(f'#!/bin/sh\necho "$*" >> {folder}/calls\n{script}\n')
    program.chmod(0o700)
    return str(program)


def reporting(report: object, code: int) -> str:
    return f"cat > /dev/null\ncat <<'END'\n{json.dumps(report)}\nEND\nexit {code}"


def scanned(scanner: str, *, timeout_s: float = 10.0, clock: Clock | None = None) -> ScannedRedactor:
    path = "/usr/bin:/bin"
    return ScannedRedactor(
        FloorRedactor(), scanner, search_path=path, timeout_s=timeout_s, monotonic=clock or time.monotonic
    )


def calls(folder: Path) -> list[str]:
    file = folder / "calls"
    return file.read_text().splitlines() if file.exists() else []


def test_without_a_name_in_the_settings_there_is_no_scanner() -> None:
    floor = FloorRedactor()
    assert with_scanner(floor, "", {}) is floor


@pytest.mark.parametrize(("name", "code"), [("gitleaks", 1), ("kingfisher", 200), ("kingfisher-new", 200)])
def test_what_the_scanner_reports_goes_too(tmp_path: Path, name: str, code: int) -> None:
    redactor = scanned(a_scanner(tmp_path, name, reporting(REPORTS[name], code)))
    out = redactor.redact(TEXT)
    assert out == "see ticket [redacted:scanner] for it"
    assert redactor.redact(out) == out
    assert redactor.problems() == ()


def test_no_scanner_is_asked_to_try_a_secret_out(tmp_path: Path) -> None:
    for name, code in (("gitleaks", 0), ("kingfisher", 0)):
        scanned(a_scanner(tmp_path, name, reporting([], code))).redact(TEXT)
    gitleaks, kingfisher = calls(tmp_path)
    assert gitleaks.startswith("stdin ")
    assert "--no-validate" in kingfisher
    assert "--no-update-check" in kingfisher


@pytest.mark.parametrize(
    "script",
    ["exit 3", "cat > /dev/null; echo 'not json'", "cat > /dev/null; echo '[{\"Secret\": 5}]'", "kill -9 $$"],
    ids=["an exit of its own", "no report", "another report", "killed"],
)
def test_a_scanner_that_fails_leaves_the_floor_and_a_problem(tmp_path: Path, script: str) -> None:
    redactor = scanned(a_scanner(tmp_path, "gitleaks", script))
    assert redactor.redact(f"password=Tr0ub4dor9 {UNKNOWN}") == f"password=[redacted:secret] {UNKNOWN}"
    (problem,) = redactor.problems()
    assert "gitleaks" in problem
    assert UNKNOWN not in problem


def test_a_scanner_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    redactor = scanned(str(tmp_path / "gitleaks"))
    assert redactor.redact(TEXT) == TEXT
    assert redactor.problems()


def test_a_scanner_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    redactor = scanned(a_scanner(tmp_path, "gitleaks", f"sleep 1000 & echo $! > {tmp_path}/pid; wait"), timeout_s=0.5)
    assert redactor.redact(TEXT) == TEXT
    assert "TimeoutExpired" in redactor.problems()[0]
    started = int((tmp_path / "pid").read_text())
    with suppress(psutil.NoSuchProcess):
        assert psutil.Process(started).status() in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}


def test_after_a_failure_it_rests_and_then_it_is_tried_again(tmp_path: Path) -> None:
    clock = Clock()
    program = a_scanner(tmp_path, "gitleaks", "exit 3")
    redactor = scanned(program, clock=clock)
    for _ in range(5):
        redactor.redact(TEXT)
    assert len(calls(tmp_path)) == 1
    a_scanner(tmp_path, "gitleaks", reporting(REPORTS["gitleaks"], 1))
    clock.now += REST_S
    assert UNKNOWN not in redactor.redact(TEXT)
    assert redactor.problems() == ()


def test_it_is_not_run_for_what_holds_no_candidate_or_was_clean_before(tmp_path: Path) -> None:
    redactor = scanned(a_scanner(tmp_path, "gitleaks", reporting([], 0)))
    redactor.redact("we use pnpm here, not npm")
    assert calls(tmp_path) == []
    for _ in range(3):
        redactor.redact(TEXT)
    assert len(calls(tmp_path)) == 1


def test_the_setting_puts_the_scanner_before_all_that_is_kept(tmp_path: Path) -> None:
    program = a_scanner(tmp_path, "gitleaks", reporting(REPORTS["gitleaks"], 1))
    world = World(Settings(user_id="dev", secret_scanner=program))
    world.start()
    world.say(TEXT)
    assert "for it" in repr(vars(world.control))
    assert UNKNOWN not in repr(vars(world.control))
    a_scanner(tmp_path, "gitleaks", "exit 3")
    world.say(f"and {TEXT}")
    assert world.wisen.redactor.problems()
