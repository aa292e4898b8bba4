"""Which graph does a directory belong to? Git's facts, the roots seen before and the user's settings, in one answer."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch

from wisen.core import graphids
from wisen.core.records import RepoFacts, RepoIdentity, Standing
from wisen.core.types import GraphId
from wisen.errors import Conflict
from wisen.ports import Clock, ControlStore, GraphStores, RepoProbe

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocateRules:
    """What the user's settings say about identity: their login, upstreams of forks, directories to stay out of."""

    login: str
    upstreams: Mapping[str, str] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    internal_dirs: tuple[str, ...] = ()


class Locator:
    """Turns (harness, directory) into a repository identity, and keeps what it learns on the way."""

    def __init__(
        self, *, probe: RepoProbe, control: ControlStore, graphs: GraphStores, clock: Clock, rules: LocateRules
    ) -> None:
        self._probe = probe
        self._control = control
        self._graphs = graphs
        self._clock = clock
        self._rules = rules
        self._lock = threading.Lock()  # two clones seen at one moment must not both be the first

    def is_excluded(self, cwd: str) -> bool:
        """Tell whether a directory is one the user excluded, or one of wisen's own."""
        places = {cwd, os.path.realpath(cwd)}
        own = any(place == d or place.startswith(d + "/") for place in places for d in self._rules.internal_dirs)
        globs = [pattern for glob in self._rules.exclude for pattern in (glob, f"{glob}/*")]
        return own or any(fnmatch(place, glob) for place in places for glob in globs)

    def facts(self, cwd: str) -> RepoFacts:
        """Return what git says about a directory."""
        return self._probe.facts(cwd)

    def locate(self, harness: str, cwd: str) -> RepoIdentity:
        """Return the identity of a directory; records a first root claim and moves a path graph at its first commit."""
        return self.judge(harness, self._probe.facts(cwd))

    def judge(self, harness: str, facts: RepoFacts) -> RepoIdentity:
        """Return the identity that facts mean, and record what is new in it."""
        with self._lock:
            identity = self._identify(harness, facts)
            if identity.claim is not None:
                self._control.save_root_claim(identity.claim)
            if identity.alias_of is not None and identity.write is not None:
                self._rename(identity.alias_of, identity.write)
        return identity

    def _identify(self, harness: str, facts: RepoFacts) -> RepoIdentity:
        remote = graphids.own_remote(facts)
        return graphids.identify(
            harness,
            facts,
            login=self._rules.login,
            claims=self._control.root_claim,
            upstream_override=self._rules.upstreams.get(str(remote)) if remote else None,
            aliases=self._control.aliases(),
            now=self._clock.now(),
        )

    def _rename(self, old: GraphId, new: GraphId) -> None:
        try:
            self._graphs.move(old, new)
        except Conflict:
            # Both ids hold memories: neither may be lost, so both stay, and nothing of the old one is read as the new.
            log.warning("graphs can't be joined", extra={"old": str(old), "new": str(new)})
        self._control.save_alias(old, new)

    def user_graph(self, harness: str) -> GraphId:
        """Return the graph of what is true of the user in every repository."""
        return graphids.user_graph(harness, self._rules.login)

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
        claim = graphids.trust(harness, facts, claims=self._control.root_claim, now=self._clock.now())
        self._control.save_root_claim(claim)
        self._control.flush()
        return self.judge(harness, facts)
