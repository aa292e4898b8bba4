from __future__ import annotations

import ast
import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wisen
from wisen.daemon.logfile import VALUE_MAX, Lines
from wisen.errors import StoreError

LOGS = re.compile(r"_?log(ger)?\.(debug|info|warning|error|exception|critical)")

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


def line_of(message: str = "event", *, tells_all: bool = False, **extra: object) -> str:
    record = logging.makeLogRecord({"name": "wisen.a", "levelname": "INFO", "msg": message, **extra})
    return Lines(tells_all=tells_all).format(record).partition(" INFO ")[2]


def test_what_an_event_carries_is_told_after_its_name() -> None:
    assert line_of(job="promote", added=2, error="no space left", empty="") == (
        'wisen.a event job=promote added=2 error="no space left" empty=""'
    )


@given(st.text(max_size=400))
def test_a_value_is_one_word_of_one_line_whatever_is_in_it(value: str) -> None:
    line = line_of(value=value)
    assert line.isprintable()
    assert line.startswith("wisen.a event value=")
    word = line.removeprefix("wisen.a event value=")
    assert " " not in word or (word.startswith('"') and word.endswith('"'))
    assert len(word) <= VALUE_MAX * 10 + 5


def test_a_value_is_cut_where_it_is_too_long() -> None:
    assert line_of(value="x" * 1000) == f"wisen.a event value={'x' * VALUE_MAX}..."


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (StoreError("the disk is full"), "StoreError: the disk is full"),
        (OSError(28, "No space left"), "OSError: [Errno 28] No space left"),
        (ValueError("my dog is called Rex"), "ValueError"),
        (KeyError("hunter2"), "KeyError"),
    ],
    ids=["ours", "the system's", "a library's", "a lookup's"],
)
def test_an_error_is_told_with_its_frames_and_without_what_it_may_quote(error: Exception, said: str) -> None:
    with pytest.raises(type(error)) as raised:
        raise error
    info = (raised.type, raised.value, raised.tb)
    shown, told_all = line_of(exc_info=info).splitlines(), line_of(exc_info=info, tells_all=True)
    assert shown[0] == "wisen.a event"
    assert "test_logfile.py" in shown[1]
    assert shown[-1] == said
    assert str(error) in told_all


def test_an_event_has_one_word_of_a_name() -> None:
    """What varies is in `extra`: so a log can be searched, and no sentence can quote what the user said."""
    names = [
        (f"{module}:{node.lineno}", ast.literal_eval(node.args[0]))
        for module in Path(wisen.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Call) and LOGS.fullmatch(ast.unparse(node.func))
    ]
    assert len(names) > 10
    assert [name for name in names if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name[1])] == []


def test_whatever_is_printed_or_logged_goes_to_a_private_file(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    run(
        log,
        "import logging; print('out', flush=True); os.write(2, b'raw\\n');"
        "logging.getLogger('a').info('event', extra={'n': 1})",
    )
    out, raw, event = log.read_text().splitlines()
    assert (out, raw) == ("out", "raw")
    assert event.endswith(" INFO a event n=1")
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


LEAKS = (
    "GET /v1 failed: Authorization: Bearer 9f8e7d6c5b4a39281706f5e4d3c2b1a0",
    "bad value: token = 'Zx81Qw92ErTy73Ui' for api_key",
    "could not connect to postgres://app:s3cr3tP4ss@db:5432/a",
    "the password is hunter2",
)
SECRETS = ("9f8e7d6c5b4a39281706f5e4d3c2b1a0", "Zx81Qw92ErTy73Ui", "s3cr3tP4ss", "hunter2")


def test_a_secret_is_taken_out_before_a_value_is_cut() -> None:
    token = "ghp_" + "aZ3kQ9mB7xR2tY5wE8uI1oP4sD6fG0hJcVnL"
    assert token[:8] not in line_of(value="x" * (VALUE_MAX - 20) + " " + token)


@pytest.mark.row("K4")
@pytest.mark.parametrize(
    ("said", "secret"), list(zip(LEAKS, SECRETS, strict=True)), ids=["header", "name", "url", "sentence"]
)
def test_no_secret_is_in_the_log_whoever_wrote_it_there_and_whatever_is_told(said: str, secret: str) -> None:
    error = ValueError(said)
    for told_all in (False, True):
        shown = (
            line_of(said, tells_all=told_all)
            + line_of(value=said, tells_all=told_all)
            + line_of(exc_info=(ValueError, error, None), tells_all=told_all)
        )
        assert secret not in shown


STRAYS = {
    "uncaught": "raise ValueError(said)",
    "in a thread": "import threading; threading.Thread(target=exec, args=['raise ValueError(said)', vars()]).start()",
    "in a finaliser": "class A:\n    def __del__(self): raise ValueError(said)\nA()",
    "a warning": "import warnings; warnings.warn(said)",
    "a record that can't be formatted": "import logging; logging.getLogger('x').error('%d', said)",
}


@pytest.mark.row("K4")
@pytest.mark.parametrize("stray", STRAYS.values(), ids=STRAYS)
def test_what_python_would_print_by_itself_is_logged_without_secrets_too(stray: str, tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    then = f"said = {LEAKS[2]!r}\n{stray}"
    subprocess.run([sys.executable, "-I", "-c", SCRIPT + then, str(log)], check=False, timeout=30)
    assert "s3cr3tP4ss" not in log.read_text()
