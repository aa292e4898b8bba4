"""The real OpenCode: one headless run, or its terminal program in tmux."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.e2e.home import Home, eventually
from tests.e2e.mockllm import Call

RUN_TIMEOUT_S = 120
START_TIMEOUT_S = 60
SCREEN = ("-x", "160", "-y", "45")

# Nothing but the model is talked to. Beside a plugin of the user's OpenCode wants a package of its own from a registry,
# and does without it when that fails.
QUIET = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_SHARE": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "npm_config_registry": "http://127.0.0.1:9/",
    "npm_config_fetch_retries": "0",
}


def shell(command: str) -> Call:
    """Return a call of OpenCode's shell tool."""
    return Call(tool="bash", arguments={"command": command, "description": "a scripted step"})


def subtask(prompt: str) -> Call:
    """Return a call that hands `prompt` to a subagent."""
    return Call(tool="task", arguments={"description": "a part", "prompt": prompt, "subagent_type": "general"})


def remembering(mode: str, text: str = "") -> Call:
    """Return a call of our own tool."""
    return Call(tool="wisen", arguments={"mode": mode, "text": text})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A finished run of `opencode run`."""

    code: int
    stdout: str
    stderr: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCode:
    """OpenCode in one repository of a home."""

    home: Home
    repo: Path
    binary: Path
    env: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def configure(home: Home) -> None:
        """Write the user's settings: the scripted model, and no questions asked."""
        models = {name: {"name": name, "limit": {"context": 100_000, "output": 4_000}} for name in ("main", "small")}
        options = {"baseURL": f"{home.model_url}/v1", "apiKey": "sk-mock"}
        provider = {"npm": "@ai-sdk/anthropic", "name": "Mock", "options": options, "models": models}
        settings = {
            "$schema": "https://opencode.ai/config.json",
            "autoupdate": False,
            "share": "disabled",
            "model": "mock/main",
            "small_model": "mock/small",
            "provider": {"mock": provider},
            "permission": {"*": "allow"},
        }
        file = home.path / ".config" / "opencode" / "opencode.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))

    def ask(self, prompt: str, *flags: str) -> Run:
        """Run one prompt to its end; `-c` continues the last conversation."""
        began = time.monotonic()
        done = subprocess.run(
            [str(self.binary), "run", *flags, prompt],
            cwd=self.repo,
            env=self.whole_env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_TIMEOUT_S,
            check=False,
        )
        return Run(code=done.returncode, stdout=done.stdout, stderr=done.stderr, seconds=time.monotonic() - began)

    @property
    def whole_env(self) -> dict[str, str]:
        """The environment of every run."""
        return {**self.home.env, **QUIET, **self.env}


@dataclass(slots=True)
class Tui:
    """One interactive session; a context manager. Screens worth keeping are in `home.root/screens`."""

    code: OpenCode
    flags: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        command = (str(self.code.binary), *self.flags)
        self._tmux("new-session", "-d", "-s", "oc", *SCREEN, "-c", str(self.code.repo), *command)
        eventually(lambda: "ctrl+p commands" in self.screen(), "OpenCode takes input", timeout_s=START_TIMEOUT_S)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.is_open():
            self._keep()
            self._tmux("kill-server")

    def say(self, text: str) -> None:
        """Type a line and send it with the return key."""
        self._tmux("send-keys", "-t", "oc", "-l", text)
        eventually(lambda: text in self.screen(), f"{text!r} typed")
        self._tmux("send-keys", "-t", "oc", "Enter")

    def wait_for(self, text: str, *, timeout_s: float = 30) -> None:
        """Wait until `text` is on the screen."""
        try:
            eventually(lambda: text in self.screen(), f"{text!r} on the screen", timeout_s=timeout_s)
        except AssertionError:
            self._keep()
            raise

    def screen(self) -> str:
        """Return what is on the screen now."""
        return self._tmux("capture-pane", "-p", "-t", "oc").stdout

    def leave(self) -> None:
        """End the program as its user does, and wait until it has ended."""
        self._keep()

        def ends() -> bool:
            self._tmux("send-keys", "-t", "oc", "C-c")
            time.sleep(0.5)
            return not self.is_open()

        eventually(ends, "OpenCode ends", timeout_s=30)

    def is_open(self) -> bool:
        """Say whether the program still runs."""
        return self._tmux("has-session", "-t", "oc").returncode == 0

    def _keep(self) -> None:
        screens = self.code.home.root / "screens"
        screens.mkdir(exist_ok=True)
        name = f"{self.code.repo.name}-{len(list(screens.iterdir())):02}.txt"
        (screens / name).write_text(self.screen())

    def _tmux(self, *args: str) -> subprocess.CompletedProcess[str]:
        command = ["tmux", "-S", str(self.code.home.root / "tmux"), "-f", "/dev/null", *args]
        env = self.code.whole_env
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=30, check=False)
