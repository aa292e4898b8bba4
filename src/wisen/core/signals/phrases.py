"""Which ideas do the words of a sentence express? Many ideas, each a list of phrases, looked up in one walk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

MAX_WORDS: Final = 4
"""Longest phrase, in words."""

_SHORTEST_STEM: Final = 3


@dataclass(frozen=True, slots=True)
class Idea:
    """One idea and the phrases that express it, divided by `|`, in English and in other languages.

    A phrase is up to four words in lower case; a star at its end stands for any ending ("commit*"). Words have no
    marks but the apostrophe. What is written in Chinese, Japanese or Korean is found anywhere in the text. An idea
    that is `shared` has English words that are used in other languages as they are (commit, branch).
    """

    name: str
    english: str
    others: str
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """The phrases of many ideas, by how they are found."""

    whole: Mapping[str, tuple[str, ...]]
    stems: Mapping[str, tuple[str, ...]]
    parts: tuple[tuple[str, str], ...]
    beginnings: frozenset[str]


def indexed(ideas: Sequence[Idea], *, english: bool) -> Index:
    """Return the phrases of all ideas, ready to be looked up in English or in any other language."""
    whole: dict[str, list[str]] = {}
    stems: dict[str, list[str]] = {}
    parts: list[tuple[str, str]] = []
    for idea in ideas:
        for phrase in _phrases(idea, english=english):
            if is_written_without_spaces(phrase):
                parts.append((phrase, idea.name))
            elif phrase.endswith("*"):
                stems.setdefault(phrase[:-1], []).append(idea.name)
            else:
                whole.setdefault(phrase, []).append(idea.name)
    beginnings = {phrase.split(" ", 1)[0] for phrase in (*whole, *stems) if " " in phrase}
    return Index(
        whole={phrase: tuple(names) for phrase, names in whole.items()},
        stems={stem: tuple(names) for stem, names in stems.items()},
        parts=tuple(parts),
        beginnings=frozenset(beginnings),
    )


def _phrases(idea: Idea, *, english: bool) -> Iterator[str]:
    yield from (phrase for phrase in idea.others.split("|") if not english or is_written_without_spaces(phrase))
    if english or idea.shared:
        yield from idea.english.split("|")


def ideas_in(index: Index, folded: str, words: Sequence[str]) -> set[str]:
    """Return the names of the ideas that a folded text and its words (`words_of`) express."""
    found: set[str] = set()
    for at, word in enumerate(words):
        if names := index.whole.get(word):
            found.update(names)
        found.update(_of_stem(index, word))
        if word in index.beginnings:
            found.update(_of_phrase(index, words, at))
    if not folded.isascii():
        found.update(name for part, name in index.parts if part in folded)
    return found


def _of_phrase(index: Index, words: Sequence[str], at: int) -> Iterator[str]:
    for length in range(2, MAX_WORDS + 1):
        phrase = " ".join(words[at : at + length])
        yield from index.whole.get(phrase, ())
        yield from _of_stem(index, phrase, shortest=phrase.rfind(" ") + _SHORTEST_STEM)


def _of_stem(index: Index, word: str, *, shortest: int = _SHORTEST_STEM) -> Iterator[str]:
    for length in range(max(shortest, _SHORTEST_STEM), len(word) + 1):
        if names := index.stems.get(word[:length]):
            yield from names


@cache
def _word() -> re.Pattern[str]:
    # "pushしない" is two words
    signs = r"\u3040-\u9fff\uac00-\ud7af"
    return re.compile(rf"[^\W_{signs}]+(?:'[^\W_{signs}]+)?|[{signs}]+")


def words_of(folded: str) -> list[str]:
    """Return the words of a folded text, without marks."""
    return _word().findall(folded)


def is_written_without_spaces(phrase: str) -> bool:
    """Does a text hold Chinese, Japanese or Korean?"""
    return any("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in phrase)


# --- English, or not --------------------------------------------------------------------------------------------

_ENGLISH: Final = frozenset(
    "the and is to it of you we this that for in not with can are do what on i don't my if but there be have please"
    " should use when then add why how just all never always from".split()
)
_OTHERS: Final = frozenset(
    "der die das und ist nicht wir ich bitte auch ein eine mit für auf es zu den noch wie la le les et est pas"
    " nous une"
    " dans pour sur que des du je ça ce il el los las y es una para con por lo del hay como pero os as e é não uma em"
    " isso da gli che per nel si di un non questo della come ma się nie jest to na w z że không và là của cho các này"
    " thì на не и в что это мы я как с по же у de en immer nie niemals hier vor siempre nunca toujours ne jamais"
    " ici avant"
    " sempre mai qui prima sono stanno antes aqui zawsze nigdy tutaj przed są".split()
)
"""Everyday words: enough to tell English, in which most prompts are, from everything else."""


def is_english(words: Sequence[str]) -> bool:
    """Do the words of a prompt hold at least as many everyday ones of English as of other languages?"""
    english = sum(word in _ENGLISH for word in words)
    others = sum(word in _OTHERS or not word.isascii() for word in words)
    return english > others or (english == others and all(word.isascii() for word in words))
