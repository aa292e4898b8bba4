"""How a person asks to remember something, by language. A new wording goes to its language's verbs.

A head is the asking itself: what is to be remembered begins behind it. Which head needs what behind it (a mark, "that",
the end of the sentence) is said by how it is made: `_marked`, `_that`, `_plainly`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Form(StrEnum):
    """What kind of asking it is."""

    STATEMENT = "statement"  # remember that X
    CLAUSE = "clause"  # remember how X: a statement only when it says something
    DUTY = "duty"  # remember to X: may be for this task only
    REMINDER = "reminder"  # don't forget to X: mostly is


_MARK: Final = r"\s*[*_]{0,2}(?:[:：;,，、–—…→=!！.。]|-+>?(?=\s)|[*_]{1,2}(?=\s))+[*_]{0,2}\s*"
_END: Final = r"[\s.!…。！)\"'*_]*$"


def _asks(verbs: str, that: str = "", plainly: str = "") -> str:
    """A head in which a mark, a word for "that", the end, or (with `plainly`) just these words follow the verbs."""
    behind = [rf"(?:{_MARK}(?:{that})?)" if that else _MARK]
    behind += [rf"\s*(?:{that})"] if that else []
    behind += [_END]
    behind += [rf"\s+(?={plainly})"] if plainly else []
    return rf"(?<![^\W\d_])(?:{verbs})(?:{'|'.join(behind)})"


# --- English ----------------------------------------------------------------------------------------------------

_WHERE: Final = (
    r"(?:\s*[,(]?\s*(?:for|in|across) (?:(?:the|all|any|every|each|next|my|your|our|other|of|this|future"
    r"|later)\s+)*"
    r"(?:future|time|later|sessions?|reference|conversations?|projects?|repos?|repositor(?:y|ies)|codebases?)\b"
    r"|\s*[,(]?\s*(?:from now on|going forward|forever|always|permanently|everywhere|globally|please|pls|well)"
    r"(?=\s*(?:[:,–—)-]|that\b|$)))*\)?"
)
"""For how long, or where."""

_SOMETHING: Final = (
    r"(?:\s+(?:this|that|it|these|those|the following|something|one (?:more )?thing|as a rule|a (?:fact|rule))\b)?"
)
_THINGS: Final = (
    r"(?:(?:some|a few|the|two|three|other|more|important|one|another|few|last) )*(?:things?|rules?|facts?|points?"
    r"|notes?|something) (?:for you )?(?:to|you (?:must|should|need to|have to)) (?:remember|keep in mind"
    r"|memori[sz]e)(?: (?:about|for|in"
    r"|of)(?: \w+){1,4})?"
)
_STORE: Final = r"(?:add|save|store|commit|put|write|keep|record)"
_YOUR_MEMORY: Final = r"(?:in|into|to) (?:(?:your|the|my|our|long[- ]term|project|wisen'?s?) )*memory"
_QUESTION_WORD: Final = r"(?:how|what|why|where|who|which|whether)\b"
_POINTER: Final = (
    rf"(?:when|if|this|that|it|me(?! (?:as|by)\b)|seeing|doing|having|being|reading|hearing|saying"
    rf"|{_QUESTION_WORD})\b"
)

_ENGLISH: Final = (
    (Form.DUTY, r"(?<![^\W\d_])remember to\s+(?!never\b|not\b|always\b)"),
    (Form.STATEMENT, r"(?<![^\W\d_])remember to\s+(?=(?:never|not|always)\b)"),
    (Form.STATEMENT, rf"(?<![^\W\d_])remember{_WHERE},? that{_WHERE},?\s+(?!$)"),
    (Form.STATEMENT, _asks(rf"remember{_SOMETHING}{_WHERE}(?:,? (?:please|pls|ok|well|too))?")),
    (Form.STATEMENT, rf"(?<![^\W\d_])remember{_WHERE}[*_]{{0,2}}\s+(?=\S)(?!to\b|that\b|{_POINTER})"),
    (Form.CLAUSE, rf"(?<![^\W\d_])remember{_WHERE}\s+(?={_POINTER})"),
    (Form.STATEMENT, _asks(rf"memori[sz]e{_SOMETHING}{_WHERE}", r"that\s+")),
    (Form.STATEMENT, _asks(rf"(?:keep|bear) {_SOMETHING}\s*in mind{_WHERE}", r"that\s+", r"(?:the|we|our|i)\b")),
    (
        Form.STATEMENT,
        _asks(r"(?:(?:make|take|keep) (?:a )?(?:mental |permanent )?note)(?: of (?:this|that|it))?", r"that\s+"),
    ),
    (
        Form.STATEMENT,
        _asks(
            r"(?:a )?(?:note|reminder) (?:for|to) (?:the |your |all )?(?:future|next|later|self|yourself)"
            r"(?: (?:self|sessions?|time|reference|you))?",
            r"that\s+",
        ),
    ),
    (
        Form.STATEMENT,
        (
            rf"(?<![^\W\d_])for (?:(?:the|all|any|your|our|next) )?(?:future|next|later)"
            rf"(?: (?:sessions?|time|reference|conversations?|work))?{_MARK}"
        ),
    ),
    (
        Form.STATEMENT,
        _asks(rf"{_STORE}(?: (?:this|that|it|the following|a (?:note|memory)))? {_YOUR_MEMORY}", r"that\s+"),
    ),
    (Form.STATEMENT, r"(?<![^\W\d_])(?:store|save|keep|add) that\s+(?=.+ (?:in|to) (?:your |the )?memory\b)"),
    (Form.STATEMENT, _asks(r"(?:add|store|save|create|make) (?:a|this|the|these|another) memor(?:y|ies)", r"that\s+")),
    (
        Form.STATEMENT,
        _asks(r"(?:save|store|memori[sz]e) (?:a|this|the|these|following) (?:rule|fact|convention)s?", r"that\s+"),
    ),
    (Form.STATEMENT, _asks(r"update (?:your |the )?memor(?:y|ies)", r"(?:with|that|so that)\s+")),
    (Form.STATEMENT, rf"(?<![^\W\d_]){_THINGS}(?:{_MARK}|{_END})"),
    (Form.STATEMENT, r"(?<![^\W\d_])(?:let me |i(?:'d like to| want to)? )?remind you(?: that\b|\s*[:,–—-])\s*"),
    (Form.DUTY, r"(?<![^\W\d_])(?:(?:a|just a|friendly|quick|small|gentle) )*reminder(?:\s*[:–—]\s*| that\s+)"),
    (
        Form.STATEMENT,
        _asks(r"(?:do\s?n['o]?t|do not|never) (?:ever )?forget(?: (?:this|that|it))?", r"that\s+", r"(?:we|our)\b"),
    ),
    (Form.REMINDER, r"(?<![^\W\d_])(?:do\s?n['o]?t|do not|never) (?:ever )?forget to\s+"),
)

# --- other languages --------------------------------------------------------------------------------------------

_GERMAN: Final = (
    r"merk(?:e|t)?(?: (?:dir|euch))?(?: (?:bitte|das|dies|folgendes|es|mal|gut|für (?:die Zukunft|später|immer)))*"
    r"|bitte merken|denk(?:e|t)? (?:bitte )?(?:immer )?(?:dran|daran)|vergiss (?:bitte )?(?:das )?(?:nicht|nie"
    r"|niemals)|behalte? (?:dir |bitte |das )*(?:im (?:kopf|hinterkopf|gedächtnis)|in erinnerung)|behalte? dir"
    r"|notier(?:e|t)? dir(?: (?:bitte|das|folgendes))*|speicher(?:e|t)? dir(?: (?:das|bitte|ab))*"
    r"|(?:notiz )?für (?:die Zukunft|künftige Sitzungen|das nächste Mal|nächstes Mal)"
)
_SPANISH: Final = (
    r"(?:recu[eé]rda(?:lo|te|me)?|recuerde|acu[eé]rdate|memor[ií]za(?:lo)?|(?:no|nunca) (?:te |lo )?olvides"
    r"|t[eé]n(?:lo|ga)? (?:siempre |muy )?(?:en cuenta|presente)|gu[aá]rda(?:lo)?(?: esto)? en (?:tu |la )?memoria"
    r"|an[oó]ta(?:lo)?|ap[uú]nta(?:lo)?|toma nota)(?: de(?: esto)?| esto)?(?: para (?:el futuro|siempre"
    r"|la pr[oó]xima))?|(?:nota )?para (?:el futuro|futuras sesiones|la pr[oó]xima(?: vez)?)"
)
_FRENCH: Final = (
    r"(?:souviens[- ]t(?:oi|'en)|souvenez-vous|rappelle[- ]toi|rappelez-vous|retiens(?:-le)?|retenez"
    r"|m[eé]morise[zr]?|n[e'] ?(?:l')?oublie[zs]? (?:pas|jamais)|garde[zs]? (?:bien )?(?:en tête|en mémoire"
    r"|à l'esprit)|prends? note)"
    r"(?: (?:de )?(?:ceci|cela|ça))?(?: pour (?:la suite|l'avenir|la prochaine fois))?"
    r"|(?:note )?pour (?:la suite|l'avenir|les prochaines sessions|la prochaine fois)"
)
_PORTUGUESE: Final = (
    r"(?:lembr[ea](?:-se|-te)?(?: disso)?|memori[sz][ea]|(?:n[aã]o|nunca) (?:se |te )?esque[cç]as?(?: disso)?"
    r"|te(?:nha|m|ns?) (?:sempre )?em mente|guard[ae](?: isso)? na mem[oó]ria|anot[ae](?: (?:isso|aí))?|tome nota)"
    r"(?: de)?(?: para o futuro)?|(?:nota )?para (?:o futuro|as pr[oó]ximas sess[oõ]es|a pr[oó]xima(?: vez)?)"
)
_ITALIAN: Final = (
    r"(?:ric[oò]rda(?:lo|ti|telo|tevi)?|memorizza|tieni (?:sempre |ben )?(?:a mente|presente|conto)"
    r"|non dimenticar(?:e|lo|ti)|prendi nota|annota(?:lo|ti)?)(?: (?:di )?questo)?(?: per (?:il futuro|sempre))?"
    r"|(?:nota )?per (?:il futuro|le prossime sessioni|la prossima volta)"
)
_RUSSIAN: Final = (
    r"(?:запомни(?:те)?|помни(?:те)?|не забывай(?:те)?|не забудь(?:те)?|име(?:й|йте) в виду|учти(?:те)?"
    r"|сохрани(?:те)? в памят[иь]|запиши(?:те)? (?:себе|в память))(?: (?:об этом|это|на будущее|пожалуйста|себе))*"
    r"|(?:заметка )?(?:на будущее|для будущих сессий|в следующий раз)"
)
_VIETNAMESE: Final = (
    r"(?:nhớ|ghi nhớ|đừng quên|lưu vào bộ nhớ)(?: giúp (?:tôi|mình)| điều này| nhé| nha)*"
    r"|(?:ghi chú )?cho (?:lần sau|tương lai|các phiên sau)"
)
_CHINESE: Final = (
    r"(?:(?:务必|務必|一定要?|帮我|幫我|以后|以後|今后|今後|下次|请|請|你?要)*"
    r"(?:记住|記住|牢记|牢記|记得|記得|记一下|記一下|记下来?|記下來?|注意记住|别忘了?|別忘了?|不要忘记|不要忘記)"
    r"(?:了|一下|这一点|這一點|这个|這個|这点|這點|它)*|(?:请|請)?(?:把|将|將)[^：:，,。]{0,8}?(?:记|記|存|保存"
    r"|写|寫|加)(?:到|入|进|進|在)(?:你的)?(?:记忆|記憶|内存|memory)(?:里|裡|中)?)"
    r"[\s:：,，、。！!]*"
)
_JAPANESE: Final = (
    r"(?:(?:これ|次のこと|以下)を?)?(?:今後のため(?:に)?)?"
    r"(?:覚え(?:てお)?(?:いて|て)|覚えといて|忘れないで|忘れずに|記憶して(?:おいて)?|今後のために?"
    r"|メモ(?:して(?:おいて)?)?)"
    r"(?:ください|下さい|ね|くれ)*(?:[:：、,。]\s*|[。！!]*$)"
)
_KOREAN: Final = (
    r"(?:(?:이거|이걸|그걸|꼭)\s*)*(?:기억해|명심해|잊지\s?마|메모해|앞으로를 위해)\s?(?:줘|둬|주세요|세요"
    r"|두세요)?"
    r"(?:\s*[:,]\s*|[.!]*$)"
)
_HINDI: Final = r"याद रख(?:ो|ना|ें|िए|िएगा|िये)|yaad rakh(?:na|o|iye|en)?|मत भूल(?:ो|ना)"
_ARABIC: Final = r"(?:تذكّ?ر(?:ي|وا)?|لا تنسَ?|احفظ في الذاكرة)\s*[:،,]?\s*"
_DUTCH: Final = r"onthoud(?: (?:dit|even|goed|alsjeblieft))*|vergeet (?:dit )?niet|denk eraan|houd in gedachten"
_POLISH: Final = r"(?:za)?pamiętaj(?:cie)?(?: (?:o tym|to))?|nie zapomin(?:aj|ajcie)|miej na uwadze"
_TURKISH: Final = r"(?:bunu )?(?:unutma(?:y[ıi]n)?|hat[ıi]rla|akl[ıi]nda tut(?:un)?)"

HEADS: Final = (
    *_ENGLISH,
    (Form.STATEMENT, _asks(_GERMAN, r"dass\s+")),
    (Form.STATEMENT, r"(?<![^\W\d_])(?:notier(?:e|t)?|speicher(?:e|t)?),? dass\s+"),
    (Form.STATEMENT, _asks(_SPANISH, r"que\s+", r"(?:siempre|nunca|usar)\b")),
    (Form.STATEMENT, _asks(_FRENCH, r"que\s+|qu'", r"(?:toujours|jamais)\b")),
    (Form.STATEMENT, r"(?<![^\W\d_])(?:note[zr]?|not[eé]) (?:bien )?(?:que\s+|qu')"),
    (Form.STATEMENT, _asks(_PORTUGUESE, r"que\s+", r"(?:sempre|nunca)\b")),
    (
        Form.STATEMENT,
        _asks(_ITALIAN, r"che\s+|di\s+(?=\w*\s?(?:sempre|non)\b|\w+re (?:sempre|mai))", r"(?:sempre|mai)\b"),
    ),
    (Form.STATEMENT, _asks(_RUSSIAN, r"что\s+", r"(?:мы|у нас|всегда|никогда)\b")),
    (Form.STATEMENT, rf"(?<![^\W\d_])(?:{_VIETNAMESE})(?:\s*(?:rằng|là)\s*[:,]?\s*|{_MARK}|{_END})"),
    (Form.STATEMENT, _CHINESE),
    (Form.STATEMENT, _JAPANESE),
    (Form.STATEMENT, _KOREAN),
    (Form.STATEMENT, rf"(?:{_HINDI})(?:{_MARK}(?:(?:कि|ki)\s+)?|\s+(?:कि|ki)\s+|{_END})"),
    (Form.STATEMENT, _ARABIC),
    (Form.STATEMENT, _asks(_DUTCH, r"dat\s+")),
    (Form.STATEMENT, _asks(_POLISH, r"że\s+")),
    (Form.STATEMENT, _asks(_TURKISH)),
)

TAILS: Final = (
    # ja, ko: what is to be remembered is cut out only where the cut leaves a whole clause
    (
        r"(?P<rule>.+?)(?:という|って)?(?:こと|の)?[をはと]?[、\s]*(?:ちゃんと|必ず)?(?:覚えて(?:お(?:いて"
        r"|くこと))?|覚えといて|記憶して(?:おいて)?|忘れないで)(?:ください|下さい|ね|くれ)*[。！!]*"
    ),
    (
        r"(?P<rule>.+?다)(?:는|라는)?\s*(?:것|걸|거|점|사실)(?:을|를|만)?\s*(?:꼭\s*)?(?:기억해"
        r"|잊지\s?마)(?:\s?(?:줘|둬|주세요|세요))?[.!]*"
    ),
    r"(?P<rule>.+?다)고\s*(?:꼭\s*)?기억해(?:\s?(?:줘|둬|주세요))?[.!]*",
    r"(?P<rule>.+\s(?:기억해|잊지\s?마)(?:\s?(?:줘|둬|주세요|세요))?[.!]*)",
    rf"(?P<rule>.+\s(?:{_TURKISH})[.!]*)",
    r"(?P<rule>.+?)[,،]?\s+(?:यह\s+|ye\s+)?(?:याद रखना|याद रखो|yaad rakhna)[।.!]*",
)
"""Askings that end a sentence whose words before them are what is to be remembered; the whole where cutting mangles."""

LEADS: Final = (
    r"please|pls|plz|kindly|also|and|ok(?:ay)?|so|but|oh|btw|just|now|then|again|hey|hi|no|yes|claude|wisen"
    r"|important|(?:can|could|will|would) you|(?:(?:that )?you|we) (?:should|must|need to|have to|ought to|better)"
    r"|(?:i|we)(?:'d)? (?:want|need|like|told|asked|tell|ask|would like|expect) you to"
    r"|(?:make|be) sure (?:to|you|that you)|(?:try|want) to|let's|let us|let me|always|finally|first|next|thanks"
    r"|thank you|great|perfect|alright|nice|good|for the record|by the way|bitte|aber|auch|und|por favor|y|e|et"
    r"|s'il te pla[iî]t|per favore|и|а|пожалуйста|en|ve|و|और|aur|kripya|कृपया|请|請|帮我|幫我|h[aã]y"
)
"""What may stand between the start of a clause and the asking itself."""

JOINING: Final = r"and|so|but|also|then|please|pls|that you|und|aber|bitte|y|e|et|и|а|en|ve|और"
"""Of those, the words that begin a clause of their own behind another one."""
