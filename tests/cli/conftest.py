from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.cli.stage import HERE, FakeDaemon, Ran, Wisen, play, staged


@pytest.fixture
def daemon() -> FakeDaemon:
    """A daemon that knows the repository, and where nothing waits and no session was seen."""
    return FakeDaemon(
        {
            "GET /v1/repo": HERE,
            "GET /v1/review": {"memories": []},
            "GET /v1/heard": {"session_id": "", "started_at": None, "heard": []},
            "GET /v1/health": {"version": "0.1.0", "pid": 4711, "ready": True, "protocol": 1},
            "GET /v1/status": {"version": "0.1.0", "pid": 4711},
        }
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def wisen(daemon: FakeDaemon, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Wisen:
    """Run the command line as `wisen("list", "--all")`; `types` is what the person types."""

    def call(
        *arguments: str, terminal: bool = False, width: int = 80, types: str = "", colour: bool = False, **env: str
    ) -> Ran:
        monkeypatch.setattr("sys.stdin", io.StringIO(types))
        capsys.readouterr()
        around = {"HOME": str(home), "WISEN_HOME": str(home / "wisen"), **env}
        code = play(staged(daemon, around, terminal=terminal, width=width, colour=colour), *arguments)
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return call
