"""Is a clone the repository that its remote's graph belongs to? Its root commits, or what else it can show; pure.

The first clone of a remote claims the remote's graph. A full clone claims it with its root commit. One that shows none,
shallow or empty, leaves what a full clone can be known by later: the commits it had checked out, and its place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from wisen.core.records import RepoFacts, RootClaim
from wisen.core.types import GraphId

Claims = Callable[[GraphId], RootClaim | None]
Contains = Callable[[str], bool | None]  # whether a commit is in this clone's own history; None: not known yet

_WITNESSES_MAX = 8


def accepts(claim: RootClaim, roots: tuple[str, ...]) -> bool:
    """Whether a history with these roots is the claim's repository."""
    return not {claim.root, *claim.trusted}.isdisjoint(roots)


def is_proven(claim: RootClaim, facts: RepoFacts, contains: Contains) -> bool | None:
    """Whether a full clone is the repository that was first seen without a root; None while that is not known."""
    if claim.root:
        return False
    if claim.place == place_digest(facts.common_dir):
        return True
    unknown = False
    for commit in claim.witnesses:
        answer = contains(commit)
        if answer:
            return True
        unknown = unknown or answer is None
    return None if unknown else False


def proven(claim: RootClaim, root: str) -> RootClaim:
    """Return the claim of a repository whose root is known at last; what stood in for it is needed no more."""
    return replace(claim, root=root, witnesses=(), place="")


def rootless_sight(graph: GraphId, claim: RootClaim | None, facts: RepoFacts, now: datetime) -> RootClaim | None:
    """Return the claim to record for a clone that shows no root, or None where there is nothing new.

    Only the clone that was there first adds to it: any other is taken at its word, and its word proves nothing.
    """
    place = place_digest(facts.common_dir)
    head = (facts.head,) if facts.head else ()
    if claim is None:
        return RootClaim(graph=str(graph), root="", first_seen=now, witnesses=head, place=place)
    if claim.root or claim.place != place or set(head) <= set(claim.witnesses):
        return None
    # The first is in every clone made since; the newest outlive a history rewritten meanwhile.
    seen = (*claim.witnesses, *head)
    return replace(claim, witnesses=(*seen[:1], *seen[1:][1 - _WITNESSES_MAX :]))


def place_digest(path: str) -> str:
    """Return a digest of a path that is the same for the same bytes."""
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()
