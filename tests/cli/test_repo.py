from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from tests.cli.stage import HERE, REPO, UPSTREAM, YOU, FakeDaemon, Wisen
from wisen.cli.words import EXCLUDED, STANDINGS
from wisen.core.records import Standing

FORK = {
    **HERE,
    "reads": [REPO, UPSTREAM, YOU],
    "top": "/src/widgets",
    "remotes": {"origin": "https://github.com/acme/widgets", "upstream": "https://github.com/upstream/widgets"},
    "root": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "branch": "main",
}
FOREIGN = {**FORK, "standing": "foreign", "write": f"{REPO}@4b825dc6", "reads": [f"{REPO}@4b825dc6", YOU]}


@pytest.mark.parametrize("command", [["repo"], ["repo", "show"]])
def test_repo_says_in_words_what_it_is(daemon: FakeDaemon, wisen: Wisen, command: list[str]) -> None:
    daemon.answers["GET /v1/repo"] = FORK
    assert wisen(*command, terminal=True).out == snapshot("""\
/src/widgets
  Its first commit is the one that its remote is known by on this computer. The
  first clone of a remote seen here sets it.
  standing    verified
  writes      repo://claude-code/github.com/acme/widgets
  reads also  repo://claude-code/github.com/upstream/widgets
              user://claude-code/dev
  remotes     origin  https://github.com/acme/widgets
              upstream  https://github.com/upstream/widgets
  root commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904
  branch      main
""")


@pytest.mark.parametrize("standing", [s.value for s in Standing if s is not Standing.FOREIGN])
def test_where_there_is_nothing_to_trust_nobody_is_asked(daemon: FakeDaemon, wisen: Wisen, standing: str) -> None:
    daemon.answers["GET /v1/repo"] = {**FORK, "standing": standing}
    ran = wisen("repo", "trust", terminal=True)
    assert (ran.code, ran.out, daemon.changes) == (4, "", [])
    assert ran.err == f"error: there is nothing to trust: this clone is {standing}\nhint: {STANDINGS[standing]}\n"


def test_an_excluded_directory_is_called_so(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/repo"] = {**FORK, "excluded": True}
    assert EXCLUDED in wisen("repo").out


def test_every_standing_has_its_words() -> None:
    assert set(STANDINGS) == {standing.value for standing in Standing}


def test_trust_asks_first(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/repo"] = FOREIGN
    daemon.answers["POST /v1/repo/trust"] = FORK
    refused = wisen("repo", "trust", terminal=True, types="n\n")
    assert (refused.code, daemon.changes) == (1, [])
    assert "another first commit" in " ".join(refused.out.split())
    assert wisen("repo", "trust", terminal=True, types="y\n").code == 0
    assert len(daemon.changes) == 1


def test_trust_without_a_terminal_needs_yes(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/repo"] = FOREIGN
    daemon.answers["POST /v1/repo/trust"] = FORK
    assert wisen("repo", "trust").code == 2
    assert daemon.changes == []
    assert wisen("repo", "trust", "--yes").code == 0
