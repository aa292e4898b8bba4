"""The words of recall moments, put to the real pipeline over the lessons that their repository had by then.

A pipeline is named by its parts:

- `text`: what `wisen recall --by words` finds over the words of the lessons; `model`: the same with the packaged model.
- `error`: the call that failed and what it printed are indexed with each lesson.
- `signature`: before a command come first the lessons whose signature it meets, as they would be recipes; `recipe`: of
  these only those that wisen makes recipes of by itself. Alone, nothing else comes.
- `hook`: what a hook would be answered with if every lesson were a memory: before a command the signature alone, at a
  prompt the model's search under the stricter standard for what nobody asked for. Confidence and budget cut nothing.
- `bm25` and `grep`, the baselines: SQLite's index alone, and how many of the words are there as they are written.

What happened where a lesson was learned is read from the recorded sessions; without these there are only texts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

from wisen.adapters.shell import segments
from wisen.core.lifecycle import fingerprint
from wisen.core.places import names_in_prose
from wisen.core.portable import MemoryRecord
from wisen.core.recalls import Budget, By, MemoryFilter, RecallRequest, RecallTrigger
from wisen.core.signals.repeated_lookup import sought_in
from wisen.core.types import Anchor, GraphId, GraphKind, Memory, MemoryKind, ShellSegment, Source
from wisen.engine.embed import Embed
from wisen.errors import UsageError
from wisen.evals.moment_labels import Lesson, Opportunity, lessons_of
from wisen.evals.moment_sources import Origin, Sessions, call_in
from wisen.evals.search_metrics import DEPTH, Scores, scores
from wisen.evals.search_pieces import said_at
from wisen.evals.stage import CountedIds, EventClock
from wisen.models.chain import EmbedderChain, EmbeddingConfig
from wisen.ports import GraphStore
from wisen.retrieval.lexical import query_terms
from wisen.retrieval.pipeline import Means, retrieve
from wisen.store.sqlite.graphs import SqliteGraphs

BASELINES: Final = ("bm25", "grep")
OF_WORDS: Final = ("text", "model", *BASELINES)
"""Pipelines that need no recorded session."""

PIPELINES: Final = (
    "text", "text+error", "text+recipe", "text+signature", "text+error+signature",
    "model", "model+error", "model+recipe", "model+signature", "model+error+signature",
    "recipe", "signature", "hook", *BASELINES,
)  # fmt: skip
_WITH_MODEL: Final = ("model", "hook")

_EPOCH: Final = datetime(2024, 1, 1, tzinfo=UTC)
_WHOLE: Final = Budget(max_chars=1_000_000, max_memory_chars=1_000_000, max_items=DEPTH)
_LOADING_S: Final = 60.0
_SHORTEST_WORD: Final = 2

Ranking: TypeAlias = Sequence[str]
Progress: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A moment, how many lessons there were to choose from, and what each pipeline scored."""

    moment: Opportunity
    lessons: int
    scores: Mapping[str, Scores]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What is about to run, as a hook would have told it; nothing at a prompt."""

    segments: tuple[ShellSegment, ...] = ()
    names: tuple[str, ...] = ()


def run(
    moments: Sequence[Opportunity],
    pipelines: Sequence[str],
    *,
    sessions: Sessions | None = None,
    progress: Progress = lambda _: None,
) -> tuple[Scored, ...]:
    """Put every moment to each pipeline, in the order of the file. Writes nothing outside of a temporary directory.

    Raises UsageError where a pipeline needs recorded sessions and there are none, or a model that is not there.
    """
    if sessions is None and (needing := [name for name in pipelines if name not in OF_WORDS]):
        raise UsageError(f"{needing[0]!r} needs the recorded sessions", hint="--corpus DIR names them")
    needs_model = any(name.startswith(_WITH_MODEL) for name in pipelines)
    scored: dict[Opportunity, Scored] = {}
    with ExitStack() as stack:
        chain = stack.enter_context(_model()) if needs_model else None
        for repository, lessons in lessons_of(moments).items():
            progress(f"{repository}: {len(lessons)} lessons")
            with _shelf(repository, lessons, sessions, chain) as shelf:
                own = [moment for moment in moments if moment.repository == repository]
                for moment in sorted(own, key=lambda one: one.later_no):
                    shelf.learn_until(moment.later_no)
                    scored[moment] = shelf.score(moment, pipelines)
    return tuple(scored[moment] for moment in moments)


@contextmanager
def _model() -> Iterator[EmbedderChain]:
    chain = EmbedderChain(EmbeddingConfig(mode="packaged"))
    try:
        if chain.now(within=_LOADING_S) is None:
            raise UsageError(
                f"there is no model: {chain.state()}", hint="pip install 'wisen[local]', or --pipeline text"
            )
        yield chain
    finally:
        chain.close()


@contextmanager
def _shelf(
    repository: str, lessons: Sequence[Lesson], sessions: Sessions | None, chain: EmbedderChain | None
) -> Iterator[_Shelf]:
    with tempfile.TemporaryDirectory(prefix="wisen-eval-") as directory:
        graphs = SqliteGraphs(Path(directory), EventClock(_EPOCH))
        try:
            yield _Shelf(repository=repository, lessons=lessons, sessions=sessions, graphs=graphs, chain=chain)
        finally:
            graphs.close()


@dataclass(slots=True, kw_only=True)
class _Shelf:
    """The lessons of one repository, twice: by their words alone, and with what happened. It fills as time goes on."""

    repository: str
    lessons: Sequence[Lesson]
    sessions: Sessions | None
    graphs: SqliteGraphs
    chain: EmbedderChain | None
    _learned: list[Lesson] = field(default_factory=list)
    _ids: CountedIds = field(default_factory=CountedIds)
    _lesson_of: dict[str, str] = field(default_factory=dict)
    _recipes: set[str] = field(default_factory=set)

    def learn_until(self, number: int) -> None:
        """Put in the lessons of the sessions before one."""
        fresh = [lesson for lesson in self.lessons[len(self._learned) :] if lesson.number < number]
        for lesson in fresh:
            self._put(_BY_WORDS, lesson, Origin())
            if self.sessions is not None:
                session = self.sessions.session(self.repository, lesson.place.session_id)
                self._put(_WITH_ORIGIN, lesson, session.origin(lesson.place, quote=lesson.quote))
        self._learned += fresh
        if self.chain is not None:
            work = Embed(graphs=self.graphs, embedders=self.chain)
            for graph in self.graphs.graphs():
                while work.step(graph, within=_LOADING_S, keep=True):
                    pass

    def score(self, moment: Opportunity, pipelines: Sequence[str]) -> Scored:
        """Return what pipelines make of a moment; `lessons` are those that it can choose from."""
        gold = next(lesson.lesson_id for lesson in self.lessons if lesson.text == moment.lesson)
        ranked = {name: self._ranked(name, moment) for name in pipelines}
        return Scored(
            moment=moment,
            lessons=len(self._learned),
            scores={name: scores(found, [gold]) for name, found in ranked.items()},
        )

    def _ranked(self, pipeline: str, moment: Opportunity) -> Ranking:
        match pipeline:
            case "bm25":
                terms = [term.text for term in query_terms(moment.query) if " " not in term.text]
                hits = self._store(_BY_WORDS).search(terms, MemoryFilter(), limit=DEPTH).hits
                return [self._lesson_of[hit.memory.memory_id] for hit in hits]
            case "grep":
                return _by_grep(moment.query, self._learned)
            case "hook":
                return self._by_signature(moment) if moment.is_before_a_tool else self._by_prompt(moment)
            case _:
                return self._by_parts(pipeline.split("+"), moment)

    def _by_parts(self, parts: Sequence[str], moment: Opportunity) -> Ranking:
        signed: Ranking = ()
        if moment.is_before_a_tool and {"signature", "recipe"} & set(parts):
            signed = self._by_signature(moment)
        if "recipe" in parts:
            signed = [lesson for lesson in signed if lesson in self._recipes]
        if parts[0] not in OF_WORDS:
            return signed
        graph = _WITH_ORIGIN if "error" in parts else _BY_WORDS
        worded = self._by_query(graph, moment, self.chain if "model" in parts else None)
        return tuple(dict.fromkeys((*signed, *worded)))

    def _by_query(self, graph: GraphId, moment: Opportunity, chain: EmbedderChain | None) -> Ranking:
        """As a person would ask who has the moment's words."""
        request = RecallRequest(
            trigger=RecallTrigger.MANUAL,
            graphs=(graph,),
            query=moment.query,
            filter=MemoryFilter(),
            budget=_WHOLE,
            by=By.BOTH if chain else By.WORDS,
        )
        return self._retrieved(request, _at(moment.later_date, moment.later_no), chain)

    def _by_prompt(self, moment: Opportunity) -> Ranking:
        """As the hook would ask at the prompt."""
        request = RecallRequest(
            trigger=RecallTrigger.USER_PROMPT,
            graphs=(_BY_WORDS,),
            query=moment.query,
            filter=MemoryFilter(with_places=False),
            budget=_WHOLE,
            names=names_in_prose(moment.query),
        )
        return self._retrieved(request, _at(moment.later_date, moment.later_no), self.chain)

    def _by_signature(self, moment: Opportunity) -> Ranking:
        """As the hook would ask before the call."""
        call = self._call(moment)
        request = RecallRequest(
            trigger=RecallTrigger.PRE_TOOL,
            graphs=(_WITH_ORIGIN,),
            query=moment.query,
            filter=MemoryFilter(with_places=False),
            budget=_WHOLE,
            segments=call.segments,
            names=call.names,
        )
        return self._retrieved(request, _at(moment.later_date, moment.later_no))

    def _retrieved(self, request: RecallRequest, now: datetime, chain: EmbedderChain | None = None) -> Ranking:
        means = Means(embedders=chain, within=_LOADING_S)
        found = retrieve(request, self.graphs, now=now, means=means).hits
        return [self._lesson_of[hit.memory.memory_id] for hit in found]

    def _call(self, moment: Opportunity) -> Call:
        told = self.sessions.session(self.repository, moment.later.session_id) if self.sessions else None
        call = call_in(told.at(moment.later)) if told else None
        if call is None:
            return Call(segments=segments(moment.query))
        return Call(segments=call.segments, names=sought_in(call))

    def _put(self, graph: GraphId, lesson: Lesson, origin: Origin) -> None:
        memory = as_memory(lesson, origin, graph=graph, memory_id=self._ids.new_id())
        self._lesson_of[memory.memory_id] = lesson.lesson_id
        if origin.is_recipe or memory.source is Source.REPEATED_LOOKUP:
            self._recipes.add(lesson.lesson_id)
        self._store(graph).take_in([MemoryRecord(graph=graph, memory_id=memory.memory_id, memory=memory)])

    def _store(self, graph: GraphId) -> GraphStore:
        return self.graphs.open(graph)


_BY_WORDS, _WITH_ORIGIN = (
    GraphId(kind=GraphKind.REPO, harness="eval", authority="moments", path=name) for name in ("words", "origin")
)


def as_memory(lesson: Lesson, origin: Origin, *, graph: GraphId, memory_id: str) -> Memory:
    """Return a lesson as a memory; what happened is indexed with it as its reason."""
    is_place = bool(origin.names) and origin.trigger is None
    return Memory(
        memory_id=memory_id,
        graph=graph,
        kind=MemoryKind.PROCEDURAL if origin.trigger else MemoryKind.SEMANTIC,
        text=lesson.text,
        why="\n".join(filter(None, (origin.command, origin.error))),
        digest=fingerprint(lesson.text),
        created_at=_at(lesson.date, lesson.number),
        source=Source.REPEATED_LOOKUP if is_place else Source.FAILURE_DELTA if origin.trigger else None,
        anchors=(Anchor(path="", symbol=origin.names[0]),) if is_place else (),
        session_id=lesson.place.session_id,
        confidence=1.0,
        trigger=origin.trigger,
    )


def _at(date: str, number: int) -> datetime:
    """Return a time for a session: on its day, in the order of the sessions."""
    return (said_at(date) or _EPOCH) + timedelta(minutes=number)


def _by_grep(query: str, lessons: Sequence[Lesson]) -> Ranking:
    words = {word for word in query.casefold().split() if len(word) >= _SHORTEST_WORD}
    counts = [(sum(word in lesson.text.casefold() for word in words), lesson.lesson_id) for lesson in lessons]
    return [name for count, name in sorted(counts, key=lambda one: -one[0]) if count][:DEPTH]
