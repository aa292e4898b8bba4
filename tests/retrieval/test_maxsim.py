from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.builders import FrozenClock, a_graph, a_memory

from wisen.core.embeddings import TURN, Space
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.ports import Embedding
from wisen.retrieval.candidates import Query, Searched, Standard
from wisen.retrieval.maxsim import TokenMatches, packed_tokens
from wisen.retrieval.scoring import scores
from wisen.retrieval.vector import packed
from wisen.store.memory import InMemoryGraphs

SPACE = Space(model="toy", digest="", dimension=384)
DRAWN = np.random.default_rng(1).normal(size=(40, SPACE.dimension))
DRAWN /= np.linalg.norm(DRAWN, axis=1, keepdims=True)


def of(*words: int) -> Embedding:
    """An embedding whose tokens are some of forty directions."""
    states = DRAWN[list(words)].astype("<f4")
    return Embedding(vector=states.mean(axis=0).astype("<f4").tobytes(), tokens=states.tobytes())


def similarities(query: Embedding, space: Space, kept: dict[int, bytes]) -> dict[int, float]:
    return TokenMatches(query, space, kept).similarities()


def test_a_token_is_128_bytes() -> None:
    assert len(packed_tokens(of(1, 2, 3), SPACE)) == 3 * 128
    assert packed_tokens(Embedding(vector=b""), SPACE) == b""


def test_a_passage_with_every_token_of_the_query_has_one_and_more_of_them_count_more() -> None:
    kept = {
        1: packed_tokens(of(1, 2, 3, 9), SPACE),
        2: packed_tokens(of(1, 2, 8), SPACE),
        3: packed_tokens(of(8, 9), SPACE),
    }
    found = similarities(of(1, 2, 3), SPACE, kept)
    assert found[1] == pytest.approx(1.0, abs=0.01)
    assert found[1] > found[2] > found[3]


def test_a_token_that_every_passage_has_says_nothing() -> None:
    kept = {1: packed_tokens(of(1, 5), SPACE), 2: packed_tokens(of(1, 6), SPACE)}
    found = similarities(of(1, 5), SPACE, kept)
    assert found[1] == pytest.approx(1.0, abs=0.02)
    assert found[2] < 0.4  # though half of the tokens are there


def test_the_projection_is_the_same_for_ever() -> None:
    """What is kept was made by it."""
    state = np.zeros((1, SPACE.dimension), "<f4")
    state[0, 0] = 1.0
    kept = packed_tokens(Embedding(vector=b"", tokens=state.tobytes()), SPACE)
    assert kept[:16].hex() == "817f7f7f8181817f7f7f817f81818181"


@pytest.mark.parametrize("held", [b"", b"\x01" * 7])
def test_states_that_are_cut_off_count_nothing(held: bytes) -> None:
    assert similarities(of(1), SPACE, {1: held}) == {1: 0.0}
    assert similarities(of(1), SPACE, {}) == {}
    assert similarities(Embedding(vector=b""), SPACE, {1: packed_tokens(of(1), SPACE)}) == {}


def test_the_store_keeps_them_with_the_vector() -> None:
    store = InMemoryGraphs(FrozenClock()).open(a_graph())
    store.add(a_memory("note"), key="k", actor=Actor.USER, reason="")
    [passage] = store.unembedded(SPACE, limit=1)
    store.put_vectors(SPACE, [packed(passage, of(1, 2), tokens=packed_tokens(of(1, 2), SPACE))])
    assert similarities(of(1, 2), SPACE, dict(store.tokens(SPACE, [passage.number]))) == {
        passage.number: pytest.approx(1.0, abs=0.02)
    }


@pytest.mark.parametrize("category", ["", TURN])
def test_tokens_decide_between_hits_that_are_as_near(category: str) -> None:
    """The better of two has the query's own directions in its tokens; their vectors are the same."""
    graphs = InMemoryGraphs(FrozenClock())
    store = graphs.open(a_graph())
    for n, words in ((1, (7, 8)), (2, (1, 2))):
        memory = replace(a_memory(f"note {n}"), category=category, session_id="s")
        store.add(memory, key=str(n), actor=Actor.USER, reason="")
        [passage] = store.unembedded(SPACE, limit=1)
        same = replace(of(1, 2), tokens=of(*words).tokens)
        store.put_vectors(SPACE, [packed(passage, same, tokens=packed_tokens(same, SPACE))])
    query = Query(text="x", terms=(), space=SPACE, embedding=of(1, 2))
    gathered = Searched(store, query).gather(MemoryFilter(), Standard(share=0.0, nearness=-1.0))
    found = {memory.text: scored for memory, scored in scores(gathered, MemoryFilter()).values()}
    assert found["note 2"].score > found["note 1"].score
    assert found["note 2"].stages["tokens"] > found["note 1"].stages["tokens"]


def test_a_window_has_what_any_of_it_has_and_grammar_says_nothing() -> None:
    kept = {1: packed_tokens(of(1, 9), SPACE), 2: packed_tokens(of(2, 9), SPACE), 3: packed_tokens(of(1, 2), SPACE)}
    plain = TokenMatches(of(1, 2), SPACE, kept)
    found = plain.of_windows({1: (1, 2), 2: (2,), 4: (7,)})
    assert found[1] == pytest.approx(1.0, abs=0.02)
    assert found[2] < 0.7
    assert 4 not in found
    worded = TokenMatches(replace(of(1, 2), pieces=("the", "importer")), SPACE, kept)
    assert worded.of_windows({2: (2,)})[2] == pytest.approx(1.0, abs=0.02)
    only_grammar = TokenMatches(replace(of(1, 2), pieces=("what", "is")), SPACE, kept)
    assert only_grammar.of_windows({2: (2,)}) == plain.of_windows({2: (2,)})


def test_tokens_that_only_some_have_count_for_none() -> None:
    """Else a memory would come before or behind the others for no better reason than when it was embedded."""
    graphs = InMemoryGraphs(FrozenClock())
    store = graphs.open(a_graph())
    for n, words in ((1, (7, 8)), (2, (1, 2))):
        store.add(a_memory(f"note {n}"), key=str(n), actor=Actor.USER, reason="")
        [passage] = store.unembedded(SPACE, limit=1)
        same = replace(of(1, 2), tokens=of(*words).tokens)
        kept = packed_tokens(same, SPACE) if n == 1 else b""
        store.put_vectors(SPACE, [packed(passage, same, tokens=kept)])
    query = Query(text="x", terms=(), space=SPACE, embedding=of(1, 2))
    gathered = Searched(store, query).gather(MemoryFilter(), Standard(share=0.0, nearness=-1.0))
    assert all("tokens" not in scored.stages for _, scored in scores(gathered, MemoryFilter()).values())
