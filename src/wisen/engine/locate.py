"""Which graph does a directory belong to? Git's facts, the roots seen before and the user's settings, in one answer."""

from __future__ import annotations

import glob
import logging
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import translate
from functools import cache, partial

from wisen.core import graphids
from wisen.core.pauses import Pause, is_paused
from wisen.core.records import RepoFacts, RepoIdentity, RootClaim, Standing
from wisen.core.remotes import parse_repository
from wisen.core.types import GraphId
from wisen.errors import Conflict, StoreError
from wisen.ports import Clock, ControlStore, GraphStores, RepoProbe

log = logging.getLogger(__name__)

EXCLUDE_HINT = "`wisen exclude` shows what is excluded, and --remove ends it"
_MOST_SESSIONS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LocateRules:
    """What the user says about identity: their login, upstreams of forks, where and when to stay out.

    `pauses` returns those on record at the moment it is called. What was said before `not_before` is not learned.
    """

    login: str
    upstreams: Mapping[str, str] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    internal_dirs: tuple[str, ...] = ()
    pauses: Callable[[], Sequence[Pause]] = tuple
    not_before: datetime | None = None


class Locator:
    """Turns (harness, directory) into a repository identity, and keeps what it learns on the way."""

    def __init__(
        self, *, probe: RepoProbe, control: ControlStore, graphs: GraphStores, clock: Clock, rules: LocateRules
    ) -> None:
        self._probe = probe
        self._control = control
        self._graphs = graphs
        self._clock = clock
        self._login = rules.login
        self._excluded = _excluded(rules)
        self._pauses = rules.pauses
        self._not_before = rules.not_before
        self._upstreams = {
            str(fork): upstream for name, upstream in rules.upstreams.items() if (fork := parse_repository(name))
        }
        self._lock = threading.Lock()  # two clones seen at one moment must not both be the first

    def is_excluded(self, cwd: str) -> bool:
        """Tell whether a directory is one the user excluded, or one of wisen's own, by whichever path it is reached."""
        return any(self._excluded.match(place) for place in (cwd, _without_links(cwd)))

    def excluded_graphs(self) -> frozenset[str]:
        """Return the ids of the graphs that are known from excluded directories alone: nothing goes in or comes out."""
        places: dict[str, set[str]] = {}
        for session in self._control.sessions(limit=_MOST_SESSIONS):
            if session.graph is not None and session.cwd:
                places.setdefault(str(session.graph), set()).add(session.cwd)
        return frozenset(graph for graph, cwds in places.items() if all(map(self.is_excluded, cwds)))

    def pauses(self) -> Sequence[Pause]:
        """Return every pause on record, the past ones too."""
        return self._pauses()

    def is_paused(self, cwd: str, at: datetime) -> bool:
        """Tell whether the user had wisen off in a directory at a moment; for '', whether it was off everywhere."""
        pauses = self._pauses()
        if not pauses:
            return False
        names = (cwd, _without_links(cwd))
        return is_paused(pauses, names, at, self._clock.now(), is_in=partial(self._may_be_in, cwd))

    def _may_be_in(self, cwd: str, text: str) -> bool:
        """Tell whether a directory is in a clone of the repository of a graph, or may be: git is still being asked."""
        if not cwd:
            return False
        graph = graphids.parse_graph_id(text)
        found = self._identify(graph.harness, self._probe.facts(cwd))
        if found.standing is Standing.PENDING:
            return True
        return found.write in {graph, graphids.current_graph(graph, self._control.aliases())}

    def stays_out(self, cwd: str, at: datetime) -> bool:
        """Tell whether what happens in a directory at a moment is none of wisen's business: no capture, no recall.

        The place is excluded, wisen was paused, or it was said before the memories that there were had been deleted.
        """
        return self._is_too_old(at) or self.is_excluded(cwd) or self.is_paused(cwd, at)

    def _is_too_old(self, at: datetime) -> bool:
        """Tell whether a moment is before the memories began. When that is to come yet, the clock was ahead then."""
        return self._not_before is not None and at < self._not_before <= self._clock.now()

    def facts(self, cwd: str) -> RepoFacts:
        """Return what git says about a directory."""
        return self._probe.facts(cwd)

    def locate(self, harness: str, cwd: str) -> RepoIdentity:
        """Return the identity of a directory; records a first root claim and moves a path graph at its first commit."""
        return self.judge(harness, self._probe.facts(cwd))

    def judge(self, harness: str, facts: RepoFacts) -> RepoIdentity:
        """Return the identity that facts mean, and record what is new in it."""
        identity = self._identify(harness, facts)
        if identity.claim is None and identity.alias_of is None:
            return identity
        with self._lock:  # judged again by one at a time; what git had to be asked is known by now
            return self._recorded(harness, facts)

    def _identify(self, harness: str, facts: RepoFacts) -> RepoIdentity:
        remote = graphids.own_remote(facts)
        return graphids.identify(
            harness,
            facts,
            login=self._login,
            claims=cache(self._control.root_claim),  # one answer all through, whoever records meanwhile
            contains=partial(self._probe.contains, facts.cwd),
            upstream_override=self._upstreams.get(str(remote)) if remote else None,
            aliases=self._control.aliases(),
            now=self._clock.now(),
        )

    def _recorded(self, harness: str, facts: RepoFacts) -> RepoIdentity:
        """Identify and record; the claim last, because it is what a later call takes for the rest having been done."""
        identity = self._identify(harness, facts)
        old, new = identity.alias_of, identity.write
        try:
            is_joined = old is None or new is None or self._rename(old, new)
        except StoreError as error:  # somebody reads it, or the disk fails: under its old id until the next event
            log.warning("graph_not_moved", extra={"old": str(old), "error": error.message})
            reads = tuple(old if graph == new and old else graph for graph in identity.reads)
            return replace(identity, write=old, reads=reads, claim=None)
        if identity.claim is not None:
            self._control.save_root_claim(identity.claim)
        return identity if is_joined else self._identify(harness, facts)

    def _rename(self, old: GraphId, new: GraphId) -> bool:
        """Give a graph its new id; False where both hold memories: both stay, and the old one is read beside the new.

        Then the old one is claimed if it was not: a graph that is known is one to be read.
        """
        try:
            self._graphs.move(old, new)
        except Conflict:
            log.warning("graphs_not_joined", extra={"old": str(old), "new": str(new)})
            if self._control.root_claim(old) is None:
                self._control.save_root_claim(RootClaim(graph=str(old), root="", first_seen=self._clock.now()))
            return False
        self._control.save_alias(old, new)
        return True

    def current(self, graph: GraphId, harness: str, cwd: str) -> GraphId:
        """Return the id by which a graph is known now that was a directory's when something was said there.

        What was said before the first commit, or before there was a remote, is filed where the graph went since.
        An alias may be of a repository that was at the place before: while the directory has that graph, it is its own.
        """
        if self.locate(harness, cwd).write == graph:
            return graph
        return graphids.current_graph(graph, self._control.aliases())

    def user_graph(self, harness: str) -> GraphId:
        """Return the graph of what is true of the user in every repository."""
        return graphids.user_graph(harness, self._login)

    def trust(self, harness: str, cwd: str) -> RepoIdentity:
        """Accept this clone's root commit as one of the remote's: its history was rewritten.

        Raises Conflict where there is nothing to settle.
        """
        facts = self._probe.facts(cwd)
        identity = self.judge(harness, facts)
        if identity.standing is not Standing.FOREIGN:
            raise Conflict(
                f"nothing to settle: this clone is {identity.standing.value}",
                hint="`wisen repo` shows what wisen knows about this directory",
            )
        with self._lock:
            claim = graphids.trust(harness, facts, claims=self._control.root_claim, now=self._clock.now())
            self._control.save_root_claim(claim)
        self._control.flush()
        return self.judge(harness, facts)


def excluded_graph(graph: GraphId) -> str:
    """Return in words why nothing of a graph goes in or comes out."""
    return f"{graph} is of a directory that your settings exclude"


def is_excluded(rules: LocateRules, cwd: str) -> bool:
    """Tell whether a directory is one to stay out of, for whoever has no locator."""
    pattern = _excluded(rules)
    return any(pattern.match(place) for place in (cwd, _without_links(cwd)))


def _excluded(rules: LocateRules) -> re.Pattern[str]:
    """Return what matches the paths to stay out of, and all below them; links in the rules are followed now, once."""
    paths = {path for written in rules.exclude for path in (written, _with_links_followed(written))}
    paths |= {glob.escape(path) for own in rules.internal_dirs for path in (own, _without_links(own))}
    patterns = [pattern for path in sorted(paths) for pattern in (path, f"{path}/*")]
    return re.compile("|".join(map(translate, patterns)) or "(?!)")


def _with_links_followed(written: str) -> str:
    """Return a glob with the links replaced by what they lead to, in the directories before its first wildcard."""
    wildcard = re.search(r"[*?[]", written)
    directory = written[: written.rfind("/", 0, wildcard.start()) + 1] if wildcard else written
    rest = written[len(directory) :]
    real = glob.escape(_without_links(directory))
    return f"{real.rstrip('/')}/{rest}" if directory and rest else real + rest


def _without_links(path: str) -> str:
    """Return the path without symlinks; as it is where it is relative (to what?) or one no file can have."""
    try:
        return os.path.realpath(path) if path.startswith("/") else path
    except ValueError:  # a NUL, half a surrogate pair
        return path
