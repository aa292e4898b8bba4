from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.adapters.shell import MAX_SEGMENTS, MAX_TEXT_CHARS, segments
from wisen.core.types import ShellSegment


def seg(program: str, subcommand: str = "", flags: str = "", *words: str) -> ShellSegment:
    return ShellSegment(program=program, subcommand=subcommand, flags=tuple(flags.split()), words=words)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest -q tests", [seg("pytest", "", "-q", "tests")]),
        ("FOO=1 BAR=2 pytest", [seg("pytest")]),
        ("env -u X FOO=1 pytest", [seg("pytest")]),
        ("sudo -u bob make install", [seg("make", "install")]),
        ("time -p make test", [seg("make", "test")]),
        ("timeout -s KILL 60 go test ./...", [seg("go", "test", "", "./...")]),
        ("uv run --with rich pytest -q", [seg("pytest", "", "-q")]),
        ("npx -p typescript tsc --noEmit", [seg("tsc", "", "--noEmit")]),
        ("poetry run ruff check .", [seg("ruff", "check", "", ".")]),
        ("sudo env A=1 nice -n 5 uv run pytest", [seg("pytest")]),
        ("python3 -m pytest -x", [seg("pytest", "", "-x")]),
        ("python3 check.py", [seg("python3", "", "", "check.py")]),
        ("/usr/local/bin/npm run build:prod", [seg("npm", "run", "", "build:prod")]),
        ("git -C sub commit -m 'two words'", [seg("git", "commit", "-m", "two words")]),
        ("git --no-pager log", [seg("git", "log")]),
        ("kubectl -n prod get pods", [seg("kubectl", "get", "", "pods")]),
        ("pip install --index-url=https://x.invalid httpx", [seg("pip", "install", "--index-url", "httpx")]),
        ("echo \"a b\" c\\ d 'e f'g", [seg("echo", "", "", "a b", "c d", "e fg")]),
    ],
)
def test_a_simple_command_is_the_program_that_does_the_work(command: str, expected: list[ShellSegment]) -> None:
    assert list(segments(command)) == expected


@pytest.mark.parametrize(
    ("command", "env", "wrapper", "options"),
    [
        ("pytest -q", (), (), ()),
        ("FOO=1 BAR=2 pytest", ("FOO", "BAR"), (), ()),
        ("env -u X FOO=1 pytest", ("FOO",), ("env", "-u", "X"), ()),
        ("export FOO=1 && pytest", ("FOO",), (), ()),
        ("sudo env A=1 nice -n 5 uv run pytest", ("A",), ("sudo", "env", "nice", "-n", "5", "uv", "run"), ()),
        ("mise exec -- env GOCACHE=/tmp/c go test", ("GOCACHE",), ("mise", "exec", "--", "env"), ()),
        ("git -C sub --no-pager log", (), (), ("-C", "--no-pager")),
    ],
)
def test_what_stands_before_a_program_is_kept_beside_it(
    command: str, env: tuple[str, ...], wrapper: tuple[str, ...], options: tuple[str, ...]
) -> None:
    (found,) = segments(command)
    assert (found.env, found.wrapper, found.options, found.text) == (
        env,
        wrapper,
        options,
        command.rpartition("&& ")[2],
    )


def test_the_text_of_a_segment_is_cut() -> None:
    assert len(segments(f"echo {'x' * 10_000}")[0].text) == MAX_TEXT_CHARS


def test_what_stands_before_a_program_does_not_make_it_another_command() -> None:
    assert segments("FOO=1 uv run pytest -q") == segments("pytest -q")


def test_the_first_word_of_a_program_of_ones_own_is_its_command() -> None:
    assert list(segments("acme deploy site; acme --fast x; acme a/b; cat notes")) == [
        seg("acme", "deploy", "", "site"),
        seg("acme", "", "--fast", "x"),
        seg("acme", "", "", "a/b"),
        seg("cat", "", "", "notes"),
    ]


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("cd web && pnpm test", ["cd", "pnpm"]),
        ("make 2>&1 | tail -5 > out.txt", ["make", "tail"]),
        ("pytest || true; echo done &", ["pytest", "true", "echo"]),
        ("echo $(git rev-parse HEAD)", ["echo", "git"]),
        ("if test -f x; then make; else cmake .; fi", ["test", "make", "cmake"]),
        ("for f in *.py; do ruff check $f; done", ["ruff"]),
        ("(cd a; ls) && { pwd; }", ["cd", "ls", "pwd"]),
        ("cat <<EOF | sort\nrm -rf /\nEOF", ["cat", "sort"]),
        ("# rm -rf /\nls", ["ls"]),
        ("", []),
        ("FOO=1", []),
        ("uv run", ["uv"]),
        ("sudo", ["sudo"]),
    ],
)
def test_a_line_is_its_commands_in_order(command: str, programs: list[str]) -> None:
    assert [segment.program for segment in segments(command)] == programs


@pytest.mark.parametrize(
    "command", ["'", '"unclosed', "foo (", "if then", "&& ||", "$((", "\x00", "\ud800", "ls;" * 5_000]
)
def test_broken_shell_is_read_as_far_as_it_goes(command: str) -> None:
    assert len(segments(command)) <= MAX_SEGMENTS


def test_deep_nesting_is_no_recursion() -> None:
    assert len(segments("$(" * 3_000 + "ls" + ")" * 3_000)) <= MAX_SEGMENTS


@given(st.text(st.characters(), max_size=200))
def test_no_text_raises(command: str) -> None:
    for segment in segments(command):
        assert segment.program


def test_commands_are_parsed_in_parallel_threads() -> None:
    found: list[tuple[ShellSegment, ...]] = []
    threads = [threading.Thread(target=lambda: found.append(segments("a | b && c"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [[s.program for s in one] for one in found] == [["a", "b", "c"]] * 8


def test_the_grammar_is_loaded_at_the_first_command_not_at_import() -> None:
    code = (
        "import sys; from wisen.adapters import registry; assert 'tree_sitter' not in sys.modules;"
        "from wisen.adapters.shell import segments; segments('ls'); assert 'tree_sitter' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
