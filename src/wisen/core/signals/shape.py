"""What does the shape of a sentence say: its length and marks, who does what in it, how it begins and ends?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from wisen.core.signals.names import TOOLS
from wisen.core.signals.phrases import words_of
from wisen.core.signals.speech import Sentence

WE_HABIT: Final = "we do it as a habit"
I_HABIT: Final = "I do it as a habit"
A_KIND: Final = "things of a kind"
STATES: Final = "states how it is"
NONE_THERE: Final = "there is none"
BEGINS_WITH_AN_ORDER: Final = "begins with an order"
ASKS_FOR_WORK: Final = "asks for a piece of work"
OPEN_QUESTION: Final = "an open question"
ENDS_WITH_A_COLON: Final = "ends with a colon"
ENDS_AS_A_QUESTION: Final = "ends as a question"
POINTS_AHEAD: Final = "begins with a pointer"
LETS: Final = "let us do it"
DEED: Final = "somebody did something"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A sentence as it is looked at: folded (`whole`), also without its lead-in (`bare`), and its words."""

    whole: str
    bare: str
    words: tuple[str, ...]
    is_english: bool = True


def shape_of(part: Sentence, one: Said) -> Iterator[str]:
    """Yield the names of what the shape of a sentence shows. Who does what is seen in English only."""
    yield from _marks(part)
    yield from _subjects(one)
    yield from (name for name, pattern in _PATTERNS if pattern().search(one.bare))


# --- marks ------------------------------------------------------------------------------------------------------

_SHORT_CHARS: Final = 12
_LONG_CHARS: Final = 220
_MANY_COMMAS: Final = 3


def _marks(part: Sentence) -> Iterator[str]:
    text = part.text.rstrip()
    if len(text) > _LONG_CHARS:
        yield "very long"
    if len(text) < _SHORT_CHARS and text.isascii():
        yield "very short"
    if part.is_question:
        yield ENDS_AS_A_QUESTION
    if part.item:
        yield "an item of a list"
    if text.endswith((":", "：")):
        yield ENDS_WITH_A_COLON
    if _quoted().search(text):
        yield "quoted words"
    if any(found[0].lower() not in _PROPER for found in _symbol().finditer(text)):
        yield "a symbol of the code"
    if "://" in text:
        yield "a link"
    if text.count(",") + text.count("、") >= _MANY_COMMAS:
        yield "many commas"


@cache
def _quoted() -> re.Pattern[str]:
    return re.compile(r"[\"“”‘「『].{2,}[\"“”’」』]")


@cache
def _symbol() -> re.Pattern[str]:
    return re.compile(r"\b[a-z]+[A-Z]\w+|\w+\(\)|\b[A-Z][a-z]+[A-Z]\w*|\b\w+_\w+|\w:\d+\b")


@cache
def _measure() -> re.Pattern[str]:
    return re.compile(
        r"\b\d+ ?(?:lines?|characters|chars|columns|words|sentences|levels|zeilen|zeichen|sätze|líneas|lineas"
        r"|caracteres"
        r"|lignes|caractères|linhas|righe|caratteri|строк\w*|символ\w*|linii|linijek|znaków|dòng|ký tự)\b"
        r"|\d+ ?(?:行|字符|文字|줄|자 )",
        re.IGNORECASE,
    )


_PROPER: Final = TOOLS | frozenset("github gitlab graphql openai devops macos ios jetbrains stackoverflow".split())
"""What is written like a symbol and is the name of a product."""


# --- who does what ----------------------------------------------------------------------------------------------

_ADVERBS: Final = frozenset(
    "always never only usually normally generally typically all also just still really mostly do don't dont already"
    " sometimes rarely both either explicitly".split()
)
_NO_HABIT: Final = frozenset(
    "are were was had need want should could can will would might may must got did saw see get found know think"
    " guess ran tried went came made said started noticed decided agreed believe hope wonder suppose assume mean"
    " feel am been shall approve allow accept confirm grant agree permit hate love like dislike have has haven't"
    " hadn't didn't can't cannot couldn't won't wouldn't shouldn't".split()
)
_NOT_BEFORE: Final = frozenset("do did if should can could must what why would how when".split())
_LONGEST_GAP: Final = 4  # words between "we" and what it does


def _has_habit(words: Sequence[str], who: str) -> bool:
    """Does somebody do something as a habit: "we (always) USE", not "we need", "we saw", "we tried"?"""
    for at, word in enumerate(words[:-1]):
        if word != who or (at and (words[at - 1] in _NOT_BEFORE or _is_an_article(words, at))):
            continue
        verb = next((after for after in words[at + 1 : at + 1 + _LONGEST_GAP] if after not in _ADVERBS), "")
        if verb and verb not in _NO_HABIT and not verb.endswith(("ed", "'ll", "'d")):
            return True
    return False


_JOINS: Final = frozenset(
    "when if before after as that and but so what how because until unless once while since".split()
)
_LOANS: Final = frozenset("test tests file files commit log bug push branch release".split())


def _is_an_article(words: Sequence[str], at: int) -> bool:
    """Is the "i" before a noun of ours an Italian article ("rilancia i test")?"""
    return words[at] == "i" and words[at + 1] in _LOANS and words[at - 1] not in _JOINS


_BEGINNINGS: Final = frozenset(
    "add create implement fix write refactor rename move update build make port convert generate remove delete drop"
    " replace change extract split rewrite revert install set bump migrate check look find show compare debug"
    " investigate figure explain review read open test run try start continue finish clean translate draft design"
    " mention rebase merge push pull commit go do give tell help list summarize summarise analyze analyse research"
    " think come get take let put apply address resolve answer reply post close copy print let's lets proceed restart"
    " redo undo work sync fetch describe provide prepare ensure validate verify enable disable wire hook expose rerun"
    " switch evaluate".split()
)
_FILLERS: Final = frozenset(
    "and then next now also ok okay yeah yes yep so please pls just first maybe well alright cool great but no".split()
)


def has_an_order_behind(one: Said) -> bool:
    """Does an English sentence order a piece of work behind a comma ("ids are unique, add a check")?"""
    behind = one.bare.replace(";", ",").split(", ")[1:] if one.is_english else ()
    firsts = (next((word for word in words_of(clause) if word not in _FILLERS), "") for clause in behind)
    return any(first in _BEGINNINGS for first in firsts)


_POINTERS: Final = frozenset("it that this these those they he she that's it's thats its".split())


def _subjects(one: Said) -> Iterator[str]:
    first = next((word for word in words_of(one.bare) if word not in _FILLERS), "")
    if one.is_english and first in _BEGINNINGS and not _thing_called_so().match(one.bare):
        yield BEGINS_WITH_AN_ORDER
    if first in _POINTERS:
        yield POINTS_AHEAD
    if one.is_english and _has_habit(one.words, "we"):
        yield WE_HABIT
    if one.is_english and _has_habit(one.words, "i"):
        yield I_HABIT
    if one.words.count("the") > 1:
        yield "several definite things"


@cache
def _thing_called_so() -> re.Pattern[str]:
    """What is no order: "commit messages are in English"."""
    return re.compile(
        r"(?:commit|test|build|review|merge|release|deploy|work|help|pull|design|install|start) (?:[\w-]+ )?[\w-]+s "
        r"(?:are|live|go|need|must|should|belong|have|stay|always|never)\b"
        r"|(?:commit|test|build|review|merge|release|pull|design) (?:[\w-]+ ){1,2}"
        r"(?:is|lives|goes|needs|must|should|belongs|has)\b"
    )


# --- patterns ---------------------------------------------------------------------------------------------------


@cache
def _generic_plural() -> re.Pattern[str]:
    return re.compile(
        r"(?:^|[,;:.(] ?|\b(?:and|but|so|also|because) )(?!(?:this|these|those|the|its|it's|lets|let's|yes|thanks|is"
        r"|was|does|us|pls|plus|as|looks|sounds|seems) )(?:(?!the |this |these |those )[\w'-]+ ){0,2}"
        r"[a-z][\w-]{2,}(?<!s)s (?:are|aren't|go|live|must|mustn't|should|shouldn't|need|have|come|stay|belong|don't"
        r"|dont|never|always|get|use|work|run|end|start|take|say|only|can't|cant|can|may|be|in|follow|sit)\b"
    )


@cache
def _states_a_fact() -> re.Pattern[str]:
    return re.compile(
        r"^(?!(?:it|this|that|these|those|he|she|there|what|why|how|where|who|which|is|are|does|do|did|can|could"
        r"|should|would|i|we|you|they|if|when|don't|dont|never|always|please|just) )(?:the |our |my |their |all "
        r"|every |each |a |an )?[\w./'-]+"
        r"(?: [\w./'-]+){0,4}? (?:is|are|isn't|aren't|has|have|lives?|runs?|goes|comes?|needs?|means?|takes?|expects?"
        r"|accepts?|treats?|speaks?|sits?|stays?|stands?|belongs?|counts?|works?|can't|cant|cannot|must)\b"
    )


@cache
def _none_there() -> re.Pattern[str]:
    return re.compile(
        r"(?:^|, |; )(?:there(?:'s| is| are) no\b|no (?!i |we |you |it |the |that|this|its |idea|worries|need|problem"
        r"|wait|not |dont|don't|thanks|just |let|one |matter|longer)[a-z][\w-]+(?: [\w-]+)?(?: (?:in|on|for|at|here"
        r"|without|please|ever|anywhere|unless|outside|from|to|inside)\b|$|[,.;!]))"
    )


@cache
def _work_asked_for() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:can|could|would|will) (?:you|u|we)\b(?! (?:please |also |just )?(?:always|stop|not|never|keep|avoid"
        r"|only"
        r"|use|stick|agree|have) )|\b(?:let's|lets|let us|shall we|we should|we need to|i want you to|i need you to"
        r"|i'd like you to|i want to|i'd like to|we want to|i need|we need) (?!always|not|never|keep|stick|avoid|be "
        r"|have |only |use )"
    )


@cache
def _into_the_guide() -> re.Pattern[str]:
    told = (
        r"schreib|pon|apunt|añad|ajout|écri|mets|coloc|anot|adicion|aggiung|scriv|segna|добавь|допиши|запиши|dopisz"
        r"|zapisz|thêm|ghi|加|写|记|に追記|に書|に追加|추가|적어|써"
    )
    return re.compile(
        r"\b(?:add|put|write|note|document|save|record|store|keep|stick|goes)\b.{0,60}\b(?:in|to"
        r"|into|of|with)\b.{0,20}(?:(?:claude|agents|gemini)(?:\.local)?\.md|\bmemory|cursorrules"
        rf"|\b(?:your|the) (?:notes|rules|instructions))|(?:claude|agents)\.md.{{0,40}}(?:dazu|rein|{told})"
        rf"|(?:{told}).{{0,60}}(?:claude|agents)\.md"
    )


@cache
def _objection() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:won't|wont|will not|doesn't|doesnt|does not|can't|cannot) (?:work|scale|help|fly|do|hold)\b"
        r".{0,25}\b(?:because|since|bc|as|due to|cause)\b"
        r"|(?:geht|funktioniert|klappt) (?:so )?nicht,? (?:weil|da)\b|no (?:va a )?funciona\w*,? porque"
        r"|(?:ne )?(?:marche|fonctionne)\w* pas,? (?:parce|car)|não (?:vai )?funciona\w*,? (?:porque|pois)"
        r"|non funziona\w*,? perché|не (?:работает|сработает|получится),? (?:потому|так как)"
        r"|nie (?:zadziała|działa),? bo|không (?:được|chạy|ổn),? vì"
    )


@cache
def _open_question() -> re.Pattern[str]:
    return re.compile(
        r"^(?:so |and |but |ok |also |hm+ )*(?:(?:should(?! (?:be|have|always|never|not)\b)|does|did"
        r"|is|are|was|were|how|what|which|where|who|has|will"
        r"|what's|whats|how's|hows|wie|was|welche\w?|wo|gibt es|cómo|cuál|dónde|hay alg\w+|comment|quel\w*|où|como"
        r"|qual"
        r"|onde|come|quale|dove|как|какой|где|który|gdzie|czy)\b(?!.{0,12}\bmany times\b)"
        r"|when (?:do|does|did|is|are|should|can|will|would)\b|(?:do|have) (?:we|you|i|they|our)\b"
        r"|(?:why|wieso|warum|pourquoi|por qué|por que|perché|почему|dlaczego) (?!(?:are|do|did|would) you|tu |ты )"
        r"|would (?:it|that|this|there|you say)\b)"
        r"|\b(?:can't remember|don't know|dont know|not sure|wonder|wondering|forgot|do you know|tell me|remind me)"
        r" (?:if|whether|how|why|which|what)\b"
        r"|^(?:为什么|为啥|怎么(?!又)|哪|なぜ|どう|どこ|왜 (?!자꾸|또)|어떻게|어디)"
    )


@cache
def _held_against_you() -> re.Pattern[str]:
    return re.compile(
        r"\bwe (?:already |always |only |also )?(?!want|need|should|can|could|have to|were|had)\w+ [^.?!]{3,90}?"
        r"\b(?:yet|but|so why|why|still)\b[^.?!]{0,30}\byou\b|\bwhy (?:are|did|do|would) you\b.{3,90}\b(?:we|our)\b"
    )


@cache
def _lets() -> re.Pattern[str]:
    return re.compile(r"^(?:\w+,? ){0,2}(?:let's|lets|let us)\b(?! (?:always|never|not|keep|stick|agree))")


@cache
def _middle() -> re.Pattern[str]:
    return re.compile(r"\b(?:we're|we are|i'm|i am|im|you're|you are|they're) \w+ing\b")


@cache
def _deed() -> re.Pattern[str]:
    return re.compile(r"\b(?:i|we|you) (?:just |already |only )?\w{3,}ed\b")


@cache
def _pointing() -> re.Pattern[str]:
    return re.compile(r"\b(?:it|them|that|this|those|these)(?=$|[.,;!?])")


_PATTERNS: Final = (
    ("so many lines or signs", _measure),
    (A_KIND, _generic_plural),
    (STATES, _states_a_fact),
    (NONE_THERE, _none_there),
    (ASKS_FOR_WORK, _work_asked_for),
    ("for the guide", _into_the_guide),
    ("an objection with its reason", _objection),
    ("what we do, and you did not", _held_against_you),
    (OPEN_QUESTION, _open_question),
    (LETS, _lets),
    ("in the middle of something", _middle),
    (DEED, _deed),
    ("ends on a pointer", _pointing),
)
