"""Does every path, hash and id that a memory is to name stand in what was seen? Rules are quotes, so it holds for them.

Asserted in one place for all: what a later step (a title, a reworded lesson, a model) brings in is caught here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from wisen.core.types import Candidate

INVENTED: Final = "names `{token}`, which nothing it was learned from says"


def unproven(candidate: Candidate) -> str:
    """Return why a candidate may not be believed: what it names that no quote of its evidence holds. '' if all is."""
    signal = candidate.signal
    said = " ".join(
        " ".join((*(ref.quote for ref in signal.evidence), *(part.text for part in candidate.window))).split()
    )
    known = said.casefold()
    texts = (signal.rule, signal.title, signal.why, signal.how_to_apply)
    found = (token for text in texts for token in tokens(text) if token.casefold() not in known)
    token = next(found, "")
    return INVENTED.format(token=token) if token else ""


def tokens(text: str) -> Iterator[str]:
    """Yield what in a text can only be right or invented: paths, names of files, hashes, ids, versions, numbers."""
    for found in _checkable().finditer(text):
        yield found[0].rstrip(".,:;/")


@cache
def _checkable() -> re.Pattern[str]:
    return re.compile(
        r"https?://[^\s`\"'<>)]+"
        r"|(?<![\w/.@~-])(?:[\w.@~-]*/)+[\w.@~*-]+"
        r"|(?<![\w/.@~-])[\w-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{1,4}\b(?!\()"
        r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
        r"|\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b"
        r"|(?<!\w)#\d+\b|\bv?\d+\.\d+(?:\.\d+)+\b"
    )
