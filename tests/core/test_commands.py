from __future__ import annotations

import pytest
from tests.builders import a_call

from wisen.adapters.shell import segments
from wisen.core.commands import head, is_looking, is_polling, is_slip, placed
from wisen.core.types import ToolCall


def call(command: str) -> ToolCall:
    return a_call(command=command, segments=segments(command))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest -q tests", ("pytest",)),
        ("gh pr view 12 --json title", ("gh", "pr", "view")),
        ("gh api repos/a/b/issues/7", ("gh", "api")),
        ("npm run lint -- --fix", ("npm", "run", "lint")),
        ("git -C web commit -m x", ("git", "commit")),
        ("git stash pop", ("git", "stash", "pop")),
        ("docker compose -f deploy/dev.yml up -d", ("docker", "compose", "up")),
        ("uv run pytest", ("pytest",)),
        ("uv pip install x", ("uv", "pip", "install")),
        ("python scripts/gen.py --all", ("python", "scripts/gen.py")),
        ("python -c 'print(1)'", ("python",)),
        ("acme deploy site --fast", ("acme", "deploy", "site")),
        ("acme deploy --stage dev", ("acme", "deploy")),
    ],
)
def test_a_head_is_what_makes_a_command_the_command_it_is(command: str, expected: tuple[str, ...]) -> None:
    assert head(segments(command)[0]) == expected


@pytest.mark.parametrize(
    ("command", "deciding", "shown"),
    [
        ("make", ["make"], ["make"]),
        ("cd web && make", ["cd", "make"], ["cd", "make"]),
        ("make | tail -3", ["tail"], ["tail"]),
        ("make || true", ["make", "true"], ["true"]),
        ("make; true", ["true"], ["true"]),
        ("make 2>&1; echo done", ["echo"], ["echo"]),
        ("make;", ["make"], ["make"]),
        ("a && b && c", ["a", "b", "c"], ["a", "b", "c"]),
        ("a\nb", ["b"], ["b"]),
        ("git commit -m \"$(cat <<'EOF'\na; b || c\nEOF\n)\"", ["git"], ["git"]),
        ("echo 'a; b | c' && make", ["echo", "make"], ["echo", "make"]),
        ("grep -E 'a|b' x", ["grep"], ["grep"]),
    ],
)
def test_the_parts_of_a_line_that_decide_and_that_its_success_shows(
    command: str, deciding: list[str], shown: list[str]
) -> None:
    parts = placed(call(command))
    assert [part.segment.program for part in parts if part.is_deciding] == deciding
    assert [part.segment.program for part in parts if part.is_shown] == shown


@pytest.mark.parametrize("line", ["(" * 5_000, '"$(' * 2_000, "<<A " * 1_500, "\\" * 4_000, "a|" * 400, "'\n" * 2_000])
def test_a_line_that_is_no_shell_is_read_in_time(line: str) -> None:
    placed(call(line))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("pytset", "pytest", True),
        ("comit", "commit", True),
        ("stauts", "status", True),
        ("python", "python3", False),
        ("pnpm", "npm", False),
        ("timeout", "gtimeout", False),
        ("test", "build", False),
        ("ls", "la", False),
        ("make", "make", False),
    ],
)
def test_a_slip_of_the_fingers_is_no_other_program(one: str, other: str, expected: bool) -> None:
    assert is_slip(one, other) is expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("grep -rn x src", True),
        ("sed -n 1,5p a.txt", True),
        ("sed -i s/a/b/ a.txt", False),
        ("git log --oneline", True),
        ("git commit -m x", False),
        ("gh pr view 1", True),
        ("gh pr create", False),
        ("cargo build --help", True),
        ("npm test", False),
        ("docker compose logs db", True),
    ],
)
def test_a_command_that_only_looks(command: str, expected: bool) -> None:
    assert is_looking(segments(command)[0]) is expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("sleep 30 && gh run list", True),
        ("gh pr checks 12", True),
        ("tail -f log/dev.log", True),
        ("ps aux | grep server", True),
        ("until curl -s localhost:8080/health; do true; done", True),
        ("make test", False),
        ("curl -fsS https://example.org/api", False),
        ("cat a.txt | tail -3", True),
        ("make test | tail -3", False),
    ],
)
def test_a_call_that_only_waits_for_something(command: str, expected: bool) -> None:
    assert is_polling(call(command)) is expected
