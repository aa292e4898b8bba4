"""Do two wordings state one rule? The same names and words, wanted or not alike, under the same conditions.

Precision first: two rules that are wrongly made one lose one of them; two that are kept apart are a little noise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import Final

from wisen.core.gist import Gist, Mark, Part, gist_of
from wisen.core.gist_words import is_relation, is_told_by
from wisen.core.lifecycle import rule_key
from wisen.core.signals.names import TOOLS
from wisen.core.signals.wording import folded

_FEWEST_WORDS: Final = 2
"""A rule of one word and no name says too little to be told from another one."""

_ORDERED: Final = frozenset({Part.BEFORE, Part.AFTER, Part.FROM, Part.INTO, Part.EXCEPT})


class Likeness(StrEnum):
    """How one rule stands to another."""

    SAME = "same"  # the same rule
    NARROWER = "narrower"  # the same rule, and the other one also says what to do instead, or what not
    WIDER = "wider"  # the same rule, and the first one also says it
    OPPOSED = "opposed"  # about the same things, of which one wants what the other does not
    OTHER = "other"


def likeness(one: str, other: str) -> Likeness:
    """Return how `one` stands to `other`."""
    if rule_key(one) == rule_key(other):
        return Likeness.SAME
    return _compared(gist_of(one), gist_of(other))


def is_same(one: str, other: str) -> bool:
    """Do two wordings state one rule?"""
    return likeness(one, other) in {Likeness.SAME, Likeness.NARROWER, Likeness.WIDER}


def key_words(text: str) -> tuple[str, ...]:
    """Return the words by which a wording of the same rule can be found: its names first, then its other words."""
    marks = gist_of(text).marks
    ordered = (*(m.word for m in marks if m.is_name), *(m.word for m in marks if not m.is_name))
    return tuple(dict.fromkeys(ordered))


def is_change(text: str) -> bool:
    """Do the words say that something is otherwise from now on?"""
    return bool(_change().search(folded(text)))


def gives_up(one: str, other: str) -> bool:
    """Does `one` say that what `other` wants holds no longer ("we moved from A to B", "no longer A")?

    Only an explicit change of the same thing, under no other condition, takes a rule's place.
    """
    if not is_change(one):
        return False
    said, before = gist_of(one).marks, gist_of(other).marks
    gone = {mark.word for mark in said if mark.is_name and (not mark.wanted or mark.part is Part.FROM)}
    wanted = [mark for mark in before if mark.wanted and mark.is_name]
    others = [mark for mark in before if not mark.is_name and _match(mark, said) is None]
    is_bound = any(mark.part in _ORDERED for mark in before) or _unsaid(others)
    return bool(wanted) and not is_bound and all(mark.word in gone for mark in wanted)


def _unsaid(marks: Sequence[Mark]) -> bool:
    return any(mark.part is not Part.MAIN or not is_told_by(mark.stem, choice=True, place=False) for mark in marks)


@cache
def _change() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:no longer|not any ?more|any ?more\b|(?:we(?:'ve| have)?|i(?:'ve| have)?) (?:just |now"
        r" )?(?:moved|switched|migrated|changed"
        r"|went) (?:away |over )?from|instead of .* (?:from now on|now)\b|now .* instead of|from now on .*"
        r" instead of"
        r"|from now on .* not|nicht mehr|sind (?:\w+ )?von .* (?:auf|zu) .* (?:umgestiegen|gewechselt)|ab"
        r" jetzt|ya no|hemos (?:pasado|migrado"
        r"|cambiado) de|a partir de ahora|ne .* plus\b|on est pass[ée]s? de|nous sommes passés de|désormais"
        r"|non .* più\b|siamo passati da"
        r"|d'ora in poi|já não|não .* mais\b|mudamos de|migramos de|больше не|перешли с|теперь .* вместо"
        r"|không còn|đã chuyển từ|từ giờ)"
        r"|不再|改用|从.*(?:迁移|换|转)到|もう.*(?:使わない|使いません)|から.*に(?:移行|変更|乗り換え)|더 ?이상"
        r"|에서 .*(?:으)?로 (?:옮겼|바꿨|전환)"
    )


def _compared(one: Gist, other: Gist) -> Likeness:
    pairs = [(mark, twin) for mark in one.marks if (twin := _match(mark, other.marks)) is not None]
    if not pairs or one.is_leave != other.is_leave:
        return Likeness.OTHER
    more = _unmatched(one.marks, other.marks, pairs)
    less = _unmatched(other.marks, one.marks, pairs)
    choice = _is_choice(pairs)
    if any(mark.wanted is not twin.wanted and (mark.is_name or not choice) for mark, twin in pairs):
        return Likeness.OPPOSED if _is_opposed(pairs, more, less) else Likeness.OTHER
    if not _says_enough(pairs) or _differ_in_part(pairs) or _differ_in_order(one, other, pairs):
        return Likeness.OTHER
    if not more and not less:
        return Likeness.SAME
    if more and less:
        return Likeness.OTHER
    if _only_completes([mark for mark, _ in pairs], more or less):
        return Likeness.WIDER if more else Likeness.NARROWER
    return Likeness.OTHER


def _unmatched(marks: Sequence[Mark], among: Sequence[Mark], pairs: Sequence[tuple[Mark, Mark]]) -> list[Mark]:
    """Return the marks without a match that say something which the shared names don't say already."""
    choice = _is_choice(pairs)
    names = [mark for mark, twin in pairs if mark.is_name or twin.is_name]
    place = any("/" in mark.word or "." in mark.word for mark in names)
    alone = (mark for mark in marks if _match(mark, among) is None)
    return [mark for mark in alone if mark.is_name or not is_told_by(mark.stem, choice=choice, place=place)]


def _is_choice(pairs: Sequence[tuple[Mark, Mark]]) -> bool:
    """Do both say "this name, not that one"?"""
    names = [mark for mark, twin in pairs if mark.wanted is twin.wanted and (mark.is_name or mark.word in TOOLS)]
    return len({mark.wanted for mark in names}) > 1 and any(mark.is_name for mark in names)


def _match(mark: Mark, among: Sequence[Mark]) -> Mark | None:
    """Return the mark that means the same thing, one that is wanted alike before others."""
    found = [other for other in among if _is_one_thing(mark, other)]
    return min(found, key=lambda other: (other.wanted is not mark.wanted, other.part is not mark.part), default=None)


def _is_one_thing(one: Mark, other: Mark) -> bool:
    if one.word == other.word:
        return True
    return not (one.is_name and other.is_name) and one.stem == other.stem


def _says_enough(pairs: Sequence[tuple[Mark, Mark]]) -> bool:
    has_name = any(mark.is_name or twin.is_name for mark, twin in pairs)
    return has_name or len({mark.stem for mark, _ in pairs}) >= _FEWEST_WORDS


def _differ_in_part(pairs: Sequence[tuple[Mark, Mark]]) -> bool:
    """Is something a condition of one that is none of the other ("before X, do Y" and "before Y, do X")?"""
    return any(mark.part is not twin.part and {mark.part, twin.part} & _ORDERED for mark, twin in pairs)


def _differ_in_order(one: Gist, other: Gist, pairs: Sequence[tuple[Mark, Mark]]) -> bool:
    """Is who does what to whom told by the order, and is the order another one?"""
    for wanted in (True, False):
        names = [(mark, twin) for mark, twin in pairs if mark.is_name and twin.is_name and mark.wanted is wanted]
        if not (one.is_list and other.is_list) and _is_reordered(names, other):
            return True
    related = [(mark, twin) for mark, twin in pairs if mark.part is Part.MAIN is twin.part]
    if not any(is_relation(mark.stem) for mark, _ in related):
        return False
    return _is_reordered([(mark, twin) for mark, twin in related if not is_relation(mark.stem)], other)


def _is_reordered(pairs: Sequence[tuple[Mark, Mark]], other: Gist) -> bool:
    at = [other.marks.index(twin) for _, twin in pairs]
    return at != sorted(at)


def _only_completes(shared: Sequence[Mark], more: Sequence[Mark]) -> bool:
    """Does what one says beyond the other only name the alternative ("use X" and "use X, not Y")?"""
    wants = {mark.wanted for mark in shared if mark.part is Part.MAIN}
    return len(wants) == 1 and all(mark.part is Part.MAIN and mark.wanted not in wants for mark in more)


def _is_opposed(pairs: Sequence[tuple[Mark, Mark]], more: Sequence[Mark], less: Sequence[Mark]) -> bool:
    """Are the two about the same thing, as "use A, not B" and "use B, not A" or "use A" and "no A" are?"""
    if any(mark.part is not Part.MAIN for mark in (*more, *less)):
        return False
    turned = [mark for mark, twin in pairs if mark.wanted is not twin.wanted]
    return any(mark.is_name for mark in turned) or (len(turned) >= _FEWEST_WORDS and not more and not less)
