"""Which words of a query count: the terms that are looked up in the index."""

from __future__ import annotations

import re
import unicodedata

# Function words of prompts, not content: a match on these says nothing about the topic.
_STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below but by can could
    did do does doing don done down during each else few for from further get go had has have having he her here hers
    him his how i if in into is it its just let like ll make may me might more most must my no nor not now of off on
    once one only or other our out over own please re s same shall she should so some such t than that the their them
    then there these they this those through to too under until up us use used using ve very want was way we were what
    when where which while who why will with would you your yes ok okay thanks new need needs now
    """.split()
)
_WORD = re.compile(r"\w+(?:[./:_+#@-]+\w+)*[+#]*", re.UNICODE)
MAX_TERMS = 64


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct content terms of a query in order, lower-cased, at most 64.

    Compound terms (`src/main.py`, `multi-agent`) are kept whole and followed by their parts.
    """
    terms: dict[str, None] = {}
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).lower()):
        word = match.group()
        parts = [part for part in re.split(r"[./:_+#@-]+", word) if part]
        for term in [word, *(parts if len(parts) > 1 else [])]:
            if term not in _STOP_WORDS and (len(term) > 1 or not term.isascii()):
                terms.setdefault(term, None)
            if len(terms) >= MAX_TERMS:
                return tuple(terms)
    return tuple(terms)
