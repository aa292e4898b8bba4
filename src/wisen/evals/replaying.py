"""What would wisen have learned and recalled in a repository's real sessions? All of it, session by session."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from wisen.core.types import Memory
from wisen.evals.places import Atlas
from wisen.evals.playing import Played, Player
from wisen.evals.recorded import Recorded, repository_of, sessions_in
from wisen.evals.scoring_facts import FactBook, FactStanding, facts_of
from wisen.evals.scoring_moments import MomentStanding, moments_of, standings
from wisen.evals.silence import Labelled, labelled_sessions
from wisen.evals.stage import stage

FACTS_FILE = "guide_facts.jsonl.gz"
MOMENTS_FILE = "recall_opportunities.jsonl.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """All that came of playing a repository. Facts and moments are empty where there are no labels.

    `held` holds, for each session, how many facts of the guide were revealed and held by its end.
    """

    repository: str
    sessions: tuple[Played, ...]
    memories: tuple[Memory, ...]
    facts: tuple[FactStanding, ...] = ()
    moments: tuple[MomentStanding, ...] = ()
    labelled: Labelled | None = None


def replay(
    folder: Path,
    *,
    labels: Path | None = None,
    raw: bool = False,
    is_past: bool = False,
    only: Collection[str] = (),
    with_model: bool = False,
    step: Callable[[Recorded], object] = lambda _: None,
) -> Replay:
    """Play the sessions of a folder (see `recorded`) in the order of their beginnings, and score them by the labels.

    `raw` plays native files through hook payloads, else abstract events are played; `is_past` as `wisen learn` would
    read them long after; `only` names the sessions to play; `with_model` searches by meaning too. `step` is called
    after each. Raises NotFound, PayloadError, Unsupported.
    """
    repository = repository_of(folder)
    sessions = [one for one in sessions_in(folder, raw=raw) if not only or one.session_id in only]
    facts = facts_of(labels / FACTS_FILE, repository) if labels else ()
    moments = moments_of(labels / MOMENTS_FILE, repository) if labels else ()
    atlas = Atlas()
    book = FactBook(facts, atlas)
    played: list[Played] = []
    with stage(repository, {one.cwd for one in sessions if one.cwd}, is_past=is_past, with_model=with_model) as on:
        player = Player(on, atlas=atlas, watched=[moment.later for moment in moments])
        for recorded in sessions:
            one = player.play(recorded)
            while with_model and on.wisen.embed.step(on.graph, within=1.0):
                pass  # as the daemon's thread does
            book.take(one.number, one.session_id, player.memories)
            played.append(one)
            step(recorded)
        return Replay(
            repository=repository,
            sessions=tuple(played),
            memories=player.memories,
            facts=book.standings,
            moments=standings(moments, player.glimpses, atlas),
            labelled=labelled_sessions(labels, repository) if labels else None,
        )
