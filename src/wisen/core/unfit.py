"""Which words are no knowledge, however they were noticed? What passes, what was only supposed, what git says anyway.

The gate weighs what speaks for a rule; here is what no weight makes up for. It is asked for whatever a signal brings,
but for what the user asked to remember: then they know why.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.core.gist import gist_of
from wisen.core.reasons import only_judges
from wisen.core.signals.wording import folded, is_dangling, without_lead_in

STATUS: Final = "a passing state: it will not be so in the next session"
SUPPOSED: Final = "only supposed, not known"
OPINION: Final = "a question for an opinion"
ONCE: Final = "holds this once only"
OF_GIT: Final = "what git says by itself"
WITNESS: Final = "what somebody saw, did or is about to do, not what holds"
FRAGMENT: Final = "a part of a sentence: what it belongs to is not there"
SAYS_NOTHING: Final = "does not say by itself what it is about"

_LONGEST_CHARS: Final = 1_000
"""Beyond it nothing is looked for: it is no sentence."""


def unfit(text: str) -> str:
    """Return why words are not to be remembered, '' when nothing speaks against it."""
    plain = folded(without_lead_in(text)).strip("() ")
    if len(plain) > _LONGEST_CHARS:
        return ""
    for reason, patterns in _families():
        if any(pattern.search(plain) for pattern in patterns):
            return reason
    if is_dangling(text) or only_judges(without_lead_in(text)) or not gist_of(text).marks:
        return SAYS_NOTHING
    return ""


def leans_on_the_moment(text: str) -> bool:
    """Do the words point at something that only the session shows ("this function must stay pure")?

    So does a complaint of what was done unasked ("I did not say that"): there is a rule behind it, not in its words.
    And so does what somebody would like rather ("I'd prefer a map here"): a choice, where "I prefer" is a habit.
    """
    plain = folded(without_lead_in(text))
    of_the_moment = _complaint().match(plain) or _choice().match(plain)
    return bool(of_the_moment) or (bool(_pointers().search(plain)) and not _has_name(text))


def _has_name(text: str) -> bool:
    return any(mark.is_name for mark in gist_of(text).marks)


@cache
def _complaint() -> re.Pattern[str]:
    return re.compile(
        r"i (?:did ?n't|did not|never) (?:say|said|ask\w*|tell|told|want\w*|mean\w*)\b"
        r"|das habe ich nicht|ich habe nicht"
        r"|no (?:te )?(?:dije|pedí)\b|je n'ai (?:pas|jamais) (?:dit|demandé)|non ho (?:detto|chiesto)"
        r"|não (?:disse|pedi)\b"
        r"|я не (?:говорил|просил)|我没(?:说|让|叫)"
    )


@cache
def _choice() -> re.Pattern[str]:
    return re.compile(
        rf"(?:i(?:'d| would)|(?:wir|ich) würden?) (?:personally |really |much |probably |rather |also "
        rf"|still |eher )*(?:prefer"
        rf"|like|love|want|go (?:for|with)|use|keep|call|move|put|make|do|say|expect|lieber)\b{_LASTING}"
    )


@cache
def _pointers() -> re.Pattern[str]:
    lasting = (
        r"(?:repo\w*|project|codebase|code base|machine|computer|laptop|box|server|environment|team|org\w*"
        r"|company|package"
        r"|monorepo|workspace|app|application|is|are|was|means|way|kind|sort|applies|holds"
        r"|we|you|i|they|it|he|she|the|our|there|all|every|no)"
    )
    return re.compile(
        rf"\b(?:this|that|these|those)(?! {lasting}\b) (?!\w+(?:s|ed) )\w+\b|^(?:always |never |please |do"
        rf" ?n'?t )*\w+ (?:it|them"
        r"|this|that)\b|\bdies(?:e|er|es|en)? (?!repo|projekt)\w+|\best[ae] (?!repo|proyecto|máquina)\w+"
        r"|\bcett?e? (?!repo|projet|dépôt|machine)\w+|\bquest[oa] (?!repo|progetto|macchina)\w+"
        r"|\best[ae] (?!repo|projeto|máquina)\w+|\bэт(?:от|а|у|ой|ом)\b(?! (?:проект|репозитори|машин))"
        r"|这(?:个|段|里的)?(?!个?(?:项目|仓库|机器))|この(?!プロジェクト|リポジトリ|マシン|環境)|이 (?!프로젝트"
        r"|저장소|머신)"
    )


@cache
def _families() -> tuple[tuple[str, tuple[re.Pattern[str], ...]], ...]:
    compiled = {reason: tuple(re.compile(pattern) for pattern in patterns) for reason, patterns in _PATTERNS.items()}
    return tuple(compiled.items())


_THING: Final = (
    r"(?!(?:if|when|while|once|unless|until|whenever|after|before|no|only|keep|make) )(?:the |our |my"
    r" )?(?:\w+ )?(?:pr|mr|pull request|issue|ticket|bug|build|pipeline|ci|branch|job|deploy(?:ment)?"
    r"|release|tests?"
    r"|test suite|suite|main|master|trunk|staging|prod(?:uction)?|server|migration|rollout|everything)(?:"
    r" [#!]?\d+)?"
)
_STATE: Final = (
    r"(?:open|closed|merged|red|green|failing|broken|passing|down|back up|stuck|done|ready|blocked|in review"
    r"|pending|finished)"
)
_NOW: Final = (
    r"(?:right now|at the moment|at present|as of today|today|tonight|this (?:morning|afternoon|evening|week))"
)
_TASK: Final = r"(?:pr|branch|session|task|commit|ticket|conversation|chat|change|run|round|time)"

_LASTING: Final = r"(?!.*\b(?:always|never|every|whenever|should|must|prefer|have to|need to|use[sd]? to|wherever)\b)"
"""What makes a rule of what somebody tells of themselves."""

_PATTERNS: Final = {
    OPINION: (
        (
            r"\bwhat(?:'s| is| are) (?:your|you) (?:opinion|thoughts?|take)\b|\bwhat do you (?:think|suggest"
            r"|recommend)\b"
        ),
        (
            r"^(?:would|should|could|do you think|does it make sense|is it (?:worth|better|a good idea|ok)|which"
            r" (?:one )?is better"
            r"|how about|what about)\b.*[?？]"
        ),
        (
            r"^(?:(?:and|or|but|so|hmm+|wait|ok(?:ay)?),? )*(?:is|isn't|are|aren't|was|were|does"
            r"|doesn't|did|didn't|has"
            r"|have|had|am|where|who|when|which)\b(?! (?:in doubt|possible|needed|necessary|applicable)\b)[^?]*[?？]$"
        ),
        r"\b(?:right|correct|isn't it|don't we|doesn't it|aren't we|nicht wahr|verdad|vero|né)\?$",
        (
            r"^(?:\w+ ?\w*: )?(?:(?:is|are) there )?any (?:other )?(?:way|ways|idea|ideas|options?"
            r"|suggestions?|thoughts|reason)\b[^?]*\?$"
        ),
        (
            r"^(?:(?:a )?(?:follow[- ]?up|next|another|one|quick)(?: question)?[:,] |and |so |but "
            r"|ok(?:ay)?,? )*(?:what|how)"
            r"(?:'s| is| are| do| does| did| can| could| would| should| \w+s)\b(?! not\b| n't\b).*\?$"
        ),
        r"^(?:was hältst du|was meinst du|sollten? (?:wir|ich)|wäre (?:es|das)|lohnt (?:es|sich))\b",
        r"^(?:¿|qué (?:te parece|opinas)|deberíamos|sería (?:mejor|útil)|vale la pena)",
        r"^(?:qu'en penses-tu|que penses-tu|devrait-on|devrions-nous|est-ce que ça vaut|serait-il)\b",
        r"^(?:cosa ne pensi|che ne pensi|dovremmo|sarebbe (?:meglio|utile)|ha senso)\b.*\?",
        r"^(?:o que (?:você )?acha|deveríamos|seria (?:melhor|útil)|vale a pena)\b",
        r"^(?:как (?:ты )?думаешь|что думаешь|стоит ли|может,? стоит)\b",
        r"^(?:bạn nghĩ (?:sao|gì)|có nên)\b",
        r"你觉得|您觉得|要不要.*[？?吗]|是不是应该|どう思(?:う|います)|べきですか|어떻게 생각|좋을까요?",
    ),
    SUPPOSED: (
        (
            r"^(?:maybe|perhaps|possibly|probably|presumably|hypothetically|what if|suppose|supposing|imagine"
            r"|assuming|i wonder)\b"
        ),
        (
            r"^(?:it|that|this|there|the [\w -]{2,40}?) (?:might|may|could|must) (?:be|have)\b(?!.*\b(?:always"
            r"|never)\b)"
        ),
        (
            r"^(?:it|that) (?:seems|looks like|appears|sounds like)\b|\b(?:might|may|must) be (?:broken|wrong"
            r"|the (?:cause|reason|problem))\b"
        ),
        (
            r"^i (?:think|guess|suspect|believe|assume|suppose|fear)\b(?!.*\b(?:always|never|should|must|use"
            r"|prefer|need to|have to)\b)"
        ),
        r"\b(?:i'?m|we'?re) not sure\b|\bnot sure (?:if|whether|that)\b",
        (
            r"^(?:vielleicht|möglicherweise|wahrscheinlich|vermutlich|angenommen|was wäre wenn|ich glaube|ich"
            r" vermute|es scheint)\b"
        ),
        r"^(?:quizás?|tal vez|a lo mejor|probablemente|supongamos|y si|creo que|parece que)\b",
        r"^(?:peut-être|sans doute|probablement|supposons|et si|je crois|je pense|on dirait|il semble)\b",
        r"^(?:forse|magari|probabilmente|supponiamo|e se|credo che|sembra che)\b",
        r"^(?:talvez|provavelmente|suponha|e se|acho que|parece que)\b",
        r"^(?:возможно|может быть|наверное|вероятно|допустим|а что если|кажется|похоже|я думаю)\b",
        r"^(?:có lẽ|có thể là|chắc là|giả sử|hình như|tôi nghĩ)\b",
        (
            r"^(?:也许|可能|大概|假设|假如|好像|我觉得|我猜)|^(?:たぶん|おそらく|もしかして|もし(?:も)?)"
            r"|かもしれ(?:ない|ません)|と思う。?$"
            r"|^(?:아마|혹시|만약)|것 같(?:아|습니다|다)"
        ),
    ),
    ONCE: (
        (
            rf"\b(?:just|only) (?:this )?once\b|\bthis time(?: only| around)?(?:$|[,.!;])|^(?:for |in |on )?this"
            rf" {_TASK},"
            rf"|\bfor this {_TASK}(?: only)?(?:$|[,.!;])|\bfor (?:now|the moment|today)\b|\bfor the time being\b"
            rf"|\btemporarily\b"
            r"|\buntil (?:tomorrow|monday|tonight|i'?m back|further notice)\b"
        ),
        (
            r"^if (?:we|you|i) (?:do|did|change|changed|use|used|go|went|keep|remove|make"
            r"|merge) (?:this|that|it|with (?:this|that|it))\b"
            r"|^(?:(?:ok|yes|sure|fine),? )?(?:go ahead|proceed|feel free to|you (?:can|may) (?:now|go|proceed"
            r"|push|merge|commit|delete"
            r"|continue|start|skip)\b)(?!.*\b(?:always|whenever|any ?time|every)\b)"
        ),
        r"\b(?:nur )?diesmal\b|\bdieses eine mal\b|\bvorerst\b|\bfürs erste\b|\bin diesem pr\b",
        r"\b(?:sólo |solo )?(?:por )?esta vez\b|\bpor ahora\b|\bde momento\b|\ben este pr\b",
        r"\b(?:juste |pour )?cette fois(?:-ci)?\b|\bpour l'instant\b|\bpour le moment\b|\bdans cette pr\b",
        r"\b(?:solo |per )?(?:questa|stavolta) volta\b|\bstavolta\b|\bper ora\b|\bper il momento\b",
        r"\b(?:só |por )?(?:d?esta vez)\b|\bpor enquanto\b|\bpor agora\b",
        r"\b(?:в этот раз|на этот раз|только один раз|пока что|на время)\b",
        r"\b(?:lần này|tạm thời|chỉ một lần)\b",
        r"这次|這次|这一次|暂时|暫時|先这样|今回(?:は|だけ)|とりあえず|一時的に|이번(?:에는|만|엔)|일단은?|당분간",
    ),
    FRAGMENT: (
        (
            r"^(?:(?:since|although|though|whereas|which|because|so that|basically that|meaning|just like"
            r"|like) )(?!.*, )"
        ),
        r"^(?:basically |so |meaning |i mean |and |or |just )*that (?:we|you|i|they|it|the)\b(?!.*, )",
        r"^like (?:\w+ )+(?:->|→|then )",
        # No sentence ends so; but one ends "unless I ask you to", "in the repo it belongs to", "leave it as it is".
        r"\b(?:the|an|and|or)$",
        r"^(?!.*\b(?:as|where|how|what|who|which|than|wherever|whatever|whoever)\b).*\b(?:is|are|was)$",
        (
            r"^(?:weil|obwohl|sodass|damit|porque|aunque|parce que|bien que|perché|sebbene|porque|embora"
            r"|потому что|хотя)\b(?!.*, )"
        ),
    ),
    WITNESS: (
        (
            rf"^i (?:also |just |really |still |only |already )*(?:can(?:'t|not| not)|could(?:n't| not)"
            rf"|do(?:n't| not)"
            rf"|did(?:n't| not)) (?:really |even |actually )?(?:see|find|spot|notice|recall|remember"
            rf"|understand|know)\b"
            rf"{_LASTING}"
        ),
        (
            rf"^i (?:also |just |then |only |already |now |have |had )*(?:see|saw|noticed"
            rf"|found(?! (?:out )?that)|ran|did(?! not| n't)|tried"
            rf"|put|added|changed|removed|deleted|committed|opened|created|checked|updated|moved|renamed"
            rf"|pulled|rebased"
            rf"|installed|got|was|went|wrote|made|tested|started|restarted|looked|read|thought|meant)\b{_LASTING}"
        ),
        rf"^i(?:'ll| will|'m going to| am going to|'m about to)\b{_LASTING}",
        (
            r"^(?:(?:the|my|our) )?(?:issue|problem|bug|reason|question|confusion) (?:was|is) that (?:i|he"
            r"|she|they|the other)\b"
        ),
        (
            r"^(?:ich (?:sehe|finde|habe|hab|werde|war)|ich kann \w+ nicht (?:sehen"
            r"|finden))\b(?!.*\b(?:immer|nie|niemals|lieber)\b)"
        ),
        (
            r"^(?:no veo|no encuentro|he (?:visto|hecho|añadido|cambiado|borrado)|acabo de"
            r"|voy a)\b(?!.*\b(?:siempre|nunca)\b)"
        ),
        (
            r"^(?:je ne (?:vois|trouve) pas|j'ai (?:vu|fait|ajouté|changé|supprimé)|je viens d"
            r"|je vais)\b(?!.*\b(?:toujours|jamais)\b)"
        ),
        r"^(?:non (?:vedo|trovo)|ho (?:visto|fatto|aggiunto|cambiato|tolto))\b(?!.*\b(?:sempre|mai)\b)",
        r"^(?:não (?:vejo|encontro)|eu (?:vi|fiz|adicionei|mudei|removi)|vou)\b(?!.*\b(?:sempre|nunca)\b)",
        r"^я (?:не вижу|не нашел|не нашёл|видел|сделал|добавил|удалил|изменил)\b(?!.*(?:всегда|никогда))",
        r"^我(?:没看到|看到|没找到|刚才?|已经)(?!.*(?:总是|永远|从不|一律))",
    ),
    STATUS: (
        (
            rf"^{_THING} (?:is|are|was|were|got|has been|have been|'s) (?:still |now |currently |all |already "
            rf"|finally )?{_STATE}\b"
            r"(?!.*\b(?:must|should|never|always|do ?n'?t|before|unless|only when|only if)\b)"
        ),
        (
            r"^(?:there (?:is|are) )?(?:still )?(?:\d+|some|all|two|three|four|five|several|a few) (?:\w+"
            r" )?(?:tests?|checks?|jobs?|errors?"
            r"|failures?|warnings?|specs?|builds?|prs?|issues?)(?: (?:is|are|were|still|now|currently))*"
            r" (?:fail\w*|pass\w*|left|broken|red"
            r"|green|open|remaining|pending)\b"
        ),
        (
            r"^(?:i|we)(?:'m| am|'re| are) (?:now |currently |still |just )?(?:on|in|at) (?:the |a )?(?:\w\S*"
            r" )?(?:branch|step|phase|commit"
            r"|worktree|part)\b"
        ),
        (
            r"^(?:i|we)(?:'m| am|'re| are) (?:now |currently |still |just |only )*(?:working|looking|fixing"
            r"|debugging|testing|trying"
            r"|planning|reviewing|refactoring|waiting|done|finished|stuck|blocked)\b"
        ),
        (
            r"^(?:i|we)(?:'ve| have)? (?:just |already |finally )?(?:shipped|released|merged|deployed|pushed"
            r"|published|finished|landed"
            r"|rolled out|tagged|fixed|broke)\b(?!.*\b(?:always|never|must|should)\b)"
        ),
        rf"\b{_NOW}(?:$|[,.!;])|^{_NOW}\b",
        (
            r"^(?:der|die|das)? ?(?:pr|build|ci|branch|pipeline|tests?)(?: #?\d+)? (?:ist|sind) (?:noch |gerade "
            r"|wieder )?(?:offen|rot|grün"
            r"|kaputt|fertig|gemergt|blockiert)\b|\b(?:gerade|momentan|im moment|heute)\b(?=.*\b(?:ist|sind"
            r"|läuft|bin|haben)\b)"
            r"|^\d+ tests? (?:schlagen|sind|laufen)\b|^(?:ich bin|wir sind) (?:gerade )?(?:auf|im) (?:dem"
            r" )?branch\b"
            r"|^wir haben (?:heute|gerade|soeben)\b"
        ),
        (
            r"^(?:el|la|los|las)? ?(?:pr|build|ci|rama|pipeline|tests?|pruebas)(?: #?\d+)? (?:está|están)"
            r" (?:abiert|roj|verde|rot|list|cerrad"
            r"|caíd|fallando|bloquead)\w*|\b(?:ahora mismo|hoy|en este momento)\b|^\d+ (?:tests?|pruebas)"
            r" (?:fallan|están)\b"
            r"|^(?:estoy|estamos) en (?:la|el) (?:rama|branch)\b"
        ),
        (
            r"^(?:le|la|les)? ?(?:pr|build|ci|branche|pipeline|tests?)(?: #?\d+)? (?:est|sont) (?:encore "
            r"|toujours )?(?:ouvert|roug|vert|cassé"
            r"|prêt|fermé|bloqué)\w*|\b(?:en ce moment|aujourd'hui|actuellement)\b|^\d+ tests? (?:échouent|sont)\b"
            r"|^(?:je suis|nous sommes|on est) sur la branche\b"
        ),
        (
            r"^(?:il|la|i|le)? ?(?:pr|build|ci|branch|pipeline|test)(?: #?\d+)? (?:è|sono) (?:apert|ross|verd"
            r"|rott|pront|chius|bloccat)\w*"
            r"|\b(?:adesso|oggi|in questo momento)\b|^\d+ test (?:falliscono|sono)\b|^(?:sono|siamo) sul branch\b"
        ),
        (
            r"^(?:o|a|os|as)? ?(?:pr|build|ci|branch|pipeline|testes?)(?: #?\d+)? (?:está|estão) (?:abert"
            r"|vermelh|verd|quebrad|pront|fechad"
            r"|falhando|bloquead)\w*|\b(?:agora mesmo|hoje|neste momento)\b|^\d+ testes (?:falham|estão)\b"
            r"|^(?:estou|estamos) n[ao] (?:branch|ramo)\b"
        ),
        (
            r"^(?:pr|ci|сборка|билд|ветка|тесты?)(?: #?\d+)? (?:сейчас )?(?:открыт|закрыт|красн|зел[её]н|сломан"
            r"|упал|пада|готов)\w*"
            r"|\b(?:сейчас|сегодня|в данный момент)\b|^\d+ тест\w* (?:пада|упал)\w*|^(?:я|мы) (?:сейчас )?(?:на"
            r"|в) ветке\b"
        ),
        (
            r"^(?:pr|ci|build|nhánh|test)(?: #?\d+)? (?:đang|vẫn|đã) |\b(?:hôm nay|hiện tại|bây giờ|ngay lúc này)\b"
            r"|^\d+ test (?:đang )?(?:lỗi|fail|hỏng)|^(?:tôi|mình|chúng tôi) đang (?:ở|trên) nhánh"
        ),
        (
            r"现在(?!起|开始)|今天|目前|(?:pr|ci|构建|测试|分支)\s?#?\d*\s?(?:还|已经?|正)?(?:是|在)?(?:开着|打开"
            r"|红|绿|失败|挂|合并)了?的?[。.]?$"
            r"|^\d+\s?个?测试(?:失败|没过|挂)|我在.{1,20}分支上"
        ),
        (
            r"今日|いまは|今は|現在は|(?:pr|ci|ビルド|テスト)\s?#?\d*\s?(?:は|が)(?:まだ)?(?:オープン|赤|緑|失敗"
            r"|落ち|壊れ|マージ)"
            r"|\d+\s?(?:件|個)の?テストが(?:失敗|落ち)|ブランチにいます"
        ),
        (
            r"오늘|지금(?!부터)|현재는?|(?:pr|ci|빌드|테스트)\s?#?\d*\s?(?:은|는|이|가)? ?(?:아직 )?(?:열려|빨간"
            r"|실패|깨|머지)"
            r"|테스트 ?\d+ ?개(?:가|는)? ?실패|브랜치에 있"
        ),
    ),
    OF_GIT: (
        (
            r"^(?:the )?(?:last|latest|head|previous|current) (?:commit|tag|release|version|branch) (?:is|was)\b"
            r"|^head is (?:at|now)\b"
        ),
        (
            r"\b(?:was|were|got|has been|have been) (?:committed|merged|reverted|cherry-picked|tagged|rebased"
            r"|added|introduced|removed|renamed)"
            r" (?:in|into|to|by|on|onto|with) (?:commit |pr |#|[0-9a-f]{7,40}\b|main\b|master\b)"
        ),
        r"\bcommit [0-9a-f]{7,40} (?:is|was|adds?|added|fix\w*|remov\w*|chang\w*|introduc\w*)\b",
        (
            r"^(?:der )?letzte commit (?:ist|war)\b|^el último commit\b|^le dernier commit\b|^l'ultimo commit\b"
            r"|^o último commit\b"
            r"|^последний коммит\b|^commit cuối\b|^(?:最后|最新|上)一?(?:个|次)提交|^最後のコミット|^마지막 커밋"
        ),
    ),
}
