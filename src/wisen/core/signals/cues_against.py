"""The wordings that make a sentence something else than a standing rule: a question, a status, a task, a feature."""

from __future__ import annotations

from typing import Final

from wisen.core.signals.cues import Family
from wisen.core.signals.cues_not_meant import A_TRIAL, DENIED, JOKE, PAST, PERMISSION, RETRACTED, SUPPOSED, THIS_SESSION

_PARTS_OF_A_PRODUCT: Final = (
    r"(?:users?|buttons?|pages?|screens?|modals?|dialogs?|forms?|panels?|sidebars?|headers?|footers?|tooltips?"
    r"|icons?|tables?|"
    r"columns?|rows?|fields?|inputs?|dropdowns?|menus?|tabs?|toasts?|banners?|cards?|layouts?|colou?rs?|fonts?"
    r"|margins?|"
    r"endpoints?|api|responses?|requests?|payloads?|quer(?:y|ies)|prompts?|(?<!commit )messages?|outputs?|cli"
    r"|flags?|arguments?|options?|"
    r"parsers?|scanners?|servers?|clients?|caches?|index|workers?|jobs?|sessions?|tokens?|hooks?|webhooks?"
    r"|algorithms?|"
    r"engines?|pipelines?|components?|values?|targets?|sources?|results?|lists?|items?|entries|counters?|score)"
)

_A_SYSTEM: Final = r"(?:windows|linux|mac\w*|ubuntu|debian|fedora|nixos|wsl\d?|arm\w*|m\d|apple silicon)"

QUESTION: Final = Family(
    "a question",
    (
        (
            r"[?？؟][\"')\s]*$|^(?:can|could|would|should|will|shall|may|have|has|had|were|was) "
            r"(?:we|you|i|it|this|they|the)\b|^(?:do|don't|dont|did|didn't) (?:we|i|they|you(?! (?:ever"
            r"|dare)))\b(?! not go)"
        ),
        (
            r"^(?:what|why|how(?! (?:many times|often) do i)|where|who|which|is|are|does|did(?! (?:we|i) not)|has"
            r"|was|were|any chance|is ?n'?t|are ?n'?t|does ?n'?t) "
        ),
        (
            r"\b(?:understood|understand|know|remember|wonder\w*|sure|see|tell|idea|forget|forgot|ask(?:ing|ed)?)"
            r" (?:why|if|whether|how|what|which)\b|[,;] (?:so |and |but |then )?(?:why|how come|what|or do"
            r"|right)\b"
        ),
        r"^(?:wieso|warum|weshalb|wie|was|wann|wer|wo|welche\w?)\b|^(?:por qu[eé]|c[oó]mo|cu[aá]ndo|qu[eé]|cu[aá]l)\b",
        r"^(?:pourquoi|comment|quand|est-ce)\b|^(?:perché|come mai|quando|quale)\b|^(?:por que|como|qual)\b",
        r"^(?:почему|зачем|как|когда|где|какой)\b|^(?:tại sao|vì sao|làm sao)\b|为什么|为啥|怎么|なぜ|どうして|왜",
        r"(?:吗|呢|嗎|ですか|ますか|かな|나요|까요)[。.]?$",
    ),
)

PASSING: Final = Family(
    "passing",
    (
        (
            r"\b(?:right now|at the moment|currently|today|tomorrow|yesterday|tonight|this (?:morning|week"
            r"|month|sprint)|(?:till|until) (?:mon|tues|wednes|thurs|fri|satur|sun)day|for now|"
            r"for the moment|at this point|this time|(?:just|only)(?: this)? once|so far|yet|still|meanwhile"
            r"|temporar\w+|anymore)\b"
        ),
        r"\b(?:pr|issue|ticket|mr|build|job) ?#?\d+\b|#\d+\b|\b\d+ (?:tests?|errors?|failures?)\b",
        (
            r"\b(?:is|are) (?:red|green|failing|broken|open|closed|merged|passing|down|up|stuck|running|done|ready"
            r"|blocked|outdated|out of date|stale|slow|flaky|incomplete|\d+ \w+ (?:behind|ahead))\b"
        ),
        (
            rf"\b(?:i'm|i am|we're|we are) (?:(?:on|in|at)(?! (?:an? )?{_A_SYSTEM}\b)|working|trying|getting|seeing"
            r"|going|overriding|\w+ing)\b(?! use)"
        ),
        r"\bwe (?:have |'ve |just )?(?:shipped|released|merged|deployed)\b",
        r"\bstep \d+\b|\b(?:still|already) (?:on|in|at|working|doing)\b",
        r"\b(?:gerade|heute|momentan|im moment|vorerst|diesmal)\b",
        r"\b(?:ahora mismo|hoy|por ahora|de momento|esta vez)\b",
        r"\b(?:en ce moment|aujourd'hui|pour l'instant|cette fois)\b",
        r"\b(?:adesso|oggi|per ora|questa volta)\b",
        r"\b(?:agora mesmo|hoje|por enquanto|desta vez)\b",
        r"\b(?:сейчас|сегодня|пока что|в этот раз)\b",
        r"\b(?:hiện tại|hôm nay|lần này|bây giờ)\b",
        r"现在(?!起|开始)|今天|目前|暂时|这次|這次|这一次|今は|まだ|今日|とりあえず|今回",
        r"지금(?!부터)|오늘|이번(?:에|만)|일단|아직",
    ),
)

THE_TASK: Final = Family(
    "the task at hand",
    (
        (
            r"\b(?:this|that|the (?:current|same|last|next|new|other)) (?:pr|branch|commit|task|change|step"
            r"|phase|feature|issue|case|"
            r"test|file|function|plan|one|review|session|migration|ticket|method|release|section|doc|page|line"
            r"|block|approach)\b"
        ),
        (
            r"^(?:please )?(?:rename|replace|move|read|create|implement|fix|update|remove|delete|add|refactor"
            r"|migrate|convert|change|extract|revert|install|bump|investigate|check|review|look|find|show|explain"
            r"|open|close|push|try|rewrite|port|validate|sort|build|make)\b"
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
        # an order behind what looks like a rule: "we use it for payments; add a refund"
        (
            r"[,;] (?!.*\binstead\b)(?:so |then |and |please |now |just )*(?:add|fix|implement|find|delete|remove"
            r"|build|make|do|hardcode|refactor|rewrite|change|update) (?:it|this|that|them|the|a|an|in)\b"
            r"|\band do it\b|\bjust (?:fix|do|hardcode|make) "
        ),
        (
            r"\b(?:in|for|on) the (?:\w+ ){0,2}(?:form|page|component|handler|endpoint|module|class|function"
            r"|method|spike|loop|dialog|screen|button|modal|view|query|spec|parser|job|worker|line)\b"
            r"|\bin \w+\(\)|\bline \d+\b"
        ),
        (
            r"\bthe (?:second|first|other|shorter|longer|simpler|old) (?:one|option|variant|approach|version|way"
            r"|file)\b|\bthe existing\b|\bcreating a new one\b|\bfor (?:this|that|it)(?=[,.;!]|$)|\bso (?:many"
            r"|much)\b"
        ),
        r"\blass uns\b|\b(?:diese|die andere)[rsn]? (?:datei|funktion)\b",
        r"\bvamos a\b",
        r"\bдавай(?:те)?\b",
    ),
)

THE_PRODUCT: Final = Family(
    "about the product",
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
        r"\bthe (?!team|repo|project|codebase)[\w ]{2,30} (?:always|never) \w+s\b|\bthe \w+ is (?:on|off|null|empty)\b",
        (
            r"\b(?:always|never|must|should)(?: (?:always|never|not))? (?:be (?:shown|sent|null|empty|negative"
            r"|visible|disabled|enabled|paginated|sorted|hashed|encrypted)|redirect|return|display|send|charge"
            r"|drop|exceed|greet|accept|sort|round|retry|block|contain|expire|load)\b"
        ),
        (
            r"\b(?:players?|customers?|guests?|admins?|visitors?|invoices?|prices?|orders?"
            r"|passwords?)\b.{0,40}\b(?:always|never|must)\b"
        ),
        (
            r"\b(?:nutzer|benutzer|kunde|knopf|schaltfläche)\w*\b|\b(?:usuarios?|clientes?|botón|botão|usuários?"
            r"|utente|utenti)\b"
        ),
        r"\b(?:utilisateurs?|bouton|clients?)\b|пользовател|кнопк|\bngười dùng\b|\bnút\b",
        r"用户|用戶|按钮|按鈕|ユーザー|ボタン|画面|仕様|사용자|버튼|화면",
        r"\b(?:if|when) (?:the|a|an|there) .{3,60}, (?:it|we|then|the|they)\b",
        r"\b(?:show|display|render|click|select|toggle|hover|scroll)(?:s|ed|n|ing)?\b",
    ),
)

FAULT: Final = Family(
    "a fault report",
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
            r"\bseems? (?:like|to)\b|\blooks like\b|\b(?:(?<!fix a )(?<!fixing a )bug|broken"
            r"|regression(?! tests?)|crash\w*|the fix|root cause)\b|\bfail(?:s|ed|ing|ure)?\b"
        ),
        r"\b(?:dialog|error|window|output|message|file|result|change)s? (?:appeared|showed|found|shown)\b",
        r"\b(?:the )?wrong (?:folder|place|file|branch|dir|directory|port|one)\b",
        r"\bfehler\b|\bstürzt\b|\bklappt\b|\bgeht (?:nicht|nie)\b|\bproblem\b",
        r"\bfalla\w*\b|\berror(?:e|es)?\b|\bfunciona\b|\berreur\w*\b|\bmarche (?:pas|jamais)\b|\btrava\b|\berro\b",
        r"падает|вылетает|ошибк|не работает|\blỗi\b|\btreo\b",
        r"报错|错误|出错|卡在|崩溃|不行|エラー|落ち|動かな|에러|오류|안 ?돼|멈춰",
    ),
)

SOMEBODY_ELSE: Final = Family(
    "somebody else's words",
    (
        (
            r"\b(?!(?:i|we|you|policy|convention|rule|standard|style|that|to|also|just|always|never|not|n't|don't"
            r"|as)\b)[\w.@/-]+"
            r" (?:says?|said|wrote|writes|commented|told (?:me|us)|complains?|suggests?|suggested"
            r"|recommends?|claims?|insists?|thinks|mentions|mentioned|reports that)\b"
        ),
        r"\byou (?:said|told me|claimed|wrote)\b",
        r"^(?:error|output|log|result|from the docs)s?:|\baccording to\b|\bthe docs?:",
        r"\b(?:here is|here's|see) (?:the|a|my) (?:log|output|error|review|comment|feedback|plan|diff)\b",
        r"\b(?:tells|asks) (?:the model|it|them)\b|\ba line \b.{0,40}\b(?:says|saying)\b|\bwhich (?:says|types)\b",
        r"\bshould be [\"']",
    ),
)

ANSWER: Final = Family(
    "an answer",
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
    (
        (
            r"^(?!when|before|after|if\b).*\b(?:do ?n'?t|do not|never|stop|avoid|always|use|keep|put|run|do"
            r"|change|touch|remove|add|edit|fix|commit|push|make|write|leave|check|merge|run)"
            r" (?:\w+ )?(?:it|that|this|them|these|those|one|so)\b(?! (?:repo|project"
            r"|machine|codebase))"
        ),
        r"^(?:it|that|this|these|those|they|he|she)\b(?! (?:repo|repository|project|codebase|machine))",
        (
            r"\b(?:this|these|those|(?:in|on|for|to|of|from|with|about|fix|change|remove|add|use|do|run|keep"
            r"|drop) that) "
            r"(?!(?:repo|repository|project|codebase|package|monorepo|workspace|machine|org|sandbox|environment"
            r"|container|vm|host|box"
            r"|team|is|means)\b)\w+"
        ),
        r"\bthe (?:above|following|latter|former|same)\b",
        r"(?:这个|那个|這個|那個)(?!项目|仓库|专|專)|(?:それ|あれ)(?!から)",
        r"(?:그거|그건|이거|이건)",
    ),
)

AGAINST: Final = (
    QUESTION,
    A_TRIAL,
    THIS_SESSION,
    SUPPOSED,
    PASSING,
    THE_TASK,
    THE_PRODUCT,
    FAULT,
    SOMEBODY_ELSE,
    PAST,
    JOKE,
    DENIED,
    RETRACTED,
    PERMISSION,
    ANSWER,
    UNSAID,
)
