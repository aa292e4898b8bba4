"""Fixtures of the end-to-end tests. A failed test leaves its evidence in its tmp_path and says where."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.e2e.claude_code import ClaudeCode
from tests.e2e.home import Home
from tests.e2e.mockllm import MockModel

HERE = Path(__file__).parent
CHECKOUT = HERE.parent.parent
FAILED = pytest.StashKey[bool]()
SHOP = "https://github.com/acme/shop.git"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.allow_hosts(["127.0.0.1"]))
            item.add_marker(pytest.mark.timeout(180, func_only=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(scope="session")
def harness() -> Path:
    """The pinned harness binary, installed when it is not there yet."""
    script = CHECKOUT / "scripts" / "harness.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


@pytest.fixture
def model() -> Iterator[MockModel]:
    """The scripted model."""
    with MockModel() as model:
        yield model
        assert model.unexpected == [], "the harness asked for something else than the model"


@pytest.fixture
def home(harness: Path, model: MockModel, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Home]:
    """An empty throw-away home. It lies directly in /tmp, as socket paths must be short."""
    with tempfile.TemporaryDirectory(prefix="e2e-", dir="/tmp", ignore_cleanup_errors=True) as root:
        home = Home(root=Path(root), harness=harness, model_url=model.url)
        home.prepare()
        try:
            yield home
        finally:
            home.end()
            if request.node.stash.get(FAILED, False):
                _keep_evidence(home, model, tmp_path / "evidence")


@pytest.fixture
def shop(home: Home) -> ClaudeCode:
    """The harness in a repository with a remote, wisen installed."""
    home.install()
    return ClaudeCode(home, home.repo("shop", SHOP))


def _keep_evidence(home: Home, model: MockModel, to: Path) -> None:
    """Copy what explains a failure: the model's requests, the screens, the harness's and wisen's own files."""
    to.mkdir(parents=True)
    (to / "requests.jsonl").write_bytes(b"\n".join(r.raw for r in model.requests))
    (to / "kinds.json").write_text(json.dumps([r.kind for r in model.requests]))
    for path in home.root.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            target = to / path.relative_to(home.root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    print(f"\nevidence of the failure: {to}", file=sys.stderr)
