"""Feature hashing: near in spelling, the same on every machine, and of length 1."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.vectors import cosine, length, numbers

from wisen.models.hashing import DIMENSION, HashingEmbedder


@given(st.text(max_size=200))
def test_every_text_has_a_vector_of_length_1(text: str) -> None:
    [found] = HashingEmbedder().embed([text])
    assert len(numbers(found.vector)) == DIMENSION == HashingEmbedder().space.dimension
    assert length(found.vector) == pytest.approx(1.0, abs=1e-5)
    assert (found.tokens, found.pieces) == (b"", ())


def test_what_is_spelled_alike_is_near() -> None:
    about, likewise, other = HashingEmbedder().embed(
        ["run the migrations first", "Migration runs first", "bake a cake with two eggs"]
    )
    assert cosine(about, likewise) > 0.3
    assert abs(cosine(about, other)) < 0.15


def test_signs_keep_long_texts_without_a_common_word_from_being_near() -> None:
    """Without signs each shared place would add to the cosine: these would have one of 0.11 on average."""

    def texts(letters: str) -> list[str]:
        words = ["".join(picked) for picked in product(letters, repeat=5)]
        return [" ".join(words[at : at + 60]) for at in range(0, 600, 60)]

    model = HashingEmbedder()
    found = [cosine(*pair) for pair in zip(model.embed(texts("abcde")), model.embed(texts("vwxyz")), strict=True)]
    assert abs(sum(found) / len(found)) < 0.05


def test_the_order_of_words_counts() -> None:
    one, other = HashingEmbedder().embed(["tabs over spaces", "spaces over tabs"])
    assert cosine(one, other) < 0.99


def test_its_vectors_are_the_same_in_every_process() -> None:
    program = (
        "from wisen.models.hashing import HashingEmbedder; import hashlib;"
        "print(hashlib.sha256(HashingEmbedder().embed(['Use httpx, not requests'])[0].vector).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_it_counts_little() -> None:
    assert HashingEmbedder().weight == 0.1
