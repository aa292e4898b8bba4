"""Whose rule it is: this repository's, or the person's wherever they work."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from wisen.core.signals.names import TOOLS
from wisen.core.trust import OBSERVED
from wisen.core.types import GraphId, GraphKind, Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The graph a signal belongs to, or None when it belongs nowhere, and why in words."""

    graph: GraphId | None
    why: str


def scope_of(signal: Signal, *, repo: GraphId | None, user: GraphId) -> GraphId | None:
    """Return the graph that may learn the signal; None when a rule of a repository was stated outside of any."""
    return scope(signal, repo=repo, user=user).graph


def scope(signal: Signal, *, repo: GraphId | None, user: GraphId) -> Scope:
    """Return the graph that may learn the signal, with the reason.

    A rule is the repository's unless the user's own words say that it holds everywhere. A personal rule that carries
    something of a repository (its or its owner's name, an identifier, a path) stays there: a person's rules are read in
    every repository.
    """
    if signal.origin in OBSERVED:
        why = "seen in this repository" if repo else "seen outside any repository"
        return Scope(graph=repo, why=why)
    words = " ".join((signal.rule, signal.title, signal.why, signal.how_to_apply))
    token = _token_of_a_repository(words, repo)
    if signal.personal and not token:
        return Scope(graph=user, why="the words say that it holds everywhere")
    if repo is None:
        why = f"it names `{token}`, and" if signal.personal else "nothing says that it holds everywhere, and"
        return Scope(graph=None, why=f"{why} there is no repository here")
    if signal.personal:
        return Scope(graph=repo, why=f"it names `{token}`, which belongs to this repository")
    return Scope(graph=repo, why="stated in this repository")


def why_not_in(graph: GraphId, signal: Signal) -> str:
    """Return why a graph may not learn a signal, '' where it may: the last door before a write.

    A person's graph is read in every repository, so what it learns is a rule that the person's own words make personal.
    """
    if graph.kind is not GraphKind.USER:
        return ""
    if signal.origin in OBSERVED or not signal.personal:
        return "a fact of a repository does not go into your own graph"
    return ""


@cache
def _identifiers() -> re.Pattern[str]:
    # What is in code marks; a word with a slash in it or a file's name, but no part of a URL and no version (there the
    # dot has a digit behind it); a word with an underscore; a word with a capital inside.
    return re.compile(
        r"`(?P<marked>[^`\n]+)`|(?<![\w:/.])(?:[\w.@~-]*/[\w.@/-]*|[\w@-]+\.[A-Za-z][A-Za-z0-9]{0,4}\b)"
        r"|\b\w*[A-Za-z0-9]_\w+\b|\b_\w+\b|\b[A-Za-z]*[a-z0-9][A-Z]\w*\b"
        # an address, the number of a ticket, a hash
        r"|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[A-Z]{2,}-\d+\b|\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b"
    )


_OF_NO_REPOSITORY = TOOLS | frozenset(
    "claude.md agents.md readme.md e.g i.e node.js next.js nuxt.js vue.js three.js and/or either/or he/she his/her "
    "yes/no on/off true/false read/write input/output client/server i/o n/a w/o ci/cd tcp/ip a/b / github gitlab "
    "graphql utf-8 utf-16 iso-8601 sha-1 sha-256 sha-512 rfc-3339 "
    "macos ios openapi vscode pascalcase nodejs devops".split()
)
"""What looks like an identifier and is in every repository. When in doubt a rule stays where it was stated."""

_SHORTEST_NAME = 4  # a repository called `go` or `cli` would claim every sentence


def _token_of_a_repository(rule: str, repo: GraphId | None) -> str:
    for found in _identifiers().finditer(rule):
        words = (found["marked"] or found[0]).lower().rstrip(".").split()
        if not _OF_NO_REPOSITORY.issuperset(words):
            return found["marked"] or found[0]
    for name in repo.path.split("/") if repo else ():
        if len(name) >= _SHORTEST_NAME and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", rule, re.IGNORECASE):
            return name
    return ""
