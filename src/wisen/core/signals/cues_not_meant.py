"""The wordings of what is not meant to last: supposed, tried out, denied, taken back, joked, for this session only."""

from __future__ import annotations

from typing import Final

from wisen.core.signals.cues import Family

A_TRIAL: Final = Family(
    "a trial",
    (
        (
            r"\bfor (?:the|this|a|my|our) (?:\w+ )?(?:spike|demo|poc|prototype|experiment|hack|draft|talk)\b"
            r"|^(?:please )?(?:just )?try\b"
        ),
    ),
)

SUPPOSED: Final = Family(
    "only supposed",
    (
        (
            r"\b(?:what if|suppose|imagine|hypothetical\w*|in theory|maybe|perhaps|might|i wonder|wondering"
            r"|not sure|i guess|probably|"
            r"in an ideal world|could (?:we|also|be|then)|(?:it|that|this|they|we) could"
            r"|would (?:be|it|that|we|you|have|make)"
            r"|one option|an option|for example|e\.g\.)"
        ),
        r"^(?:so )?if (?:we|you|i|it|the|that|this|there)\b",
        r"\bvielleicht\b|\bwas wäre wenn\b|\b(?:könnten?|podr[ií]amos|pourrai[st]|pourrions|potremmo|poderíamos)\b",
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

PAST: Final = Family(
    "about the past",
    (
        r"\b(?:should|must|could|would)(?: ?n'?t| not| never) have\b|\byou should have\b",
        r"\b(?:always|never) (?:had|was|were|got|did|went|made|ran|came|saw|been|heard|seen|wrote|merged|finished)\b",
        r"^(?:from now on,? )?i (?:will|'ll|was)\b",
    ),
)

JOKE: Final = Family(
    "a joke",
    (
        r"\b(?:lol|lmao|rofl|haha+|hehe+|jk|xd)\b|(?:^|\s)/s$|\bbtw[.!]*$|[😂🤣😉🙄😅]",
        (
            r"^(?:yeah,? sure|oh great|great,? because|i (?:just )?love (?:how|it when)|of course we)\b"
            r"|\bnever gonna\b|\bgreat job\b"
        ),
    ),
)

DENIED: Final = Family(
    "denied",
    (
        (
            r"\bnot (?:true|saying|the case|necessarily|always)\b|\b(?:do|does|is|are) ?n'?t (?:always|necessarily"
            r"|true|the case)\b"
        ),
        r"\b(?:myth|false|untrue|wrong|nonsense) that\b",
        (
            r"\b(?:did ?n'?t|did not|never) (?:say|said|mean|meant) (?:that|we|it|you)\b"
            r"|\bno longer (?:requires?|needs?|appl(?:y|ies)|ha(?:ve|s) to)\b"
        ),
    ),
)

RETRACTED: Final = Family(
    "taken back",
    (
        (
            r"^(?:(?:please|pls|now|ok|and|so|but|you can|you should),? )*(?:un-?remember|forget(?! to\b)"
            r"|disregard|(?:stop|quit) remembering|(?:do ?n'?t|do not|never) remember|(?:remove|delete|drop|erase"
            r"|clear) (?:the |that |this |your |any )*(?:memory|memories|note|rule)(?= about\b| that\b|[.!,;]|$)"
            r"|(?:ignore|scratch) (?:that|my|what"
            r"|the rule))\b"
        ),
        (
            r"\b(?:that|the|this|your) (?:memory|rule|note)\b.{0,60}\b(?:is wrong|is not true|is outdated"
            r"|is obsolete|no longer)\b"
        ),
        r"\bremembered (?:that|this|it) wrong\b",
        r"^(?:bitte )?vergiss,?(?! (?:\w+ )?(?:nicht|nie))\b|^(?:por favor,? )?olvida(?:te)?\b|^oublie[zs]?\b",
        (
            r"^dimentica(?:ti)?\b|^(?:por favor,? )?esque[cç]a\b|^забудь(?:те)?\b|^(?:hãy )?quên\b"
            r"|^vergeet(?! (?:\w+ )?niet)\b|^zapomnij\b"
        ),
        r"^(?:请|請)?(?:忘记|忘記|忘掉|忘了)|忘れて(?!は)(?:ください|ね|いい)?[。.!！]?$|잊어\s?(?:줘|버려|주세요)",
    ),
)

THIS_SESSION: Final = Family(
    "about this session",
    (
        (
            r"\bfor (?:now|the moment|today)\b|\bfor the time being\b|\b(?:in|on|for|of|during) this (?:pr|branch"
            r"|session|task|commit|ticket|conversation|chat|step|change|run|round|refactor\w*)\b"
            r"|\bthis is (?:just |only )?a (?:temporary|prototype|draft)"
        ),
        (
            r"\b(?:we|you|i)(?:'re| are|'m| am)(?: \w+)? (?:(?:on|at) (?:step|phase|part|item)|in the middle of"
            r"|in \w+ mode)\b"
        ),
        (
            r"\b(?:we|you|i)(?:'re| are|'m| am) (?:only|just|still|currently) (?:on|at|doing|working|looking|fixing"
            r"|debugging|testing|trying|planning|reviewing|refactoring)\b|\byou (?:just|already) (?!need)\w+(?:ed"
            r"|t|id)\b"
        ),
        (
            r"\btemporarily\b|\buntil (?:tomorrow|i am|i'm|we are|we're)\b|\bright now\b|\b(?:i'?ll"
            r"|we'?ll) \w+ (?:it|this) (?:tomorrow|later)\b"
        ),
        (
            r"\b(?:vorerst|in diesem pr|für diese sitzung)\b|\b(?:por ahora|en este pr)\b|\bpour l'instant\b"
            r"|\bper ora\b|\bpor enquanto\b"
        ),
        r"\bпока что\b|\btạm thời\b|暂时|这次|這次|今のところ|今回|이번(?:에|만)|당분간",
    ),
)

PERMISSION: Final = Family(
    "a permission",
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
