"""The wordings that make a sentence something else than a standing rule: a question, a status, a task, a feature."""

from __future__ import annotations

from typing import Final

from wisen.core.signals.cues import Family

RULED_OUT: Final = -99
"""Whatever else the sentence says. The lighter weights leave room: "always" may still win over one of them."""

_PARTS_OF_A_PRODUCT: Final = (
    r"(?:users?|buttons?|pages?|screens?|modals?|dialogs?|forms?|panels?|sidebars?|headers?|footers?|tooltips?"
    r"|icons?|tables?|"
    r"columns?|rows?|fields?|inputs?|dropdowns?|menus?|tabs?|toasts?|banners?|cards?|layouts?|colou?rs?|fonts?"
    r"|margins?|"
    r"endpoints?|api|responses?|requests?|payloads?|quer(?:y|ies)|prompts?|messages?|outputs?|cli|flags?"
    r"|arguments?|options?|"
    r"parsers?|scanners?|servers?|clients?|caches?|index|workers?|jobs?|sessions?|tokens?|hooks?|webhooks?|algorithms?|"
    r"engines?|pipelines?|components?|values?|targets?|sources?|results?|lists?|items?|entries|counters?|score)"
)
_SPEAKERS: Final = (
    r"(?:logs?|errors?|outputs?|messages?|docs?|documentation|readme|comments?|reviewers?|reviews?|articles?"
    r"|issues?|tickets?|"
    r"linter|compiler|ci|stack ?trace|warnings?|copilot|coderabbit|codex|gemini|bot|page|site|blog|someone|he|she|they)"
)

QUESTION: Final = Family(
    "a question",
    RULED_OUT,
    (
        r"[?？؟][\"')\s]*$|^(?:can|could|would|should|will|shall|may) (?:we|you|i|it|this)\b",
        (
            r"^(?:what|why|how|where|who|which|is|are|does|did(?! (?:we|i) not)|has|was|were|any chance|is ?n'?t"
            r"|are ?n'?t|does ?n'?t) "
        ),
        r"(?:吗|呢|嗎|ですか|ますか|かな|나요|까요)[。.]?$",
    ),
)

SUPPOSED: Final = Family(
    "only supposed",
    RULED_OUT,
    (
        (
            r"\b(?:what if|suppose|imagine|hypothetical\w*|in theory|maybe|perhaps|might|i wonder|wondering"
            r"|not sure|i guess|probably|"
            r"could (?:we|also|be|then)|would (?:be|it|that|we|you|have|make)|we could|one option|an option"
            r"|for example|e\.g\.)"
        ),
        r"^(?:so )?if (?:we|you|i|it|the|that|this|there)\b",
        r"\bvielleicht\b|\bwas wäre wenn\b",
        r"\bquizás?\b|\btal vez\b|\by si\b",
        r"\bpeut-être\b|\bet si\b",
        r"\bforse\b",
        r"\btalvez\b",
        r"\bвозможно\b|\bможет быть\b|\bа что если\b",
        r"\bcó lẽ\b|\bnếu như\b",
        r"也许|可能|如果|假如|也許|かもしれ|もし|たぶん",
        r"아마|만약|혹시",
    ),
)

PASSING: Final = Family(
    "passing",
    -4,
    (
        (
            r"\b(?:right now|at the moment|currently|today|tomorrow|yesterday|tonight|this (?:morning|week"
            r"|month|sprint)|for now|"
            r"for the moment|at this point|this time|(?:just|only)(?: this)? once|so far|yet|still|meanwhile"
            r"|temporar\w+|anymore)\b"
        ),
        r"\b(?:pr|issue|ticket|mr|build|job) ?#?\d+\b|#\d+\b|\b\d+ (?:tests?|errors?|failures?)\b",
        (
            r"\b(?:is|are) (?:red|green|failing|broken|open|closed|merged|passing|down|up|stuck|running|done|ready"
            r"|blocked)\b"
        ),
        r"\b(?:i'm|i am|we're|we are) (?:on|in|at|working|trying|getting|seeing|going|overriding|\w+ing)\b(?! use)",
        r"\bwe (?:have |'ve |just )?(?:shipped|released|merged|deployed)\b",
        r"\b(?:gerade|heute|momentan|im moment|vorerst|diesmal)\b",
        r"\b(?:ahora mismo|hoy|por ahora|de momento|esta vez)\b",
        r"\b(?:en ce moment|aujourd'hui|pour l'instant|cette fois)\b",
        r"\b(?:adesso|oggi|per ora|questa volta)\b",
        r"\b(?:agora mesmo|hoje|por enquanto|desta vez)\b",
        r"\b(?:сейчас|сегодня|пока что|в этот раз)\b",
        r"\b(?:hiện tại|hôm nay|lần này|bây giờ)\b",
        r"现在(?!起|开始)|今天|目前|暂时|这次|這次|今は|今日|とりあえず|今回",
        r"지금(?!부터)|오늘|이번(?:에|만)|일단",
    ),
)

THE_TASK: Final = Family(
    "the task at hand",
    -3,
    (
        (
            r"\b(?:this|that|the (?:current|same|last|next|new|other)) (?:pr|branch|commit|task|change|step"
            r"|phase|feature|issue|case|"
            r"test|file|function|plan|one|review|session|migration|ticket|method|release|section|doc|page|line"
            r"|block|approach)\b"
        ),
        (
            r"^(?:please )?(?:rename|replace|move|read|create|implement|fix|update|remove|delete|add|refactor|migrate"
            r"|convert|change|extract|revert|install|bump|investigate|check|review|look|find|show|explain|open|close|push)\b"
        ),
        r"\blet'?s\b|\b(?:can|could|will|would) (?:you|we)\b",
        r"\b(?:i|we) (?:want|need|'d like|would like)\b(?! (?:you )?to (?:always|never))",
        (
            r"(?:^|\band |\bso |[,;] )(?:then|next(?! to)|now|first|afterwards?)\b|\b(?:once|when) (?:you'?re"
            r"|you are|that'?s|that is) done\b"
        ),
        r"\b(?:go ahead|proceed|continue|keep going)\b",
        r"\boption (?:\d|[a-d])\b|\bas (?:above|below|discussed|follows|you (?:said|suggested|proposed))\b",
        r"\byour (?:plan|suggestion|proposal|approach|change|fix|code|implementation|review)\b",
        r"\blass uns\b",
        r"\bvamos a\b",
        r"\bдавай(?:те)?\b",
    ),
)

THE_PRODUCT: Final = Family(
    "about the product",
    -3,
    (
        (
            rf"\b{_PARTS_OF_A_PRODUCT}\b.{{0,30}}\b(?:should|must|needs? to|has to|shall|will|always|never|only"
            rf"|returns?|shows?|displays?)\b"
        ),
        # what a thing must do is a requirement; what must be done with it ("must never be edited") may be a rule
        (
            r"\b(?:the|a|each|every) \w+(?: \w+)? (?:should|must|needs? to|has to|shall) (?!(?:always |never |not "
            r"|only )?be )\w+"
        ),
        r"\bif (?:the|a|an|there) .{3,60}, (?:it|we|then|the)\b",
        r"\b(?:show|display|render|click|select|toggle|hover|scroll)(?:s|ed|n|ing)?\b",
    ),
)

FAULT: Final = Family(
    "a fault report",
    -3,
    (
        (
            r"\b(?:does ?n'?t|did ?n'?t|is ?n'?t|wo ?n'?t|not) (?:work|working|fixed|showing|show|load|render"
            r"|compile|build|start|happen)\w*\b"
        ),
        (
            r"\b(?:i|we) (?:see|saw|get|got|found|noticed|ran|tried)\b|\bit (?:says|shows|seems|looks|fails|failed"
            r"|crashes|never works)\b"
        ),
        (
            r"\bseems? (?:like|to)\b|\blooks like\b|\b(?:bug|broken|regression|crash\w*|the fix|root cause)\b"
            r"|\bfail(?:s|ed|ing|ure)?\b"
        ),
        r"\b(?:dialog|error|window|output|message|file|result|change)s? (?:appeared|showed|found|shown)\b",
    ),
)

SOMEBODY_ELSE: Final = Family(
    "somebody else's words",
    RULED_OUT,
    (
        (
            rf"\b{_SPEAKERS} (?:says?|said|reads?|states?|shows?|claims?|complains?|suggests?|mentions?|tells?"
            rf"|reports?|wants?|recommends?|asks?)\b"
        ),
        r"^(?:error|output|log|result|from the docs)s?:|\baccording to\b",
        r"\b(?:here is|here's|see) (?:the|a|my) (?:log|output|error|review|comment|feedback|plan|diff)\b",
    ),
)

PERMISSION: Final = Family(
    "a permission",
    RULED_OUT,
    (
        (
            r"\b(?:you can|you may|feel free|go ahead|it'?s (?:ok|okay|fine)|i'?m (?:ok|okay|fine)|no need to"
            r"|if you (?:want|like|wish|prefer))\b(?! ?(?:not|n't|'t))"
        ),
        r"\b(?:you|we) do ?n'?t (?:have|need) to\b|\bdo ?n'?t (?:worry|bother|mind)\b|\bnever ?mind\b",
        (
            r"\bkeine sorge\b|\bno te preocupes\b|\bne t'inquiète\b|\bnon preoccuparti\b|\bnão se preocupe\b"
            r"|\bне беспокойся\b|\bkhông sao\b"
        ),
        r"没关系|不用担心|大丈夫|괜찮",
    ),
)

ANSWER: Final = Family(
    "an answer",
    -3,
    (
        (
            r"^(?:yes|yep|yeah|yup|sure|ok|okay|no|nope|nah|thanks|thank you|great|perfect|nice|cool|good|fine"
            r"|right|correct|exactly|"
            r"agreed|lgtm|stop|wait|hmm+|done)[\s,.!]*$"
        ),
        r"^(?:no|nope),? (?:thanks|thank you|that'?s|it'?s|this|idea|problem|worries|need|dialog|changes?|luck)\b",
        r"^(?:sounds|looks) (?:good|great|fine)\b",
    ),
)

UNSAID: Final = Family(
    "points at something unsaid",
    -2,
    (
        (
            r"\b(?:do ?n'?t|do not|never|stop|avoid|always|use|keep|put|run|do|change|touch|remove|add|edit"
            r"|fix|commit|push|make|write|leave)"
            r" (?:\w+ )?(?:it|that|this|them|these|those|one|so|anything|everything)\b(?! (?:repo|project"
            r"|machine|codebase))"
        ),
        r"^(?:it|that|this|these|those|they|he|she)\b(?! (?:repo|repository|project|codebase|machine))",
        (
            r"\b(?:this|these|those|(?:in|on|for|to|of|from|with|about|fix|change|remove|add|use|do|run|keep"
            r"|drop) that) "
            r"(?!(?:repo|repository|project|codebase|machine|org|sandbox|environment|container|vm|host|box"
            r"|team|is|means)\b)\w+"
        ),
        r"\bthe (?:above|following|latter|former|same)\b",
        r"(?:这个|那个|這個|那個)(?!项目|仓库|专|專)|(?:それ|あれ)(?!から)",
        r"(?:그거|그건|이거|이건)",
    ),
)

AGAINST: Final = (
    QUESTION,
    SUPPOSED,
    PASSING,
    THE_TASK,
    THE_PRODUCT,
    FAULT,
    SOMEBODY_ELSE,
    PERMISSION,
    ANSWER,
    UNSAID,
)
