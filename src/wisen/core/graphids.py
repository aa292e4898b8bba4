"""Which graph does a directory write to, and which does it read? Facts about a repository in, graph ids out; pure.

    remote URL     -> repo://<harness>/<host>/<owner>/<repo>              nested groups stay in the owner
    no remote      -> repo://<harness>/local/<root commit>
    no commit yet  -> repo://<harness>/path/<sha256 of the path>
    another root   -> repo://<harness>/<host>/<owner>/<repo>~<root commit>
    a person       -> user://<harness>/<login>

A remote's path has two segments or more and no `~` in its last one, so the five forms never meet.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote

from wisen.core.claims import Claims, Contains, accepts, is_proven, place_digest, proven, rootless_sight
from wisen.core.records import RepoFacts, RepoIdentity, RootClaim, Standing
from wisen.core.remotes import (
    Remote,
    displayable,
    parse_remote,
    parse_repository,
    remote_urls_without_credentials,
    url_without_credentials,
)
from wisen.core.types import GraphId, GraphKind
from wisen.errors import Conflict, InvalidValue, Refused

__all__ = [
    "Remote",
    "current_graph",
    "foreign_graph",
    "graph_in_harness",
    "identify",
    "local_graph",
    "own_remote",
    "parse_graph_id",
    "parse_remote",
    "path_graph",
    "remote_urls_without_credentials",
    "repo_graph",
    "trust",
    "user_graph",
]

_HARNESS = re.compile(r"[a-z0-9-]+")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_AUTHORITY = re.compile(r"(?:\[[0-9a-f:.]+\]|[A-Za-z0-9._~@+%-]+)(?::[0-9]+)?")
_SEGMENT = re.compile(r"(?!\.\.?$)[A-Za-z0-9._~@+%-]+")
_SAFE = "@+"


# --- graph ids --------------------------------------------------------------------------------------------------


def repo_graph(harness: str, remote: Remote) -> GraphId:
    """Return the graph of a repository with a remote."""
    return _repo(harness, remote.host, f"{remote.owner}/{remote.repo}")


def local_graph(harness: str, root_commit: str) -> GraphId:
    """Return the graph of a repository without a remote: the same in every clone, sub-directory and place."""
    return _repo(harness, "local", _commit(root_commit))


def path_graph(harness: str, path: str) -> GraphId:
    """Return the graph of a repository without a commit; `path` is the real path of its git directory."""
    return _repo(harness, "path", place_digest(path))


def foreign_graph(harness: str, remote: Remote, root_commit: str) -> GraphId:
    """Return the own graph of a clone that claims a remote whose history is another."""
    return _repo(harness, remote.host, f"{remote.owner}/{remote.repo}~{_commit(root_commit)}")


def user_graph(harness: str, login: str) -> GraphId:
    """Return the graph of a person. Raises InvalidValue for an empty login."""
    name = quote(login.strip().encode("utf-8", "surrogateescape"), safe=_SAFE)
    if _SEGMENT.fullmatch(name) is None:
        raise InvalidValue(f"{login!r} is not a login")
    return GraphId(kind=GraphKind.USER, harness=_valid_harness(harness), authority=name)


def parse_graph_id(text: str) -> GraphId:
    """Return the graph id that `str()` gives as `text`. Raises InvalidValue for anything else."""
    scheme, separator, rest = text.partition("://")
    harness, *segments = rest.split("/")
    known = {kind.value: kind for kind in GraphKind}
    kind = known.get(scheme)
    if kind is None or not separator or not segments:
        raise InvalidValue(
            f"{text!r} is not a graph id", hint="one looks like repo://claude-code/github.com/owner/repo"
        )
    authority, path = segments[0], segments[1:]
    has_right_length = {GraphKind.REPO: bool(path), GraphKind.USER: not path}.get(kind, True)
    is_well_formed = _AUTHORITY.fullmatch(authority) and all(_SEGMENT.fullmatch(s) for s in path)
    if not has_right_length or not is_well_formed:
        raise InvalidValue(f"{text!r} is not a graph id of kind {scheme}")
    return GraphId(kind=kind, harness=_valid_harness(harness), authority=authority, path="/".join(path))


def graph_in_harness(graph: GraphId, harness: str) -> None:
    """Raise Refused if a graph belongs to another harness: an adapter touches its own harness's graphs alone."""
    if graph.harness != harness:
        raise Refused(f"{graph} belongs to {graph.harness}, not to {harness}")


def _repo(harness: str, authority: str, path: str) -> GraphId:
    return GraphId(kind=GraphKind.REPO, harness=_valid_harness(harness), authority=authority, path=path)


def _valid_harness(harness: str) -> str:
    if _HARNESS.fullmatch(harness) is None:
        raise InvalidValue(f"{harness!r} is not the name of a harness")
    return harness


def _commit(text: str) -> str:
    if _COMMIT.fullmatch(text) is None:
        raise InvalidValue(f"{text!r} is not a commit id")
    return text


# --- identity ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One question to `identify`: what is known, and whom to ask for the rest."""

    harness: str
    facts: RepoFacts
    claims: Claims
    contains: Contains
    upstream_override: str | None
    aliases: Mapping[str, str]
    now: datetime


def identify(
    harness: str,
    facts: RepoFacts,
    *,
    login: str,
    claims: Claims,
    contains: Contains,
    upstream_override: str | None,
    aliases: Mapping[str, str],
    now: datetime,
) -> RepoIdentity:
    """Decide which graph a directory writes to and which it reads (own, upstream, user, in that order).

    `claims` and `aliases` are what the control store remembers; `contains` asks git, and only where the root commit
    does not settle it. `upstream_override` comes from the user's settings: `host/owner/repo` or a remote's URL, or ''
    to read no upstream; None leaves it to the remote named `upstream`.
    The caller records `claim` and, for `alias_of`, moves that graph to `write` and saves the alias, whether or not
    there was a graph to move: the alias is how a later call knows what this directory was known as. Where `write` was
    known before, nothing moves; the former graph is read after the own one instead.
    Raises InvalidValue for a bad harness or login; whatever state the repository is in has an answer.
    """
    user = user_graph(harness, login)
    if facts.problem in ("no-git", "timeout"):
        return RepoIdentity(standing=Standing.PENDING, note=_problem_note(facts))
    if facts.problem:
        return RepoIdentity(standing=Standing.NONE, reads=(user,), note=_problem_note(facts))
    case = _Case(
        harness=harness,
        facts=facts,
        claims=claims,
        contains=contains,
        upstream_override=upstream_override,
        aliases=aliases,
        now=now,
    )
    own = _own_identity(case)
    if own.write is None:
        return own
    former, may_move = _former_graph(case, own.write)
    upstream, upstream_note = _upstream_graph(case, own.write)
    reads = (*own.reads, None if may_move else former, upstream, user)
    return replace(
        own,
        reads=tuple(dict.fromkeys(graph for graph in reads if graph)),
        note="; ".join(note for note in (own.note, upstream_note) if note),
        alias_of=former if may_move else None,
    )


def own_remote(facts: RepoFacts) -> Remote | None:
    """Return the remote that names the repository: `origin`, else the first that is a URL, `upstream` last."""
    names = sorted(facts.remotes, key=lambda name: {"origin": 0, "upstream": 2}.get(name, 1))
    parsed = (parse_remote(facts.remotes[name]) for name in names)
    return next((remote for remote in parsed if remote is not None), None)


def trust(harness: str, facts: RepoFacts, *, claims: Claims, now: datetime) -> RootClaim:
    """Return the claim under which this clone's history belongs to its remote's graph (`wisen repo trust`).

    For a rewritten history. Raises Conflict when there is no remote or the root commit is not known.
    """
    remote = own_remote(facts)
    if remote is None or not facts.root_commits:
        missing = "no remote" if remote is None else "no known root commit"
        raise Conflict(f"there is nothing to trust: {displayable(facts.top or facts.cwd)} has {missing}")
    graph = repo_graph(harness, remote)
    claim = claims(graph)
    if claim is None:
        return RootClaim(graph=str(graph), root=facts.root_commits[0], first_seen=now)
    new = [root for root in facts.root_commits if root not in (claim.root, *claim.trusted)]
    return replace(claim, trusted=(*claim.trusted, *new))


def _own_identity(case: _Case) -> RepoIdentity:
    """Decide standing and own graph; `reads` holds the own graph alone."""
    facts, remote = case.facts, own_remote(case.facts)
    if facts.has_commit and not facts.shallow and not facts.root_commits:
        return RepoIdentity(standing=Standing.PENDING, note=f"the root commit is not known yet {facts.detail}".rstrip())
    if remote is None:
        return _local_identity(case)
    graph = repo_graph(case.harness, remote)
    claim, roots = case.claims(graph), facts.root_commits
    if not roots:
        why = "a shallow clone" if facts.shallow else "no commit yet"
        note, seen = f"{why}: taken for {remote} by its remote alone", rootless_sight(graph, claim, facts, case.now)
        return RepoIdentity(standing=Standing.UNVERIFIED, write=graph, reads=(graph,), note=note, claim=seen)
    if claim is None or claim.root in roots:
        seen = _first_sight(case, graph, root=roots[0])
        return RepoIdentity(standing=Standing.VERIFIED, write=graph, reads=(graph,), claim=seen)
    foreign = foreign_graph(case.harness, remote, roots[0])
    if accepts(claim, roots):  # what it learned before it was trusted stays readable
        return RepoIdentity(standing=Standing.VERIFIED, write=graph, reads=(graph, foreign))
    match is_proven(claim, facts, case.contains):
        case None:
            note = f"whether this clone is {remote} is not known yet (its history is being read)"
            return RepoIdentity(standing=Standing.PENDING, note=note)
        case True:
            seen = proven(claim, roots[0])
            return RepoIdentity(standing=Standing.VERIFIED, write=graph, reads=(graph,), claim=seen)
        case False:
            note, seen = _foreign_note(remote, claim, roots[0]), _first_sight(case, foreign, root=roots[0])
            return RepoIdentity(standing=Standing.FOREIGN, write=foreign, reads=(foreign,), note=note, claim=seen)


def _local_identity(case: _Case) -> RepoIdentity:
    """Identify a repository without a remote: by root commit, or by path while there is none."""
    facts = case.facts
    if not facts.root_commits:
        graph = _path_graph(case)  # an alias of it is from a repository that was here before
        why = "shallow, no remote" if facts.shallow else "no remote, no commit yet"
        note, seen = f"{why}: known by its path", _first_sight(case, graph, root="")
        return RepoIdentity(standing=Standing.LOCAL, write=graph, reads=(graph,), note=note, claim=seen)
    # With several roots (a merged-in history) the one this repository has been known by stays.
    graphs = {root: local_graph(case.harness, root) for root in facts.root_commits}
    root = next((root for root, graph in graphs.items() if case.claims(graph)), facts.root_commits[0])
    own, seen = current_graph(graphs[root], case.aliases), _first_sight(case, graphs[root], root=root)
    return RepoIdentity(standing=Standing.LOCAL, write=own, reads=(own,), note="no remote", claim=seen)


def _first_sight(case: _Case, graph: GraphId, *, root: str) -> RootClaim | None:
    """Return the claim to record when a graph is seen for the first time; its root is empty for a path graph."""
    return None if case.claims(graph) else RootClaim(graph=str(graph), root=root, first_seen=case.now)


def _foreign_note(remote: Remote, claim: RootClaim, root: str) -> str:
    """Say why a clone is not taken for what its remote says, and what settles it."""
    if claim.root:
        why, case = (
            f"is known by the root commit {claim.root[:12]}, this clone has {root[:12]}",
            "history was rewritten",
        )
    else:
        why, case = "was first seen in a shallow or empty clone, and nothing shows that this is the same", "it is"
    return (
        f"{remote} {why}: this clone gets memories of its own and never sees the other's; if {case}, "
        "`wisen repo trust` joins them"
    )


def _upstream_graph(case: _Case, own: GraphId) -> tuple[GraphId | None, str]:
    """Return the graph a fork reads, and a note when it may not. A fork shares the root commit with its upstream."""
    override, facts = case.upstream_override, case.facts
    named = facts.remotes.get("upstream", "") if override is None else override
    remote = parse_remote(named) if override is None else parse_repository(named)
    if remote is None:
        is_mistake = bool(override)  # a remote may be a local path, a setting is meant to name a repository
        where = url_without_credentials(named)
        return None, f"the upstream {where} is not a repository like github.com/owner/repo" if is_mistake else ""
    graph = repo_graph(case.harness, remote)
    why = "" if graph == own else _why_not_upstream(case, case.claims(graph))
    return (None, f"the upstream {remote} is not read: {why}") if why else (graph, "")


def _why_not_upstream(case: _Case, claim: RootClaim | None) -> str:
    """Say why a clone may not read a graph as its upstream's; '' if it may."""
    if claim is None:
        return "no clone of it was seen here yet"
    roots = case.facts.root_commits
    if not roots or accepts(claim, roots):  # without a root it goes by its remotes alone, as for its own graph
        return ""
    match is_proven(claim, case.facts, case.contains):
        case True:
            return ""
        case None:
            return "the history of this clone is being read"
        case False:
            return "it has another root commit" if claim.root else "nothing shows that this clone is a fork of it"


def _former_graph(case: _Case, write: GraphId) -> tuple[GraphId | None, bool]:
    """Return the graph this directory had before `write`, and whether it can simply be renamed.

    That is its path graph if it was seen without a commit, or the graph of its root commit if its remote was missing or
    wrong. It can't be renamed where both graphs may hold something.
    """
    path = _path_graph(case)
    last = current_graph(path, case.aliases)
    if write in (last, path):
        return None, False
    is_new = case.claims(write) is None
    by_root = {graph for graph in (last, write) if graph.path.rpartition("~")[2] in case.facts.root_commits}
    if last in by_root and write not in by_root:
        return last, is_new
    was_unborn = case.claims(path) is not None
    if was_unborn or write in by_root:  # in the second case only to remember what the directory is known as
        return path, is_new or not was_unborn
    return None, False


def _path_graph(case: _Case) -> GraphId:
    return path_graph(case.harness, case.facts.common_dir or case.facts.cwd)


def current_graph(graph: GraphId, aliases: Mapping[str, str]) -> GraphId:
    """Follow aliases to the id a graph is known by now; never out of its harness, never in a circle."""
    seen = {str(graph)}
    while (text := aliases.get(str(graph))) is not None and text not in seen:
        seen.add(text)
        try:
            target = parse_graph_id(text)
        except InvalidValue:
            break
        if (target.harness, target.kind) != (graph.harness, graph.kind):
            break
        graph = target
    return graph


def _problem_note(facts: RepoFacts) -> str:
    """Say in words why there is no repository here, and what helps."""
    place = displayable(facts.top or facts.cwd)
    match facts.problem:
        case "unsafe":
            command = f"git config --global --add safe.directory {shlex.quote(place)}"
            return f"git refuses {place}, it belongs to another user: run `{command}` if you trust it"
        case "not-a-project":
            return f"{place} is no project: home, root and temporary directories never are"
        case "no-repo":
            return f"no git repository at {place}"
        case "no-git":
            return f"git can't be run ({facts.detail}): memory waits for it"
        case "timeout":
            return f"git did not answer in time for {place}: tried again soon"
        case _:
            return f"{place}: {facts.problem} {facts.detail}".rstrip()
