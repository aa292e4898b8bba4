"""Claude Code's real terminal program in tmux: typed into with keys, read from the screen."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.e2e.claude_code import ALLOWED
from tests.e2e.home import Home, eventually

SCREEN = ("-x", "200", "-y", "60")


@dataclass(slots=True)
class Terminal:
    """One interactive session; a context manager. Screens worth keeping are in `home.root/screens`."""

    home: Home
    repo: Path
    flags: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        command = (str(self.home.harness), *ALLOWED, *self.flags)
        self._tmux("new-session", "-d", "-s", "main", *SCREEN, "-c", str(self.repo), *command)
        eventually(lambda: self._input() != "", "the harness takes input", timeout_s=30)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.is_open():
            self._keep()
            self._tmux("kill-server")

    def say(self, text: str) -> None:
        """Type a line (it must fit on one) and send it with the return key; return when the harness has taken it."""
        self._tmux("send-keys", "-t", "main", "-l", text)
        # The keys must have arrived: a return key in the middle of them counts as pasted.
        eventually(lambda: text in self._input(), f"{text!r} typed")
        self._tmux("send-keys", "-t", "main", "Enter")
        eventually(lambda: text not in self._input(), f"{text!r} sent")

    def wait_for(self, text: str, *, timeout_s: float = 30) -> None:
        """Wait until `text` is on the screen."""
        try:
            eventually(lambda: text in self.screen(), f"{text!r} on the screen", timeout_s=timeout_s)
        except AssertionError:
            self._keep()
            raise

    def screen(self) -> str:
        """Return what is on the screen now."""
        return self._tmux("capture-pane", "-p", "-t", "main").stdout

    def leave(self) -> None:
        """Type /exit and wait until the program has ended."""
        self._keep()
        self.say("/exit")
        eventually(lambda: not self.is_open(), "the harness ends", timeout_s=30)

    def is_open(self) -> bool:
        """Say whether the program still runs."""
        return self._tmux("has-session", "-t", "main").returncode == 0

    def _input(self) -> str:
        """Return the line being typed: the last prompt on the screen."""
        return next((line for line in reversed(self.screen().splitlines()) if line.startswith("❯")), "")

    def _keep(self) -> None:
        screens = self.home.root / "screens"
        screens.mkdir(exist_ok=True)
        name = f"{self.repo.name}-{len(list(screens.iterdir())):02}.txt"
        (screens / name).write_text(self.screen())

    def _tmux(self, *args: str) -> subprocess.CompletedProcess[str]:
        # A server of its own: neither the user's sessions nor their configuration are touched.
        command = ["tmux", "-S", str(self.home.root / "tmux"), "-f", "/dev/null", *args]
        return subprocess.run(command, env=self.home.env, capture_output=True, text=True, timeout=30, check=False)
