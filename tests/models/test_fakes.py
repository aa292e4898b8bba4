"""The fake model: as near as it is told."""

from __future__ import annotations

import pytest
from tests.models.vectors import cosine, length

from wisen.errors import EmbeddingFailed
from wisen.models.fakes import FakeEmbedder, FakeEmbedders


def test_synonyms_are_one_direction_and_other_words_another() -> None:
    fake = FakeEmbedder([("car", "automobile")])
    car, automobile, tree = fake.embed(["car", "automobile", "tree"])
    assert cosine(car, automobile) == pytest.approx(1.0, abs=1e-5)
    assert cosine(car, tree) < 0.6
    assert [length(one.vector) for one in (car, automobile, tree)] == pytest.approx([1.0] * 3, abs=1e-5)
    assert fake.asked == ["car", "automobile", "tree"]


def test_its_chain_answers_with_the_space_until_it_failed() -> None:
    fake = FakeEmbedder()
    chain = FakeEmbedders(fake)
    found = chain.query("words", within=0)
    assert found is not None
    assert (found[0], found[2]) == (fake.space, fake.weight)
    chain.failed(fake, EmbeddingFailed("gone"))
    assert chain.query("words", within=0) is None
    assert chain.now(within=0) is None
    assert not chain.is_loaded()
