"""A throw-away home of one user: repositories, the harness's first-run answers, the `wisen` command, processes."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

API_KEY = "sk-ant-api03-mock-00000000000000000000000000000000"
COMMAND_TIMEOUT_S = 60
POLL_S = 0.05
STOP_LIMIT_S = 5

# Nothing but the model is talked to: no telemetry, no updates, no market place.
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A finished `wisen` command."""

    code: int
    stdout: str
    stderr: str

    def json(self) -> object:
        """Return the parsed output of a command run with --json."""
        assert self.code == 0, f"exit {self.code}\n{self.stdout}\n{self.stderr}"
        value: object = json.loads(self.stdout)
        return value


@dataclass(slots=True, kw_only=True)
class Home:
    """The directory everything of one test lives in. `command` runs wisen; `model_url` answers the harness."""

    root: Path
    harness: Path
    model_url: str
    command: tuple[str, ...] = (str(Path(sys.prefix) / "bin" / "wisen"),)
    extra_env: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The user's home directory."""
        return self.root / "home"

    @property
    def settings(self) -> Path:
        """The harness's user settings, the file wisen registers in."""
        return self.path / ".claude" / "settings.json"

    @property
    def state(self) -> Path:
        """Where wisen keeps its log and its socket."""
        return self.path / ".local" / "state" / "wisen"

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of every program of the test."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.path),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "GIT_CONFIG_NOSYSTEM": "1",
            "ANTHROPIC_BASE_URL": self.model_url,
            "ANTHROPIC_API_KEY": API_KEY,
            **QUIET,
            **self.extra_env,
        }

    def prepare(self) -> None:
        """Make the home, as one that has used the harness before and said yes to its first questions."""
        self.settings.parent.mkdir(parents=True)
        self._answer({})

    def repo(self, name: str, remote: str = "") -> Path:
        """Make a repository with one commit that the harness trusts. `remote`: the URL of origin."""
        path = self.root / name
        path.mkdir()
        who = ("-c", "user.name=Dev", "-c", "user.email=dev@example.org")
        self.git(path, "init", "--quiet", "--initial-branch=main")
        (path / "README.md").write_text(f"{name}\n")
        self.git(path, "add", "README.md")
        self.git(path, *who, "commit", "--quiet", "--message", f"start {name}")
        if remote:
            self.git(path, "remote", "add", "origin", remote)
        answers = json.loads((self.path / ".claude.json").read_text())
        self._answer({**answers["projects"], str(path): {"hasTrustDialogAccepted": True}})
        return path

    def wisen(self, *args: str, cwd: Path | None = None) -> Done:
        """Run the `wisen` command as the user would."""
        done = subprocess.run(
            [*self.command, *args],
            cwd=cwd or self.path,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_TIMEOUT_S,
            check=False,
        )
        return Done(code=done.returncode, stdout=done.stdout, stderr=done.stderr)

    def must(self, *args: str, cwd: Path | None = None) -> str:
        """Run `wisen` and return its output; anything but success fails the test with what it said."""
        done = self.wisen(*args, cwd=cwd)
        assert done.code == 0, f"wisen {' '.join(args)}: exit {done.code}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def install(self) -> None:
        """Register wisen with the harness."""
        self.must("install", "claude-code")

    def texts(self, cwd: Path, *, waiting: bool = False) -> list[str]:
        """Return the texts of the memories of a repository: the active ones, or those that wait for review."""
        rows = self.wisen("review" if waiting else "list", "--json", cwd=cwd).json()
        rows = rows["memories"] if isinstance(rows, dict) else rows
        assert isinstance(rows, list)
        return [str(row["text"]) for row in rows]

    def processes(self) -> list[psutil.Process]:
        """Return the living processes that belong to this home, by their HOME variable."""
        return [p for p in psutil.process_iter() if _home_of(p) == str(self.path)]

    def stop(self) -> None:
        """Stop the daemon and see it gone."""
        self.must("daemon", "stop")
        self.wait_for_quiet()

    def wait_for_quiet(self) -> None:
        """See that no process of this home is left; one that was told to end may still be about it."""
        eventually(lambda: self.processes() == [], "no process is left", timeout_s=STOP_LIMIT_S)

    def daemon(self) -> psutil.Process:
        """Return the running daemon. Raises AssertionError when there is none, or more than one."""
        found = [p for p in self.processes() if "daemon" in " ".join(p.cmdline())]
        assert len(found) == 1, f"daemons: {[p.cmdline() for p in found]}"
        return found[0]

    def end(self) -> None:
        """End what still runs in this home."""
        for process in self.processes():
            try:
                process.resume()
                process.kill()
                process.wait(timeout=10)
            except psutil.NoSuchProcess:
                continue

    def _answer(self, projects: Mapping[str, object]) -> None:
        """Write the answers to the harness's first-run, trust and API-key questions; what else is there stays."""
        file = self.path / ".claude.json"
        answers = json.loads(file.read_text()) if file.exists() else {}
        answers |= {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [API_KEY[-20:]], "rejected": []},
            "projects": projects,
        }
        file.write_text(json.dumps(answers))

    def git(self, repo: Path, *args: str) -> None:
        """Run git in a repository."""
        subprocess.run(
            ["git", *args], cwd=repo, env=self.env, check=True, capture_output=True, timeout=COMMAND_TIMEOUT_S
        )


def _home_of(process: psutil.Process) -> str:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return ""
        return str(process.environ().get("HOME", ""))
    except (psutil.Error, OSError):  # gone meanwhile, or another user's
        return ""


def eventually(holds: Callable[[], bool], what: str, *, timeout_s: float = 20) -> None:
    """Wait until `holds()`; fail the test with `what` when it does not within the time."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, f"not within {timeout_s} s: {what}"
        time.sleep(POLL_S)


def tree(root: Path) -> dict[str, str]:
    """Return every entry below `root` with its mode and its content (a digest, or where a link points)."""
    return {str(path.relative_to(root)): _entry(path) for path in sorted(root.rglob("*"))}


def _entry(path: Path) -> str:
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        content = str(path.readlink())
    elif stat.S_ISREG(found.st_mode):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
    else:
        content = ""
    return f"{stat.filemode(found.st_mode)} {content}"
