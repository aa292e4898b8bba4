"""Somebody who does what the doctor says: types the commands of a next step, over real files and a daemon's app."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import dataclass

import pytest

from tests.builders import FrozenClock
from tests.cli.routes import Routes
from tests.doctor.patients import Home
from wisen import lockfile
from wisen.cli.app import App as CommandLine
from wisen.cli.app import Daemon
from wisen.cli.main import run
from wisen.cli.screen import Screen
from wisen.compose import real_parts
from wisen.config import Paths
from wisen.core.findings import Severity
from wisen.daemon.app import App, build_app
from wisen.daemon.in_force import InForce
from wisen.errors import DaemonUnavailable
from wisen.state import failed_start

_TIME_MENDS = re.compile("last error|claude-code: the hooks are registered, and none was ever heard")
_ROUNDS = 6
_FOR_GOOD = {"forget", "restore-backup", "graphs", "backup rm"}  # commands that ask, unless told --yes


@dataclass
class Follower:
    """Who sits before a home. A daemon runs, in this process, from the first command that starts one."""

    home: Home
    capsys: pytest.CaptureFixture[str]
    running: App | None = None
    lock: int = -1  # which says that the files are in use
    said: str = ""

    def connect(self, paths: Paths, *, start: bool) -> Daemon:
        if self.running is None:
            if not start:
                raise DaemonUnavailable("no daemon answers")
            paths.state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            parts = real_parts(paths, self.home.env, clock=FrozenClock(self.home.now))
            self.running = build_app(InForce(paths, parts, self.home.env), on_shutdown=lambda: None)
            self.lock = lockfile.take(paths.data_lock_file, "") or -1
            failed_start.clear(paths)
        return Routes(self.running)

    def stop(self, _: Paths) -> bool:
        running, self.running = self.running, None
        if running:
            running.close()
            os.close(self.lock)
        return running is not None

    def types(self, command: str) -> None:
        """Type a command, which need not end well: what counts is what is wrong afterwards."""
        program, *arguments = shlex.split(command)
        if program != "wisen":
            done = subprocess.run(
                ["sh", "-c", command], cwd=self.home.root, capture_output=True, text=True, check=False
            )
            self.said += f"$ {command} -> {done.returncode}\n{done.stderr}"
            return
        more = ("--yes",) if {arguments[0], " ".join(arguments[:2])} & _FOR_GOOD else ()
        app = CommandLine(
            env=self.home.env,
            screen=Screen(terminal=False, colour=False, width=80),
            connect=self.connect,
            stop=self.stop,
            now=lambda: self.home.now,
        )
        code = run((*arguments, *more), app)
        out = self.capsys.readouterr()
        self.said += f"$ {command} -> {code}\n{out.out}{out.err}"

    def wrong(self) -> dict[str, str]:
        """Return everything that is not as it should be, with its next step."""
        checks = self.home.examined().items()
        return {
            f"{name}: {one.what} {one.where}": one.next_step
            for name, check in checks
            for one in check.findings
            if one.severity is not Severity.NOTE and not _TIME_MENDS.match(one.what)
        }

    def does_all_that_is_said(self) -> None:
        """Type what every next step says until nothing is wrong; each has to end what it was said of."""
        assert self.wrong()
        for _ in range(_ROUNDS):
            for what, step in self.wrong().items():
                self.said += f"--- {what}\n    next: {step}\n"
                if what in self.wrong():  # what was done for another may have ended it
                    self._does(what, step)
            if not self.wrong():
                return
        pytest.fail(f"it does not end: {self.said}")

    def _does(self, what: str, step: str) -> None:
        for command in re.findall("`([^`]+)`", step):
            self.types(command)
            if what not in self.wrong():
                return
        pytest.fail(self.said)
