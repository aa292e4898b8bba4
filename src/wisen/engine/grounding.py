"""Has the user said what an agent asks to remember? Then it is their word that is kept; else it waits for them.

The words count only as the gate takes them (`core.gate`): typed in a session with a person, in one of the place asked
about, surely a rule. What is kept are the user's words, not the agent's, and in the graph that they themselves name. So
an agent only has kept at once what its session's end would keep anyway.
"""

from __future__ import annotations

from dataclasses import replace

from wisen.core.records import RepoIdentity, Session
from wisen.core.sameness import is_same
from wisen.core.types import Candidate, Origin, PromptChannel, Tier
from wisen.engine.inspect import Inspect
from wisen.engine.promote import Promote

_TYPED = frozenset({PromptChannel.TYPED.value, PromptChannel.REFUSAL.value})


def said_by_user(
    text: str, *, harness: str, session_id: str, identity: RepoIdentity, inspect: Inspect, promote: Promote
) -> Candidate | None:
    """Return what the user said in a session that is the same rule as a text, newest first; None if they did not."""
    session = _session(harness, session_id, identity, inspect)
    if session is None or session.graph != identity.write:
        return None
    for heard in reversed(inspect.heard(session)):
        signal = heard.verdict.signal
        if signal is None or signal.tier is not Tier.ADOPT or heard.channel not in _TYPED:
            continue
        if signal.origin is Origin.USER_TYPED and is_same(signal.rule, text):
            placed = replace(signal, cwd=session.cwd, graph=session.graph)
            candidate, _ = promote.judge(harness, placed, identity)
            if candidate is not None and candidate.signal.tier is Tier.ADOPT:
                return candidate
    return None


def _session(harness: str, session_id: str, identity: RepoIdentity, inspect: Inspect) -> Session | None:
    """Return the session that a server was started for, or the one that goes on in its place.

    Claude Code tells a server an id at its start: after `/clear` the session has another one, and for a resumed one it
    tells one that no hook ever names (seen on 2.1.332). It is the last active in that place then.
    """
    named = inspect.session_at(harness, session_id=session_id)
    if named is not None and named.ended_at is None:
        return named
    latest = inspect.session_at(harness, graph=identity.write)
    return latest if latest is not None and latest.ended_at is None else None
