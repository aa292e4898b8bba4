"""A model on this machine talks to nobody and writes nothing, from being looked for to being let go."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.security.test_confinement import a_tracer

pytestmark = [pytest.mark.model, pytest.mark.slow]

PROGRAM = """
from pathlib import Path
from wisen.models.chain import EmbedderChain, EmbeddingConfig
chain = EmbedderChain(EmbeddingConfig(cache=Path("/nonexistent"), idle_s=0.0))
space, found, weight = chain.query("how are the tests started?", within=60)
chain.now(within=60).embed(["one", "another"] * 40)
while not chain.release_if_idle() and chain.is_loaded():
    pass
chain.close()
print(space.model)
"""


def test_a_model_talks_to_nobody_and_writes_nothing(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    traced = "trace=socket,connect,sendto,mkdir,mkdirat,rename,renameat2,openat,creat"
    argv = [*a_tracer(), "-f", "-qq", "-o", str(calls), "-e", traced, sys.executable, "-B", "-c", PROGRAM]
    run = subprocess.run(argv, env={"HOME": str(tmp_path)}, capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, run.stdout.strip()) == (0, "all-MiniLM-L6-v2-int8"), run.stderr
    seen = calls.read_text(encoding="utf-8").splitlines()
    assert any("model.onnx" in call for call in seen)
    assert [call for call in seen if "openat(" not in call or "O_WRONLY" in call or "O_RDWR" in call] == []
