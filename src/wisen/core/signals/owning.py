"""What an asking to remember owns: the rest of its line, what is wrapped or listed below, or what it points back at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from wisen.core.signals.asking import Ask, ask_in
from wisen.core.signals.cues import has
from wisen.core.signals.cues_against import ANSWER, QUESTION
from wisen.core.signals.cues_around import REASON
from wisen.core.signals.speech import Sentence
from wisen.core.signals.wording import folded, is_dangling, is_standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """A rule, and the indexes of the sentences it takes up, `until` exclusive."""

    rule: str
    first: int
    until: int


@cache
def _placeholder() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?:the|these|those|my|our|this|two|three|four|five|\d+|a|few|some|all|following|important|next|new"
        r"|simple|more|other|basic|about) )*(?:following|things?|rules?|points?|facts?|notes?|conventions?"
        r"|guidelines?|stuff|these|this|following ones?)(?: (?:about|for|in|of|on"
        r"|from)(?: [\w'-]+){1,4}?)?\s*(?:[:：]\s*|[.!]*$)|what (?:i|we) (?:just |already )*(?:told|said|agreed"
        r"|decided)(?: you| on| to you| before"
        r"| earlier)*\s*[:：]\s*",
        re.IGNORECASE,
    )


def without_placeholder(rest: str) -> str:
    """Take "these rules:" and "what I told you:" off: they only announce."""
    found = _placeholder().match(rest)
    return rest[found.end() :].strip() if found else rest


@cache
def _courtesy() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?:please|pls|thanks?|thank you|ok|okay|for me|now|too|as well|well|it|this|that|bitte|danke"
        r""
        r"|por favor|gracias|merci|grazie|пожалуйста|спасибо|谢谢|好吗|ね)[\s,.!]*)+",
        re.IGNORECASE,
    )


def is_nothing(rest: str) -> bool:
    """Is it only a courtesy, a pointer or a mark, so that what is to be remembered stands elsewhere?"""
    return not any(char.isalnum() for char in rest) or bool(_courtesy().fullmatch(rest)) or is_dangling(rest)


def stated(parts: Sequence[Sentence], at: int, ask: Ask, rest: str) -> Owned:
    """Return the rule behind the asking: to the end of the line, and on into what is wrapped or listed below."""
    rest = _told_once(rest)
    rule, until = _without_task(rest), at + 1
    if rule == rest:
        rule, until = _continued(parts, at, rest)
    condition = _condition().search(ask.before)
    return Owned(rule=f"{condition[0]} {rule}" if condition else rule, first=at, until=until)


def _continued(parts: Sequence[Sentence], at: int, rule: str) -> tuple[str, int]:
    until = at + 1
    while until < len(parts) and _goes_on(parts[until - 1], parts[until]):
        rule = f"{rule} {parts[until].text}"
        until += 1
    below = _rules(parts, until) if rule.endswith((":", "：")) else ()
    return (f"{rule} {'; '.join(each.rule for each in below)}", below[-1].until) if below else (rule, until)


def _goes_on(part: Sentence, following: Sentence) -> bool:
    """Does the next sentence belong to the rule: in the same line, or wrapped; no new order, question or asking?"""
    if following.dropped or following.item or following.paragraph != part.paragraph:
        return part.item and following.item and part.line == following.line and not _is_new(following)
    is_open = part.text[-1:] not in set(".!?。！？:：") and not part.item
    if is_open and _is_unfinished(part.text):
        return True
    is_wrapped = is_open and following.text[:1].islower()
    return (following.line == part.line or is_wrapped) and not _is_new(following)


def _is_unfinished(text: str) -> bool:
    """Does a line break off in the middle of a clause?"""
    return bool(_breaks_off().search(text.lower()))


@cache
def _breaks_off() -> re.Pattern[str]:
    return re.compile(
        r"(?:,|\b(?:the|an?|of|to|from|in|on|at|and|or|but|with|without|is|are|be|by|for|that|which|our|your"
        r"|needs?|uses?|must|should|not|than|into|via|you|we|i|it|they|ha(?:ve|s)|can|will|do|does|don't|always|never"
        r"|only|all|every|each|this|when|if|because|so|der|die|das|und|el|la|los|de|que|le|les|et|di|il|и|в|на))$"
    )


def _is_new(part: Sentence) -> bool:
    plain = folded(part.text)
    return has(QUESTION, plain) or has(ANSWER, plain) or _starts_a_task(part.text) or ask_in(part.text) is not None


def _told_once(rest: str) -> str:
    """Take off what only asks again: "note that X, remember it", "store that X in your memory"."""
    again = ask_in(rest)
    if again and again.before and is_nothing(again.rest):
        rest = again.before.rstrip(" ,;–—-")
    return re.sub(r" (?:in|to) (?:your |the )?memory[.!]*$", "", rest, flags=re.IGNORECASE)


@cache
def _glued_task() -> re.Pattern[str]:
    return re.compile(
        r",? (?:and|then)(?: then| now| please| also)* (?:(?<=now )\w+|(?<=please )\w+|fix|implement|debug"
        r"|investigate"
        r"|refactor|continue|proceed) (?:the|this|that|my|our|an?|it|with)\b.*$",
        re.IGNORECASE | re.DOTALL,
    )


def _without_task(rest: str) -> str:
    """Cut "... and fix the login bug" off, unless the rule itself tells what to do: then it may belong to it."""
    found = _glued_task().search(rest)
    if (
        found is None
        or is_standing(rest)
        or re.search(r"\b(?:must|should|to|please|need|let)\b", rest[: found.start()])
    ):
        return rest
    return rest[: found.start()]


@cache
def _condition() -> re.Pattern[str]:
    return re.compile(
        r"(?<![^\s.:;!])(?!before (?:i|we|you) (?:forget|start|begin|go on|continue)|while (?:you|we|i)"
        r"|for (?:the record|future|next)|in (?:general|addition|short|other words|this case|that case))"
        r"(?:if|when(?:ever)?|while|before|after|in|on|for|unless)\b"
        r"[^:;.!?]{2,80},$",
        re.IGNORECASE,
    )


def elsewhere(parts: Sequence[Sentence], at: int, ask: Ask) -> Iterator[Owned]:
    """The asking holds no rule: it stands below, before it in the sentence, or in the sentence before."""
    announces = parts[at].text.rstrip("*_ ").endswith((":", "：")) or _placeholder().fullmatch(ask.rest) is not None
    below = tuple(_below(parts, at)) if announces or _follows(parts, at) else ()
    before = _before(parts, at, ask)
    if below and (announces or before is None or parts[at + 1].item):
        yield from below
    elif before:
        yield before
    else:
        yield from below


def _before(parts: Sequence[Sentence], at: int, ask: Ask) -> Owned | None:
    if ask.before and not is_nothing(_announced(ask.before)):
        return Owned(rule=_announced(ask.before), first=at, until=at + 1)
    part = parts[at - 1] if at else None
    if part is None or part.is_question or has(ANSWER, folded(part.text)) or (part.dropped and not part.block):
        return None
    rule = _block(part.block) if part.dropped else part.text
    return Owned(rule=rule, first=at - 1, until=at + 1)


def _announced(before: str) -> str:
    """Take "note that" and "lesson learned:" off what stands before an asking, and the mark between them."""
    rule = re.sub(
        r"^(?:note (?:que |that )|notez que |we agreed(?: on)?: |lessons? learned: )", "", before, flags=re.IGNORECASE
    )
    return rule.rstrip(" ,;:–—-([，、")


def _follows(parts: Sequence[Sentence], at: int) -> bool:
    """Does something stand right below, in the same paragraph or as a list?"""
    return at + 1 < len(parts) and (parts[at + 1].item or parts[at + 1].paragraph == parts[at].paragraph)


def _below(parts: Sequence[Sentence], at: int) -> Iterator[Owned]:
    for number, rule in enumerate(_rules(parts, at + 1)):
        # The asking itself belongs to the first of them.
        yield Owned(rule=rule.rule, first=rule.first if number else at, until=rule.until)


def _rules(parts: Sequence[Sentence], first: int) -> tuple[Owned, ...]:
    """Each bullet from `first` on is a rule, or each line of the paragraph, or the fence or quote."""
    if first >= len(parts):
        return ()
    if parts[first].block:
        return (Owned(rule=_block(parts[first].block), first=first, until=first + 1),)
    return _items(parts, first) or _lines(parts, first)


def _items(parts: Sequence[Sentence], first: int) -> tuple[Owned, ...]:
    run = list(takewhile(lambda n: parts[n].item and not parts[n].dropped, range(first, len(parts))))
    return _joined(parts, run, lambda n: parts[n].line != parts[n - 1].line)


def _lines(parts: Sequence[Sentence], first: int) -> tuple[Owned, ...]:
    run: list[int] = []
    for n in range(first, len(parts)):
        if parts[n].dropped or parts[n].item or parts[n].paragraph != parts[first].paragraph or _is_new(parts[n]):
            break
        run.append(n)
    return _joined(parts, run, lambda n: parts[n].line != parts[n - 1].line and not _is_unfinished(parts[n - 1].text))


def _joined(parts: Sequence[Sentence], run: Sequence[int], begins: Callable[[int], bool]) -> tuple[Owned, ...]:
    """Join a run of sentences into rules; `begins` says whether a sentence begins a new one."""
    groups: list[list[int]] = []
    for n in run:
        if not groups or begins(n):
            groups.append([])
        groups[-1].append(n)
    return tuple(
        Owned(rule=" ".join(parts[n].text for n in group), first=group[0], until=group[-1] + 1) for group in groups
    )


def _block(block: str) -> str:
    """Return what a fence or a quote holds: in the same line when it is one, below when there are more."""
    held = [line.lstrip(">│┃▌").rstrip() for line in block.split("\n") if not line.lstrip().startswith(("```", "~~~"))]
    held = [line for line in held if line.strip()]
    return held[0].strip() if len(held) == 1 else "\n" + "\n".join(held)


@cache
def _task() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?:please|pls|ok|okay|so|and|then|also|now|next|first)[ ,]+)*(?:(?:rename|replace|move|read|create"
        r"|implement|fix|update|remove|delete|add|refactor|migrate|convert|change|extract|revert|install|bump"
        r"|investigate|check|review|look|find|show|explain|open|close|push|commit|merge|deploy|run|build|write"
        r"|make|start|continue|proceed|go|try|do"
        r"|let's|let us)\b|(?:can|could|will|would) you\b|i (?:want|need|'d like)\b)|(?:now|then|next|after that)\b",
        re.IGNORECASE,
    )


def _starts_a_task(text: str) -> bool:
    """Is it an order for the work at hand? One that says when it applies, or why, may belong to the rule before it."""
    return bool(_task().match(text)) and not is_standing(text) and not has(REASON, folded(text))
