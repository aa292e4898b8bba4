from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, sys
from pathlib import Path
from wisen.daemon import logfile
logfile.MAX_BYTES = 100
file = logfile.LogFile(Path(sys.argv[1]))
logfile.log_to_stderr(20)
"""


def run(log: Path, then: str) -> None:
    """Run in a process of its own: the subject is its standard output and error."""
    subprocess.run([sys.executable, "-I", "-c", SCRIPT + then, str(log)], check=True, timeout=30)


def test_whatever_is_printed_or_logged_goes_to_a_private_file(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    run(log, "import logging; print('out', flush=True); os.write(2, b'raw\\n'); logging.getLogger('a').info('event')")
    out, raw, event = log.read_text().splitlines()
    assert (out, raw) == ("out", "raw")
    assert event.endswith(" INFO a event")
    assert log.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("when", ["file.keep_small()", "logfile.LogFile(Path(sys.argv[1]))"], ids=["later", "at start"])
def test_a_file_that_grew_is_set_aside_once(tmp_path: Path, when: str) -> None:
    log = tmp_path / "daemon.log"
    run(log, f"os.write(2, b'x' * 200); {when}; os.write(2, b'y' * 200); {when}; os.write(2, b'z')")
    assert log.read_text() == "z"
    assert (tmp_path / "daemon.log.1").read_text() == "y" * 200
    assert len(list(tmp_path.iterdir())) == 2


def test_a_small_file_is_gone_on_with(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    log.write_text("before\n")
    run(log, "file.keep_small(); os.write(2, b'after')")
    assert log.read_text() == "before\nafter"


def test_a_file_that_was_deleted_is_made_again(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    run(log, "Path(sys.argv[1]).unlink(); file.keep_small(); os.write(2, b'after')")
    assert log.read_text() == "after"
