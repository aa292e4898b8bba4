"""The words that make a sentence a standing rule, or rule it out: families of cues in many languages, with weights.

A family is one idea; its patterns are the ways to say it. A sentence earns each family's weight once, however many
of its patterns match. To notice more, add a pattern to the family it belongs to; a new family needs a new idea.
Patterns are matched anywhere in the folded sentence (lower case, full-width forms and curly quotes made plain, the
apostrophe of "don't" optional); `^` is the start of the sentence behind its lead-in ("no, ", "actually ").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Family:
    """One idea, how much it speaks for (or, negative, against) a standing rule, and the ways to say it."""

    name: str
    weight: int
    patterns: tuple[str, ...]


_WE: Final = r"(?:we|this (?:repo|project|codebase)|the (?:team|repo|project|codebase))"
_HOW: Final = r"(?:always|never|only|usually|normally|generally|typically|all|explicitly|already|also|do|just)"
_NOT: Final = r"(?:do\s?n'?t|do not|never|does\s?n'?t|does not|no longer)"
_USE: Final = (
    r"(?:use|uses|using|prefer|prefers|follow|follows|write|name|keep|put|store|log|run|deploy|commit|target|support|pin|avoid|"
    r"squash|rebase|merge|format|lint|test|mock|import|export|expose|build|ship|release|tag|branch|require|allow|accept|have|"
    r"want|like|need|add|call|treat|stick|go|rely|document|prefix|return|throw|raise|handle|touch|edit|change|check)"
)

FOR: Final[tuple[Family, ...]] = (
    Family("from now on", 3, (
        r"\bfrom (?:now|here|this point) on(?:wards?)?\b", r"\b(?:going|moving) forward\b", r"\bas a (?:general )?rule\b",
        r"\bin (?:the )?future\b", r"\bfor (?:all )?future (?:\w+ )?(?:work|changes|commits|prs|sessions|reference)\b",
        r"\bab (?:jetzt|sofort)\b|\bkünftig\b|\bin zukunft\b|\bgrundsätzlich\b", r"\bde ahora en adelante\b|\ba partir de ahora\b",
        r"\bdésormais\b|\bdorénavant\b|\bà partir de maintenant\b|\bà l'avenir\b", r"\bd'ora in poi\b|\bin futuro\b",
        r"\b(?:a partir de agora|daqui em diante|daqui pra frente)\b", r"\bвпредь\b|\bс этого момента\b|\bотныне\b|\bв дальнейшем\b",
        r"\btừ (?:giờ|nay)(?: trở)?(?: đi)?\b", r"从现在(?:起|开始)|從現在(?:起|開始)|今后|今後|以后都|以後都", r"これから(?:は|も)|今後は?", r"앞으로(?:는)?|이제부터",
    )),
    Family("always, never", 2, (
        r"\balways\b", r"\bnever\b", r"\bunder no circumstances\b", r"\bevery (?:single )?time\b", r"\bat all times\b", r"\bnot .{0,30}\bever\b",
        r"\bimmer\b|\bniemals\b|\bnie\b", r"\bsiempre\b|\bnunca\b|\bjamás\b", r"\btoujours\b|\bjamais\b", r"\bsempre\b|\bmai\b(?= \w)",
        r"\bвсегда\b|\bникогда\b", r"\bluôn(?: luôn)?\b|\bkhông bao giờ\b", r"总是|一律|始终|永远|千万|總是|始終|永遠", r"常に|必ず|いつも|絶対に?", r"항상|절대(?:로)?|반드시|언제나",
    )),
    Family("what we do", 2, (
        rf"\b{_WE} (?:{_HOW} )*(?:{_NOT} )?(?:{_HOW} )*{_USE}\b", rf"\b{_WE} (?:are|were) (?:using|on)\b",
        r"\bour (?:\w+ )?(?:convention|standard|policy|style|rule|practice)s?\b", r"\b(?:the|house|project|repo) (?:convention|policy|style)\b.{0,20}\bis\b",
        r"\bwir (?:\w+ )?(?:nehmen|benutzen|verwenden|nutzen|schreiben|machen|haben)\b", r"\b(?:usamos|utilizamos|preferimos|no usamos)\b",
        r"\b(?:on|nous) (?:n'?)?(?:utilis\w+|emploie|préf\w+)", r"\b(?:usiamo|utilizziamo|non usiamo)\b", r"\b(?:a gente usa|nós usamos)\b",
        r"\bмы (?:не )?(?:использу\w+|пиш\w+|примен\w+)", r"\b(?:chúng (?:ta|tôi)|bên mình|dự án này) (?:không )?(?:dùng|sử dụng)\b",
        r"(?:我们|我們|本项目|这个项目|這個專案)(?:都|只|不|统一)*(?:用|使用)", r"(?:うち|このプロジェクト|このリポジトリ|我々|私たち)(?:では|は)", r"(?:우리|이 프로젝트|이 저장소)(?:는|은|에서는)",
    )),
    Family("don't", 1, (
        rf"^(?:please )?(?:{_NOT}|avoid|no more|stop) \w", r"\b(?:we|you|it|they|commits?|tests?|files?) (?:should|must|can) ?(?:not|n'?t|never)\b", r"\bmust(?: not|n'?t)\b", r"\bnot allowed\b|\bforbidden\b|\boff.limits\b",
        r"\b(?:kein\w*|nicht)\b.{0,60}(?:benutz|verwend|nutz|nehm|nimm|commit)", r"^no (?:uses|usar|pongas|hagas|hagan|toques|edites|comm?it\w*)\b", r"\bn'utilise[zr]? (?:pas|jamais|plus)\b",
        r"^non (?:usare|usate|modificare|mettere|fare)\b", r"^não (?:use|usar|usem|edite|faça|coloque)\b", r"\bне (?:используй|пиши|трогай|делай|коммить|редактируй)\w*", r"\b(?:đừng|không được|cấm)\b",
        r"不要|不准|不许|禁止|别(?:用|再)|不能用|別(?:用|再)", r"(?:ないで|禁止|しないこと|使わない)", r"(?:하지\s?마|쓰지\s?마|금지|말고)",
    )),
    Family("use X", 1, (
        r"^(?:please )?(?:use|prefer|write|name|put|keep|run|log|stick|follow|wrap|place|branch|base|format)\b", r"\b(?:i|we|you|one) (?:should|must|have to|need to|ought to|'d rather|would rather|want to)\b", r"\b(?:must|should) be\b", r"\bneeds? to be\b",
        r"\b(?:nimm|nutze|benutze|verwende|schreib\w*)\b", r"\b(?:usa|utiliza|escribe|pon)\b", r"\b(?:utilise[zr]?|écri[st]|préfère)\b", r"\b(?:usare|usate|scrivi)\b", r"\b(?:use|usar|escreva)\b",
        r"\b(?:используй|пиши)\w*", r"\b(?:dùng|sử dụng|viết)\b", r"用|使用", r"使って|使う|使おう|書いて", r"(?:써|쓰자|사용해|사용하)",
    )),
    Family("I prefer", 3, (
        r"\bi (?:really |strongly |always |generally |usually )*(?:prefer|like (?:it|to|my|when)|hate|never want|always want)\b", r"^(?:always )?prefer \w+", r"\bmy preference is\b",
        r"\bich bevorzuge\b|\bmir ist .{0,20}lieber\b", r"\bprefiero\b", r"\bje préfère\b", r"\bpreferisco\b", r"\bprefiro\b|\beu prefiro\b", r"\b(?:я )?предпочита\w+", r"\btôi thích\b", r"我(?:更)?(?:喜欢|喜歡|偏好|习惯)", r"(?:の方が好き|が好み)", r"(?:선호해|선호합니다|더 좋아)",
    )),
    Family("said before", 2, (
        r"\b(?:i|we)(?:'ve| have)? (?:already )?(?:told|said|asked|mentioned|explained|reminded)\b.{0,30}(?:before|already|again|times|earlier|you)\b", r"\bas i (?:said|told|mentioned)\b", r"\bhow (?:many|often) (?:times|do i)\b",
        r"\b(?:did we not|didn'?t we|we(?:'ve| have)?(?: already)?) (?:already )?(?:go|gone|been|went) (?:through|over) this\b", r"\b(?:again|once more|yet again)[:,]", r"\bstop (?:doing|using|adding|writing|putting|creating|making)\b", r"\bwhy do you keep\b|\byou keep \w+ing\b",
        r"\bich habe? (?:dir|es) .{0,20}gesagt\b|\bschon wieder\b", r"\bya te (?:he )?dij\w+|\bte lo dije\b", r"\bje t'ai déjà dit\b", r"\bte l'ho già detto\b", r"\bjá (?:te )?(?:disse|falei)\b", r"\bя (?:уже )?(?:же )?говорил\w*", r"\b(?:tôi|mình) đã nói\b", r"(?:我)?(?:说过|說過|跟你说|又来了)", r"(?:前にも言|何度も言|言ったよね)", r"(?:전에 (?:말했|얘기)|또)",
    )),
    Family("X rather than Y", 2, ()),  # two names in contrast: see `contrast`
    Family("here", 1, (
        r"\bin (?:this|our) (?:repo(?:sitory)?|project|codebase|code base|monorepo|package|code|org)\b", r"\b(?:around|over) here\b", r"\bhere\b(?=$|[,;:.—–-]| (?:we|and|because|not|instead)\b)", r"\bthis (?:repo|repository|project|codebase) \w+s\b",
        r"\bin diesem (?:repo|projekt)\b|\bhier\b", r"\ben este (?:repo|repositorio|proyecto)\b|\baquí\b", r"\bdans ce (?:repo|dépôt|projet)\b|\bici\b", r"\bin questo (?:repo|progetto)\b|\bqui\b", r"\bneste (?:repo|repositório|projeto)\b|\baqui\b",
        r"\bв этом (?:репозитории|проекте)\b|\bздесь\b", r"\btrong (?:repo|dự án) này\b|\bở đây\b", r"(?:这个|這個|本)(?:项目|仓库|專案|代码库)|这里|這裡", r"この(?:リポジトリ|プロジェクト)|ここでは", r"이 (?:저장소|프로젝트|레포)|여기(?:서는|선)",
    )),
    Family("how things are here", 3, (
        r"\b(?:there(?:'s| is| are)|we have|you have) no \w+.{0,30}\b(?:on (?:this|the|my|your) (?:machine|box|host|laptop|server)|in (?:this|the|your) (?:sandbox|container|environment|vm)|here)\b",
        r"\b(?:you|we) (?:do\s?n'?t|do not|can(?:no|')?t) (?:have )?(?:access(?: to)?|reach|use|run|start) \w+.{0,40}\b(?:here|from here|on this|in this|on the host|in the sandbox)\b", r"\b(?:is|are) (?:not|n'?t) (?:installed|available) (?:here|on this|in this|on my)\b",
        r"\b(?:tests?|specs?|fixtures?|migrations?|docs?|configs?|scripts?|templates?|secrets?|types?|it|they)\b.{0,30}\b(?:live|lives|belong|belongs|go|goes|sit|reside)s? (?:in|under|next to|into|at)\b", r"\b(?:source of truth|single source)\b.{0,20}\bis\b|\bis (?:the|our) (?:single )?source of truth\b",
        r"\bes gibt (?:hier )?kein\w* \w+.{0,30}\b(?:maschine|rechner|hier)\b", r"\ben esta máquina no hay\b|\bno hay \w+ en esta máquina\b", r"\bsur cette machine\b", r"\bна этой машине нет\b", r"(?:这台|本)机器?(?:上)?没有", r"(?:このマシン|この環境)には.{0,20}(?:ない|ありません)", r"이 (?:머신|컴퓨터)에는.{0,20}없",
    )),
    Family("when it applies", 1, (
        r"\b(?:before|after|when(?:ever)?|while) (?:you |we )?(?:\w+ )?(?:commit|push|pull|merg|releas|deploy|open|creat|writ|add|chang|edit|updat|runn?|test|mak|touch|review|fix|start|finish|implement|refactor|renam)\w*\b", r"\bunless (?:i|we|you|asked|told|explicitly|it|they|there)\b", r"\bwithout (?:asking|my|permission|being asked|approval)\b",
        r"\b(?:each|every|any|all) (?:new )?(?:commit|pr|pull request|change|test|file|function|release|branch|endpoint|migration|module|step|phase)s?\b", r"\bwherever (?:we|you|it|possible)\b", r"\buntil i (?:say|ask|tell)\b", r"\bby default\b",
        r"\b(?:vor|bei|nach) (?:jedem|dem) \w+", r"\bantes de (?:cada )?\w+", r"\bavant (?:de|chaque) \w+", r"\bprima di \w+", r"\bперед (?:каждым )?\w+", r"\btrước khi\b", r"(?:之前|的时候|每次|提交前)", r"(?:する前に|の前に|たびに|ときは)", r"(?:하기 전에|할 때마다|할 때)",
    )),
    Family("because", 1, (
        r"\b(?:because|since it|since we|since the|so that|otherwise|to avoid|to save|that's why|which is why)\b", r"\b(?:weil|sonst|damit)\b", r"\b(?:porque|para que no)\b", r"\b(?:parce que|sinon)\b", r"\bperché\b", r"\bпотому что\b|\bиначе\b", r"\b(?:vì|bởi vì)\b", r"因为|因為|否则", r"(?:ため|から、|ので)", r"(?:때문에|니까)",
    )),
    Family("the other way", 1, (r"\binstead\b|\brather\b|\bnot the other way\b", r"\bstattdessen\b", r"\ben su lugar\b", r"\bà la place\b", r"\binvece\b", r"\bem vez disso\b", r"\bвместо этого\b", r"\bthay vào đó\b", r"而是|改用", r"代わりに", r"대신")),
    Family("the guide", 2, (r"\b(?:claude|agents|gemini|contributing)\.md (?:says|is clear|clearly)\b", r"\b(?:style ?guide|guidelines?|conventions?) (?:says?|require|is)\b")),
)

AGAINST: Final[tuple[Family, ...]] = (
    Family("a question", -4, (r"\?[\"')\s]*$", r"^(?:what|why|how|where|who|which|when|is|are|do|does|did|can|could|would|should|will|shall|have|has|was|were|any chance|isn'?t|aren'?t|don'?t you|doesn'?t|didn'?t)\b.{0,200}\?", r"[？؟]\s*$", r"(?:吗|呢|嗎)$", r"(?:ですか|ますか|かな)$", r"(?:나요|까요|니까)$")),
    Family("only supposed", -3, (
        r"\b(?:what if|suppose|imagine|hypothetical\w*|in theory|maybe|perhaps|might|i wonder|wondering|not sure|i guess|probably|i think we could|could (?:we|also|be|then)|would (?:be|it|that|we|you|have)|we could|one option|an option|for example|e\.g\.)\b", r"^if (?:we|you|i|it|the|that|this|there)\b", r"\bvielleicht\b|\bwas wäre wenn\b", r"\bquizás\b|\btal vez\b|\by si\b", r"\bpeut-être\b|\bet si\b", r"\bforse\b", r"\btalvez\b", r"\bвозможно\b|\bможет быть\b|\bа что если\b", r"\bcó lẽ\b|\bnếu như\b", r"也许|可能|如果|假如|也許", r"かもしれ|もし|たぶん", r"아마|만약|혹시",
    )),
    Family("passing", -4, (
        r"\b(?:right now|at the moment|currently|today|tomorrow|yesterday|tonight|this (?:morning|week|month|sprint)|for now|for the moment|at this point|this time|just this once|just once|so far|yet|still|meanwhile|temporar\w+)\b", r"\b(?:pr|issue|ticket|mr|build|job) ?#?\d+\b", r"#\d+\b", r"\b(?:is|are) (?:red|green|failing|broken|open|closed|merged|passing|down|up|stuck|running|done|ready|blocked)\b", r"\b(?:i'm|i am|we're|we are) (?:on|in|at|working|trying|getting|seeing|going)\b", r"\bwe (?:shipped|released|merged|deployed|have (?:shipped|released|merged))\b", r"\b\d+ (?:tests?|errors?|failures?)\b",
        r"\b(?:gerade|heute|momentan|im moment|vorerst|diesmal)\b", r"\b(?:ahora mismo|hoy|por ahora|de momento|esta vez)\b", r"\b(?:en ce moment|aujourd'hui|pour l'instant|cette fois)\b", r"\b(?:adesso|oggi|per ora|questa volta)\b", r"\b(?:agora mesmo|hoje|por enquanto|desta vez)\b", r"\b(?:сейчас|сегодня|пока что|в этот раз)\b", r"\b(?:hiện tại|hôm nay|lần này|bây giờ)\b", r"现在(?!起|开始)|今天|目前|暂时|这次|這次", r"今は|今日|とりあえず|今回", r"지금(?!부터)|오늘|이번(?:에|만)|일단",
    )),
    Family("the task at hand", -3, (
        r"\b(?:in|for|on|to|of|from|with) (?:this|that|the (?:current|same|last|next|new|other)) (?:pr|branch|commit|task|change|step|phase|feature|issue|case|test|file|function|plan|one|review|session|migration|ticket|method|release|section|doc|page)\b", r"\blet'?s\b|\blets\b", r"\b(?:can|could|will|would) (?:you|we)\b", r"\b(?:i want|i'd like|i need|we need|we want) (?:you )?to\b(?! (?:always|never))", r"\b(?:then|next|now|first|afterwards?|once (?:you'?re |you are |that'?s |that is )?done|when (?:you'?re|you are) done|and then|go ahead|proceed|continue|keep going)\b", r"\boption (?:\d|[a-d])\b", r"\bas (?:above|below|discussed|follows|you (?:said|suggested|proposed))\b", r"\byour (?:plan|suggestion|proposal|approach|change|fix|code|implementation|review)\b", r"\b(?:mach|füge|lass uns)\b", r"\bvamos a\b", r"\bdavai\b|\bдавай\b",
    )),
    Family("about the product", -3, (
        r"\b(?:user|users|button|page|screen|modal|dialog|form|panel|sidebar|header|footer|tooltip|icon|table|column|row|field|input|dropdown|menu|tab|toast|banner|card|layout|colou?r|font|margin|padding|width|height|click|hover|scroll|endpoint|api|response|request|payload|query|prompt|message|output|cli|command|flag|argument|option|parser|scanner|server|client|cache|index|worker|job|session|token|hook|webhook|algorithm|engine|pipeline|component|default value)s?\b.{0,30}\b(?:should|must|needs? to|has to|shall|will|always|never|only|returns?|shows?|displays?)\b", r"\bif (?:the|a|an|there) .{3,60}, (?:it|we|then|the)\b",
        r"\b(?:show|shows|shown|display|displays|displayed|render|renders|rendered|click|clicks|select|selects|toggle)\b",
    )),
    Family("a fault report", -3, (
        r"\b(?:does\s?n'?t|did\s?n'?t|is\s?n'?t|wo\s?n'?t|not) (?:work|working|fixed|showing|show|load|render|compile|build|start|happen)\w*\b", r"\b(?:i (?:see|saw|get|got|found|noticed|ran)|it (?:says|shows|seems|looks|fails|failed|crashes|looks like)|seems? (?:like|to)|looks like|(?:got|getting|get) (?:an? )?(?:error|exception|failure)|bug|broken|fails? (?:with|when|to)|failed|regression|crash\w*|stack ?trace)\b", r"\b(?:dialog|error|window|output|message|file|result|change)s? (?:appeared|showed|found|shown)\b",
    )),
    Family("somebody else's words", -4, (r"\b(?:the |this |that )?(?:log|logs|error|output|message|docs?|documentation|readme|comment|reviewer|review|article|issue|ticket|linter|compiler|ci|stack ?trace|warning|copilot|coderabbit|codex|gemini|bot|page|site|blog)s? (?:says?|said|reads?|states?|shows?|claims?|complains?|suggests?|mentions?|tells?|reports?|wants?|recommends?)\b", r"^(?:error|output|log|result|from the docs)s?:", r"\baccording to\b", r"\b(?:here is|here's|see) (?:the|a|my) (?:log|output|error|review|comment|feedback|plan|diff)\b")),
    Family("a permission", -4, (r"\b(?:you can|you may|feel free|go ahead|it'?s (?:ok|okay|fine)|i'?m (?:ok|okay|fine)|no need to|you do\s?n'?t (?:have|need) to|do\s?n'?t (?:worry|bother|mind)|never ?mind|if you (?:want|like|wish|prefer))\b", r"\b(?:keine sorge|no te preocupes|ne t'inquiète|non preoccuparti|não se preocupe|не беспокойся|không sao)\b|没关系|不用担心|大丈夫|괜찮")),
    Family("an answer", -3, (r"^(?:yes|yep|yeah|yup|sure|ok|okay|no|nope|nah|thanks|thank you|great|perfect|nice|cool|good|fine|right|correct|exactly|agreed|sounds good|lgtm|stop|wait|hmm+|done)\b[\s,.!]*$", r"^(?:no|nope),? (?:thanks|thank you|that'?s|it'?s|this|idea|problem|worries|need|dialog|changes?|luck)\b", r"^(?:sounds|looks) (?:good|great|fine)\b")),
    Family("points at something unsaid", -2, (
        r"\b(?:do\s?n'?t|do not|never|stop|avoid|always|use|keep|put|run|do|change|touch|remove|add|edit|fix|commit|push|make|write|leave) (?:\w+ )?(?:it|that|this|them|these|those|one|so|anything|everything)\b(?! (?:repo|project|machine|codebase|way))", r"^(?:it|that|this|these|those|they|he|she)\b", r"\b(?:this|that|these|those) (?!repo|repository|project|codebase|machine|org|is\b|means\b)\w+", r"\bthe (?:above|following|latter|former|same)\b", r"(?:这个|那个|這個|那個)(?!项目|仓库|專案)", r"(?:それ|あれ|これ)(?!から)", r"(?:그거|그건|이거|이건)",
    )),
)


@cache
def _compiled() -> tuple[tuple[Family, re.Pattern[str]], ...]:
    return tuple((family, re.compile("|".join(family.patterns))) for family in (*FOR, *AGAINST) if family.patterns)


def families_in(folded: str) -> tuple[Family, ...]:
    """Return the families of which the folded sentence has a cue."""
    return tuple(family for family, pattern in _compiled() if pattern.search(folded))
