from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.retrieval.lexical import MAX_TERMS, query_terms


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Please run the tests for me", ("run", "tests")),
        ("edit src/main.py now", ("edit", "src/main.py", "src", "main", "py")),
        ("multi-agent", ("multi-agent", "multi", "agent")),
        ("ubuntu 20.04", ("ubuntu", "20.04", "20", "04")),
        ("C++ and c#", ("c++", "c#")),
        ("ＡＢＣ", ("abc",)),
        ("中文优先", ("中文优先",)),
        ("don't", ()),
        ("", ()),
        ("\x00 \ud800 ((", ()),
    ],
)
def test_the_content_words_of_a_query(query: str, terms: tuple[str, ...]) -> None:
    assert query_terms(query) == terms


@given(st.text(max_size=3000))
def test_any_text_gives_few_distinct_terms(text: str) -> None:
    terms = query_terms(text)
    assert len(terms) <= MAX_TERMS
    assert len(set(terms)) == len(terms)
