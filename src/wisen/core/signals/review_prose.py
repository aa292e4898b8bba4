"""Which sentences read like a finding of a review? Reviews are pasted without a heading, a fence or an introducer.

A person who types speaks as I, we or you, or tells the agent what to do. A reviewer, most often a program, writes
whole sentences in the third person about code that is named, and says what is wrong with it. All of it has to come
together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Final

from wisen.core.signals.asking import opens_with_an_ask
from wisen.core.signals.speech import Sentence

REVIEW: Final = "reads like a pasted review"

_FEWEST: Final = 2  # long sentences: one alone may be anybody's
_LONG: Final = 6  # words of a sentence that count as one
_FEW: Final = 3  # one sentence of so many may begin with a name in small letters, or be a title
_USUAL: Final = 10  # words that the sentences of a review have on average


def review_prose(parts: Sequence[Sentence]) -> dict[int, str]:
    """Return, by index, why a sentence is no word of the user's: the whole prompt, or a paragraph, is a review."""
    spoken = [at for at, part in enumerate(parts) if not part.dropped]
    whole = [spoken] if spoken else []
    paragraphs = (list(run) for _, run in groupby(spoken, key=lambda at: parts[at].paragraph))
    found: dict[int, str] = {}
    for run in (*whole, *paragraphs):
        if not found and _is_review([parts[at] for at in run]):
            found |= dict.fromkeys(run, REVIEW)
    return found


def _is_review(parts: Sequence[Sentence]) -> bool:
    if any(opens_with_an_ask(part.text) for part in parts):
        return False
    texts = [_without_quotes(part.text) for part in parts]
    long = [(text, count) for text in texts if (count := len(text.split())) >= _LONG]
    if len(long) < _FEWEST or sum(count for _, count in long) < _USUAL * len(long):
        return False
    if any(_speaks().search(text) or text.rstrip().endswith("?") for text in texts):
        return False
    unkempt = sum(not _is_well_formed(text) for text, _ in long)
    return unkempt <= max(1, len(long) // _FEW) and _finds_fault(texts)


def _is_well_formed(text: str) -> bool:
    text = text.strip()
    return (text[:1].isupper() or text[:1] in '`"(_') and text[-1:] in '.:_"'


def _finds_fault(texts: Iterable[str]) -> bool:
    """Do the sentences name code and say what is wrong with it?"""
    joined = " ".join(texts)
    return bool(_faults().search(joined.lower())) and bool(_code().search(joined))


def _without_quotes(text: str) -> str:
    """Return a sentence with what is quoted in it made one mark: whoever speaks there is not who wrote it."""
    return re.sub(r'"[^"\n]{3,400}"?|“[^”\n]{3,400}”?|`[^`\n]{1,200}`', "_", text)


@cache
def _speaks() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:i|we|you|me|us|my|our|your|mine|ours|yours|let['’]?s|please|pls|always|never (?:commit"
        r"|push|use|run|do)"
        r"|(?:i|we|you)['’]\w+)\b",
        re.IGNORECASE,
    )


@cache
def _code() -> re.Pattern[str]:
    return re.compile(
        r"[a-z0-9][A-Z]\w|\w_\w|\w\(\)|\b\w+\.\w{1,5}\b|(?<!\w)_(?!\w)"
        r"|\b(?:package|function|method|module|class|struct|field|variable|parameter|codebase"
        r"|constructor|handler)s?\b"
    )


@cache
def _faults() -> re.Pattern[str]:
    return re.compile(
        r"\bconsider \w+ing\b|\blines? \d+|\.\w{1,5}:\d+|\bseverity\b"
        r"|\b(?:lacks?|is missing|are missing|unused|duplicat\w+|dead code|silently|redundant"
        r"|unnecessar\w+|inconsisten\w+"
        r"|superseded|unreachable|incorrectly|inaccurate|leak(?:s|ing|ed)?|race condition|out of sync|misleading)\b"
        r"|\bnot (?:\w+ )?(?:accurate|correct|covered|handled|checked|validated|used|called)\b"
        r"|\bnever (?:called|used|closed|read|set|checked|released)\b|\bis only (?:used|called|set)\b"
        r"|\bno (?:\w+ ){0,4}(?:tests?|coverage|validation|handling|checks?|timeout|lock\w*)\b"
        r"|\b(?:this|which|it) (?:can|could|may|might|will|would) (?:\w+ )?(?:cause|lead|result|break"
        r"|fail|hang|produce"
        r"|hide|mask|overwrite)\w*\b"
    )
