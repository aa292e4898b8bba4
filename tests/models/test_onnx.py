"""The packaged encoder: what is near, what a batch changes (nothing), and what is refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.vectors import cosine, length, numbers

from wisen.errors import EmbeddingFailed
from wisen.models import onnx, places
from wisen.models.onnx import MOST_TOKENS, OnnxEmbedder
from wisen.ports import Embedding

pytestmark = pytest.mark.model

SPECIAL = 2  # [CLS] and [SEP]
WORDS = "the tests of the parser fail on windows because a path has another separator there".split()
TEXTS = ["", "one", *(" ".join(WORDS[: 1 + at % len(WORDS)] * (1 + at % 7)) for at in range(40))]


@pytest.mark.parametrize(
    ("other", "published"),
    [("That is a happy dog", 0.6946), ("That is a very happy person", 0.9429), ("Today is a sunny day", 0.2569)],
)
def test_it_is_the_published_model(encoder: OnnxEmbedder, other: str, published: float) -> None:
    """The figures are those of the original in 32 bits; weights in 8 bits move them by up to 0.004."""
    assert cosine(*encoder.embed(["That is a happy person", other])) == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("Never commit without asking.", "Ask before you commit anything.", 0.82),
        ("Use httpx for HTTP calls.", "We make requests with httpx.", 0.70),
        ("Run the tests with pytest -n auto.", "How do I start the test suite?", 0.41),
        ("Never commit without asking.", "The cake needs two eggs.", 0.05),
        ("Run the tests with pytest -n auto.", "The cake needs two eggs.", 0.01),
    ],
)
def test_what_means_the_same_is_near(encoder: OnnxEmbedder, left: str, right: str, expected: float) -> None:
    assert cosine(*encoder.embed([left, right])) == pytest.approx(expected, abs=0.006)


def test_its_space_names_the_files_and_the_length(encoder: OnnxEmbedder) -> None:
    assert encoder.space.dimension == places.PACKAGED_DIMENSION
    assert encoder.space.digest == places.packaged().digest
    assert encoder.weight == 1.0


def test_a_text_has_the_same_embedding_beside_any_others(encoder: OnnxEmbedder) -> None:
    together = encoder.embed(TEXTS)
    assert list(together) == [encoder.embed([text])[0] for text in TEXTS]
    assert list(encoder.embed(TEXTS[::-1])) == list(together)[::-1]


def test_there_is_a_state_of_length_1_for_each_word_piece(encoder: OnnxEmbedder) -> None:
    [found] = encoder.embed(["Unbelievably, pytest."])
    size = 4 * encoder.space.dimension
    states = [found.tokens[at : at + size] for at in range(0, len(found.tokens), size)]
    assert len(found.pieces) == len(states) > len("Unbelievably , pytest .".split())
    assert [length(state) for state in (found.vector, *states)] == pytest.approx([1.0] * (1 + len(states)), abs=1e-5)


def test_a_text_without_words_has_an_embedding_too(encoder: OnnxEmbedder) -> None:
    for found in encoder.embed(["", " \n", "\x00"]):
        assert (found.tokens, found.pieces) == (b"", ())
        assert length(found.vector) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_have_no_embeddings(encoder: OnnxEmbedder) -> None:
    assert list(encoder.embed([])) == []


def test_half_a_character_is_no_reason_to_fail(encoder: OnnxEmbedder) -> None:
    [found] = encoder.embed(["\ud800 and some words"])
    assert length(found.vector) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("word", ["word ", "中", "a" * 90 + " "])
def test_a_long_text_is_cut_at_what_the_model_reads(encoder: OnnxEmbedder, word: str) -> None:
    short, long = encoder.embed([word * MOST_TOKENS, word * 200_000])
    assert len(long.pieces) == MOST_TOKENS - SPECIAL
    assert long == short


def test_threads_get_what_one_alone_gets(encoder: OnnxEmbedder) -> None:
    alone = encoder.embed(TEXTS[:12])

    def embedded(_: int) -> list[Embedding]:
        return list(encoder.embed(TEXTS[:12]))

    with ThreadPoolExecutor(8) as pool:
        assert all(found == list(alone) for found in pool.map(embedded, range(16)))


@given(st.lists(st.integers(min_value=2, max_value=MOST_TOKENS), max_size=80))
def test_a_batch_holds_no_more_tokens_than_one_long_text(lengths: list[int]) -> None:
    batches = list(onnx._batches(lengths))
    assert sorted(at for batch in batches for at in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[at] for at in batch) <= MOST_TOKENS for batch in batches)


def test_its_threads_sleep_between_two_calls() -> None:
    import onnxruntime

    options = onnx._options(onnxruntime)
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"
    assert options.get_session_config_entry("session.inter_op.allow_spinning") == "0"
    assert options.intra_op_num_threads <= 2
    assert options.inter_op_num_threads == 1


@pytest.mark.parametrize("kept", [0, 1000, 22_000_000])
def test_a_file_that_is_cut_is_refused(tmp_path: Path, kept: int) -> None:
    found = places.packaged()
    cut = tmp_path / "model.onnx"
    cut.write_bytes(found.model.read_bytes()[:kept])
    with pytest.raises(EmbeddingFailed):
        OnnxEmbedder(cut, found.tokenizer, name="cut", digest="")


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\x00", b'{"model": {"type": "BPE"}}'])
def test_a_tokenizer_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    broken = tmp_path / "tokenizer.json"
    broken.write_bytes(content)
    with pytest.raises(EmbeddingFailed):
        OnnxEmbedder(places.packaged().model, broken, name="broken", digest="")


@pytest.mark.parametrize("names", [("input_ids",), ("input_ids", "attention_mask", "pixels"), ()])
def test_a_model_that_reads_something_else_is_refused(names: tuple[str, ...]) -> None:
    session = SimpleNamespace(get_inputs=lambda: [SimpleNamespace(name=name) for name in names])
    with pytest.raises(EmbeddingFailed):
        onnx._checked_inputs(session, Path("model.onnx"))


class Other:
    """A session whose model says something else."""

    def __init__(self, session: Any, change: Any) -> None:
        self._session, self._change = session, change

    def run(self, names: None, given: Any) -> list[Any]:
        return [self._change(self._session.run(names, given)[0])]


def _raised(_: Any) -> Any:
    raise RuntimeError("no more memory")


@pytest.mark.parametrize(
    "change",
    [lambda states: states * float("nan"), lambda states: states.mean(axis=1), lambda states: states[:, :1], _raised],
    ids=["no numbers", "pooled already", "too few", "raises"],
)
def test_what_are_no_states_becomes_no_vector(
    encoder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch, change: Any
) -> None:
    monkeypatch.setattr(encoder, "_session", Other(encoder._session, change))
    with pytest.raises(EmbeddingFailed):
        encoder.embed(["some words"])


def test_its_vector_is_the_mean_of_the_states(encoder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def kept(states: Any) -> Any:
        seen.append(states)
        return states

    monkeypatch.setattr(encoder, "_session", Other(encoder._session, kept))
    [found] = encoder.embed(["two words"])
    mean = seen[0][0].mean(axis=0)
    assert numbers(found.vector) == pytest.approx((mean / (mean**2).sum() ** 0.5).tolist(), abs=1e-6)
