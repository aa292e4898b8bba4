"""learn claude-code and learn guide: what is read, in which order, and what is said of it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.stage import REPO, Asked, FakeDaemon, Wisen
from tests.pastfiles import ASKED, RULE, user, write
from wisen.errors import StoreError

DAY = 24 * 60.0


def answered(**over: Any) -> dict[str, Any]:
    return {"fate": "read", "events": 3, "signals": 1, "split": {"typed": 2}, "batch": "b" * 36, **over}


def made(short: str = "3f2a91bc", **over: Any) -> dict[str, Any]:
    return {"short": short, "graph": REPO, "text": "Use pnpm here, not npm.", "status": "active", **over}


@pytest.fixture
def projects(home: Path) -> Path:
    """Three sessions of two projects; the first one is three days old."""
    folder = home / ".claude" / "projects"
    write(folder / "-repo", "new", user("more", 0), user("and more", 1))
    write(folder / "-repo", "old", user("begin", -3 * DAY), user("go on", -2.9 * DAY))
    write(folder / "-other", "middle", user("elsewhere", -1 * DAY, cwd="/other/web"))
    return folder


@pytest.fixture
def learning(daemon: FakeDaemon, projects: Path) -> FakeDaemon:
    daemon.answers["POST /v1/learn"] = answered()
    return daemon


def asked(daemon: FakeDaemon) -> list[Mapping[str, object]]:
    return [request.body for request in daemon.changes]


def names(daemon: FakeDaemon) -> list[object]:
    return [body["session_id"] for body in asked(daemon)]


def test_all_sessions_are_read_oldest_first_as_one_batch(learning: FakeDaemon, wisen: Wisen, projects: Path) -> None:
    ran = wisen("learn", "claude-code")
    assert (ran.code, ran.err) == (0, "")
    assert names(learning) == ["old", "middle", "new"]
    assert [body["batch"] for body in asked(learning)] == ["", "b" * 36, "b" * 36]
    assert asked(learning)[0]["file"] == str(projects / "-repo" / "old.jsonl")
    assert learning.started == [True, True, True]


def test_one_project_is_a_directory_and_all_below_it(learning: FakeDaemon, wisen: Wisen) -> None:
    wisen("learn", "claude-code", "--project", "/other")
    assert names(learning) == ["middle"]
    ran = wisen("learn", "claude-code", "--project", "/nowhere")
    assert (ran.code, ran.err.startswith("error: no session began in /nowhere\n")) == (3, True)


@pytest.mark.parametrize(
    ("since", "expected"),
    [("30d", ["old", "middle", "new"]), ("2d", ["middle", "new"]), ("2026-11-30", ["new"]), ("1h", ["new"])],
)
def test_only_sessions_that_went_on_since_then(
    learning: FakeDaemon, wisen: Wisen, since: str, expected: list[str]
) -> None:
    wisen("learn", "claude-code", "--since", since)
    assert names(learning) == expected


def test_what_is_no_moment_is_refused(learning: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("learn", "claude-code", "--since", "soon")
    assert (ran.code, asked(learning)) == (2, [])
    assert "'soon' is no date" in ran.err


def test_the_other_sessions_of_a_project_say_where_one_may_belong(
    learning: FakeDaemon, wisen: Wisen, projects: Path
) -> None:
    write(projects / "-repo", "worktree", user("hello", 5, cwd="/repo/worktree"))
    wisen("learn", "claude-code", "--project", "/repo")
    beside = {body["session_id"]: body["beside"] for body in asked(learning)}
    assert beside == {"old": ("/repo/worktree",), "new": ("/repo/worktree",), "worktree": ("/repo",)}


@pytest.mark.parametrize("repo", ["https://github.com/acme/widgets", "git@github.com:acme/widgets.git"])
def test_a_repository_is_named_by_its_url(learning: FakeDaemon, wisen: Wisen, repo: str) -> None:
    wisen("learn", "claude-code", "--repo", repo)
    assert {body["repo"] for body in asked(learning)} == {repo}


def test_or_by_a_path_and_never_by_anything_else(
    learning: FakeDaemon, wisen: Wisen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wisen("learn", "claude-code", "--repo", ".")
    assert {body["repo"] for body in asked(learning)} == {str(tmp_path)}
    learning.asked.clear()
    ran = wisen("learn", "claude-code", "--repo", "https://me:secret@host")
    assert (ran.code, asked(learning)) == (2, [])
    assert "secret" not in ran.err


def test_sessions_lie_where_the_environment_or_the_option_says(
    learning: FakeDaemon, wisen: Wisen, tmp_path: Path
) -> None:
    write(tmp_path / "cc" / "projects" / "-x", "there", user("x"))
    wisen("learn", "claude-code", CLAUDE_CONFIG_DIR=str(tmp_path / "cc"))
    wisen("learn", "claude-code", "--from", str(tmp_path / "cc"))
    assert names(learning) == ["there", "there"]
    ran = wisen("learn", "claude-code", "--from", str(tmp_path / "none"))
    assert (ran.code, "no sessions of Claude Code in" in ran.err) == (3, True)


# --- what is said


def test_a_person_is_told_what_was_read_left_out_and_learned(learning: FakeDaemon, wisen: Wisen) -> None:
    answers = {
        "old": answered(added=[made()], split={"typed": 3, "headless": 1, "system": 2}, peak_rss_mb=61.0, copies=4),
        "middle": answered(fate="gone", why="/other/web", events=0, signals=0, split={}),
        "new": answered(
            added=[made("77777777", text="Deploy with make ship.", status="pending_review")],
            reinforced=[made(), made("88888888", text="Known before.")],
            dropped={"said outside any repository, and not about you": 2},
            split={"conversation": 5, "alone": 1},
            stood_in=REPO,
            lines_skipped=1,
        ),
    }

    def answer(request: Asked) -> dict[str, Any]:
        return answers[str(request.body["session_id"])]

    learning.answers["POST /v1/learn"] = answer
    ran = wisen("learn", "claude-code")
    for line in (
        "most memory in use 61 MB",
        "6 events",
        "1 whose directory is gone; 4 events copied from another session; 1 line that can't be read",
        "3 typed; 1 from scripts; 5 unmarked, taken as typed (two or more in the session)",
        "1 unmarked, taken as a script's (alone in the session); 2 from the harness, left out",
        "2 signals: 1 new memories active, 1 wait for review, 1 known before",
        "2 said outside any repository, and not about you",
        "1 session as github.com/acme/widgets",
        "! /other/web is gone, and nothing tells what it was (1 session)",
        "\nNew memories\n  3f2a91bc  Use pnpm here, not npm.\n",
        "\nWaiting for your review\n  77777777  Deploy with make ship.\n",
        "`wisen review --all`",
        f"`wisen undo --batch bbbbbbbb --graph {REPO}` takes all of this back.",
    ):
        assert line in ran.out


def test_a_memory_that_a_later_session_settled_is_told_as_it_stands(learning: FakeDaemon, wisen: Wisen) -> None:
    answers = iter(
        [answered(added=[made(status="pending_review")]), answered(reinforced=[made()]), answered(fate="known")]
    )
    learning.answers["POST /v1/learn"] = lambda _: next(answers)
    told = json.loads(wisen("learn", "claude-code", "--json").out)
    assert (told["active"], told["waiting"], told["known_again"]) == (1, 0, 0)


def test_json_says_the_same(learning: FakeDaemon, wisen: Wisen) -> None:
    told = json.loads(wisen("learn", "claude-code", "--json").out)
    assert told["sessions"] == {"read": 3, "known": 0, "empty": 0, "gone": 0, "stayed_out": 0, "unreadable": 0}
    assert (told["events"], told["prompts"]["typed"], told["dry_run"]) == (9, 6, False)


def test_a_run_that_learned_nothing_new_names_no_undo(learning: FakeDaemon, wisen: Wisen) -> None:
    learning.answers["POST /v1/learn"] = answered(fate="known", events=0, signals=0, split={})
    ran = wisen("learn", "claude-code")
    assert "3 read before" in ran.out
    assert "undo" not in ran.out


def test_an_error_ends_the_run_and_what_was_read_stays_read(learning: FakeDaemon, wisen: Wisen) -> None:
    learning.answers["POST /v1/learn"] = StoreError("the disk is full")
    ran = wisen("learn", "claude-code")
    assert (ran.code, ran.err, len(asked(learning))) == (9, "error: the disk is full\n", 1)


def test_progress_is_shown_on_a_terminal_alone(
    learning: FakeDaemon, wisen: Wisen, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert wisen("learn", "claude-code").err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert "Reading" in wisen("learn", "claude-code", terminal=True).err
    assert wisen("learn", "claude-code", "--json", terminal=True).err == ""


# --- a dry run


@pytest.fixture
def clone(tmp_path: Path) -> str:
    where = tmp_path / "clone"
    where.mkdir()
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    who = ["-c", "user.name=Example", "-c", "user.email=example@example.invalid"]
    for command in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "Begin"]):
        subprocess.run(["git", *command], cwd=where, env=env, check=True, capture_output=True)
    return str(where)


def tree(home: Path) -> list[tuple[str, bytes]]:
    return sorted((str(path), path.read_bytes()) for path in home.rglob("*") if path.is_file())


def test_a_dry_run_shows_what_would_be_learned_and_keeps_nothing(
    daemon: FakeDaemon, wisen: Wisen, home: Path, clone: str
) -> None:
    write(home / ".claude" / "projects" / "-clone", "s1", user(ASKED, cwd=clone), user("thanks", 1, cwd=clone))
    before = tree(home)
    ran = wisen("learn", "claude-code", "--dry-run")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Nothing was kept. Read 1 session")
    assert RULE in ran.out
    assert "undo" not in ran.out
    assert (daemon.asked, daemon.started, tree(home)) == ([], [], before)


def test_a_dry_run_stays_out_of_excluded_places(wisen: Wisen, home: Path, clone: str) -> None:
    write(home / ".claude" / "projects" / "-clone", "s1", user(ASKED, cwd=clone))
    told = json.loads(wisen("learn", "claude-code", "--dry-run", "--json", WISEN_EXCLUDE=clone).out)
    assert (told["sessions"]["stayed_out"], told["memories"]) == (1, [])


# --- the offer, the guide


def test_install_names_the_sessions_that_lie_here_and_forces_nothing(
    daemon: FakeDaemon, wisen: Wisen, projects: Path
) -> None:
    ran = wisen("install", "claude-code")
    assert "`wisen learn claude-code` learns from the 3 sessions that lie here already" in ran.out
    assert asked(daemon) == []


def test_install_offers_nothing_where_nothing_lies(wisen: Wisen) -> None:
    assert "wisen learn" not in wisen("install", "claude-code").out


def test_the_guide_is_compared_in_three_parts(daemon: FakeDaemon, wisen: Wisen, tmp_path: Path) -> None:
    stated = {"short": "11111111", "text": "Use pnpm.", "stance": "states", "file": "CLAUDE.md", "line": 3}
    against = {"short": "22222222", "text": "Use tabs.", "stance": "contradicts", "file": "AGENTS.md", "line": 1}
    rest = {"short": "33333333", "text": "Deploy with make ship."}
    daemon.answers["GET /v1/guide"] = {
        "files": ["CLAUDE.md", "AGENTS.md"],
        "statements": 40,
        "memories": [stated | {"says": "Use pnpm."}, against | {"says": "Use spaces."}, rest],
    }
    ran = wisen("learn", "guide", str(tmp_path))
    assert ran.out == (
        "CLAUDE.md, AGENTS.md: 40 sentences.\n"
        "\nContradict the guide, which wins\n  22222222  Use tabs.\n            AGENTS.md:1: Use spaces.\n"
        "\nStated in the guide already\n  11111111  Use pnpm.\n            CLAUDE.md:3: Use pnpm.\n"
        "\nNot in the guide\n  33333333  Deploy with make ship.\n"
    )
    assert json.loads(wisen("learn", "guide", str(tmp_path), "--json").out)["statements"] == 40


def test_without_a_guide_or_memories_it_says_so(daemon: FakeDaemon, wisen: Wisen, tmp_path: Path) -> None:
    daemon.answers["GET /v1/guide"] = {"files": [], "statements": 0, "memories": []}
    assert "No CLAUDE.md or AGENTS.md" in wisen("learn", "guide", str(tmp_path)).out
    daemon.answers["GET /v1/guide"] = {"files": ["CLAUDE.md"], "statements": 1, "memories": []}
    assert "Nothing is remembered here yet." in wisen("learn", "guide", str(tmp_path)).out
