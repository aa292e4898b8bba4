"""The wordings of a standing rule, by idea and in many languages. A new wording goes to the idea it belongs to."""

from __future__ import annotations

from typing import Final

from wisen.core.signals.cues import Family

_WE: Final = r"(?:we|this (?:repo|project|codebase)|the (?:team|repo|project|codebase))"
_HOW: Final = r"(?:(?:always|never|only|usually|normally|generally|typically|all|explicitly|already|also|just|do) )*"
_DO_NOT: Final = r"(?:do ?n'?t|do not|never|does ?n'?t|does not|no longer)"
_DO: Final = (
    r"(?:uses?|using|prefers?|follows?|writes?|names?|keeps?|puts?|stores?|logs?|runs?|deploys?|commits?|targets?|"
    r"supports?|pins?|avoids?|squash(?:es)?|rebases?|merges?|formats?|lints?|tests?|mocks?|imports?|exports?|exposes?|"
    r"builds?|ships?|releases?|tags?|branch(?:es)?|requires?|allows?|accepts?|documents?|prefix(?:es)?|return"
    r"|throw|raise)"
)

FROM_NOW_ON: Final = Family(
    "from now on",
    3,
    (
        r"\bfrom (?:now|here|this point) on(?:wards?)?\b",
        r"\b(?:going|moving) forward\b",
        r"\bas a (?:general )?rule\b|\brule of thumb\b",
        r"\bin (?:the )?future,? (?!work|version|release|we (?:can|could|might|may|will))",
        r"\bab (?:jetzt|sofort)\b|\bkünftig\b|\bin zukunft\b|\bgrundsätzlich\b",
        r"\bde ahora en adelante\b|\ba partir de ahora\b",
        r"\bdésormais\b|\bdorénavant\b|\bà partir de maintenant\b|\bà l'avenir\b",
        r"\bd'ora in (?:poi|avanti)\b|\bin futuro\b",
        r"\ba partir de agora\b|\bdaqui (?:em diante|pra frente)\b",
        r"\bвпредь\b|\bс этого момента\b|\bотныне\b|\bв дальнейшем\b",
        r"\btừ (?:giờ|nay)(?: trở)?(?: đi)?\b",
        r"从现在(?:起|开始)|從現在(?:起|開始)|今后|今後|以后都|以後都|以后请|これから(?:は|も)",
        r"앞으로(?:는)?|이제부터",
    ),
)

ALWAYS_NEVER: Final = Family(
    "always, never",
    2,
    (
        # "and never executes" describes a program; "and never commit" tells somebody
        (
            r"(?:^|\b(?:we|i|you|should|must|to|please|and|but|so|or|also)[ ,:]+|[,;:(–—-] ?)(?:always"
            r"|never) (?!\w*[^s\W]s\b|\w+ed\b|\w+ing\b)\w"
        ),
        (
            r"\b(?:do ?n'?t|do not|not|no) .{0,40}\bever\b(?! (?:since|after))|\bunder no circumstances\b"
            r"|\bevery single time\b|\bat all times\b|\bno exceptions\b"
        ),
        r"\bimmer\b|\bniemals\b|\bnie\b",
        r"\bsiempre\b|\bnunca\b|\bjamás\b",
        r"\btoujours\b|\bjamais\b",
        r"\bsempre\b|\bmai (?=\w)",
        r"\bвсегда\b|\bникогда\b",
        r"\bluôn(?: luôn)?\b|\bkhông bao giờ\b",
        r"总是|一律|始终|永远|千万|務必|总要|總是|始終|永遠|常に|必ず|いつも|絶対に?",
        r"항상|절대(?:로)?|반드시|언제나",
    ),
)

WHAT_WE_DO: Final = Family(
    "what we do",
    2,
    (
        rf"\b{_WE} {_HOW}(?:{_DO_NOT} )?{_HOW}{_DO}\b(?! to\b)",
        r"\bwe (?:should|must|may|can) ?(?:not|n'?t|never|always)\b",
        r"\bwir (?:\w+ )?(?:nehmen|benutzen|verwenden|nutzen|schreiben|machen)\b",
        r"\b(?:no )?(?:usamos|utilizamos|preferimos)\b",
        r"\b(?:on|nous) (?:n'?)?(?:utilis\w+|emploie|préf\w+)",
        r"\b(?:usiamo|utilizziamo|preferiamo)\b",
        r"\ba gente (?:não )?usa\b|\bnós (?:não )?usamos\b",
        r"\b(?:мы|у нас) (?:не )?(?:использу\w+|пиш\w+|примен\w+)",
        r"\b(?:chúng (?:ta|tôi)|bên mình|dự án này) (?:không )?(?:dùng|sử dụng)\b",
        r"(?:我们|我們|本项目|这个项目|這個專案)(?:都|只|不|统一|一直)*(?:用|使用)",
        r"(?:うち|このプロジェクト|このリポジトリ|我々|私たち)(?:では|は)",
        r"(?:우리|이 프로젝트|이 저장소)(?:는|은|에서는)",
    ),
)

STOP_DOING: Final = Family(
    "stop doing",
    2,
    (
        (
            r"(?:^|[,;:.] )(?:please )?(?:stop|quit|no more) (?:using|adding|writing|putting|creating|making"
            r"|leaving|mocking|committing|"
            r"pushing|editing|touching|guessing|asking|repeating|inventing|importing|renaming|reformatting)\b"
        ),
        r"\bhör(?:e|t)? (?:bitte )?auf\b",
        r"\bdeja de \w+[aei]r\b",
        r"\barrête(?:z)? d(?:e |')",
        r"\bsmett(?:i|ila) di\b",
        r"\bpare de\b",
        r"\bперестань(?:те)? \w+",
        r"别再|不要再|のをやめて|はやめて",
        r"그만 (?:써|해)|하지 말아 ?줘",
    ),
)

OUR_CONVENTION: Final = Family(
    "our convention",
    3,
    (
        (
            r"\b(?:our|house|project|repo|team|naming|commit) (?:\w+ )?(?:convention|standard|policy|style|rule"
            r"|practice)s?\b.{0,20}\b(?:is|are|says?)\b"
        ),
        r"\bthe (?:convention|policy|house style|standard here) is\b|\bby convention\b",
        r"\bunsere (?:konvention|regel)\b",
        r"\bnuestra (?:convención|norma|regla)\b",
        r"\bnotre (?:convention|règle)\b",
        r"\bla nostra (?:convenzione|regola)\b",
        r"\bnossa (?:convenção|regra)\b",
        r"\bу нас принято\b|\bнаше правило\b",
        r"\bquy ước của\b",
        r"(?:我们|我們)的(?:规范|約定|约定|惯例)|(?:規約|ルール)は",
        r"(?:우리|저희) (?:규칙|컨벤션)",
    ),
)

DO_NOT: Final = Family(
    "don't",
    1,
    (
        rf"(?:^|[,;:.] )(?:please )?(?:{_DO_NOT}|avoid|no more|stop) \w|^no \w+ (?:in|on|for|inside|without) \w",
        (
            r"\b(?:should|must|may|can) ?(?:not|n'?t|never)\b|\bnot allowed\b|\bforbidden\b|\boff.limits\b"
            r"|\bbetter not to\b"
        ),
        r"\b(?:keine?\w?|nicht)\b.{0,60}(?:benutz|verwend|nutz|nehm|nimm|commit)",
        r"^no (?:uses|usar|pongas|hagas|hagan|toques|edites|commit\w*)\b",
        r"\bn'(?:utilise[zr]?|ajoute[zr]?|édite[zr]?) (?:pas|jamais|plus)\b",
        r"^non (?:usare|usate|modificare|mettere|fare)\b",
        r"^não (?:use|usar|usem|edite|faça|coloque)\b",
        r"\bне (?:используй|пиши|трогай|делай|коммить|редактируй)\w*",
        r"\b(?:đừng|không được|cấm)\b",
        r"不要|不准|不许|禁止|别(?:用|再)|不能用|別(?:用|再)|(?:ないで|しないこと|使わない)",
        r"(?:하지 ?마|쓰지 ?마|금지|말고)",
    ),
)

USE: Final = Family(
    "use X",
    1,
    (
        (
            r"^(?:please )?(?:use|prefer|write|name|put|keep|run|log|stick|follow|wrap|place|branch|base|format"
            r"|always|never)\b"
        ),
        r"\b(?:i|we|you|one) (?:should|must|ought to|'d rather|would rather)\b|\b(?:must|should) be\b",
        r"\b(?:nimm|nutze|benutze|verwende|schreib\w*)\b",
        r"\b(?:usa|utiliza|escribe|pon)\b",
        r"\b(?:utilise[zr]?|écri[st])\b",
        r"\b(?:usare|usate|scrivi)\b",
        (
            r"^(?:usar|escreva)\b|^(?:immer|nie|niemals|siempre|nunca|toujours|jamais|sempre|mai|всегда|никогда"
            r"|luôn|总是|항상|必ず)"
        ),
        r"\b(?:используй|пиши)\w*",
        r"\b(?:dùng|sử dụng|viết)\b",
        r"用|使用|使って|使う|使おう|書いて",
        r"(?:써|쓰자|사용해|사용하)",
    ),
)

I_PREFER: Final = Family(
    "I prefer",
    3,
    (
        r"\bi (?:really |strongly |always |generally |usually )*(?:prefer|hate|never want|always want)\b",
        r"(?:^|[,;] )(?:always |please )?prefer \w+",
        r"\bmy preference is\b",
        r"^i (?:always |only |usually )?use \w+",
        r"\bich bevorzuge\b|\bmir ist .{0,20}lieber\b",
        r"\bprefiero\b",
        r"\bje préfère\b",
        r"\bpreferisco\b",
        r"\b(?:eu )?prefiro\b",
        r"\b(?:я )?предпочита\w+",
        r"\btôi thích\b",
        r"我(?:更)?(?:喜欢|喜歡|偏好|习惯)|(?:の方が好き|が好み)",
        r"(?:선호해|선호합니다|더 좋아)",
    ),
)

SAID_BEFORE: Final = Family(
    "said before",
    3,
    (
        (
            r"\b(?:i|we)(?:'ve| have)? (?:already )?(?:told|asked|reminded) you (?:before|already|again|many"
            r"|several|\w+ times|earlier|not|to)\b"
        ),
        r"\bi(?:'ve| have)? already (?:told|said|asked|mentioned)\b|\bas i (?:already )?(?:said|told you)\b",
        r"\bhow (?:many times|often do i)\b|\byou keep \w+ing\b",
        (
            r"\b(?:did we not|didn'?t we|we(?:'ve| have)?(?: already)?) (?:already )?(?:go|gone|been"
            r"|went) (?:through|over) this\b"
        ),
        r"\bich habe? (?:dir|es) .{0,20}gesagt\b",
        r"\bya te (?:lo )?(?:he )?di(?:je|cho)\b|\bte lo dije\b",
        r"\bje t'ai déjà dit\b",
        r"\bte l'ho già detto\b",
        r"\bjá (?:te )?(?:disse|falei)\b",
        r"\bя (?:тебе )?(?:уже )?(?:же )?говорил\w*",
        r"\b(?:tôi|mình) đã (?:nói|bảo)\b",
        r"(?:我)?(?:说过|說過|跟你说)|(?:前にも言|何度も言|言ったよね)",
        r"전에 (?:말했|얘기)",
    ),
)

NO: Final = Family(
    "no",
    1,
    (r"^(?:no|nope|nein|нет|non|não|không|いや|いいえ|違う|不|不对|아니|아니요)[,、，.!:;–— ]",),
)

CONTRAST: Final = Family(
    "X rather than Y",
    2,
    # two names set against each other are found by `wording.contrast`
    (rf"^(?:please )?(?:{_DO_NOT}|stop|avoid) [^,;:.–—]{{3,80}}[,;:.–—]+ (?:and )?(?:\w+ ){{1,8}}instead\b",),
)

TWO_TOOLS: Final = Family("one tool, not the other", 3, ())  # `wording.contrast` of two tools we know

NOT_THAT: Final = Family(
    "not Y",
    1,
    (r", (?:and |but )?not (?:(?:in|a|an|the|with|via|on|from|as) )*[^\s,]+(?: \w+)?[.!]*$",),
)

OUR_TOOL: Final = Family("a tool of ours", 1, ())  # "we use NAME": found by `wording.tool_of_ours`

HERE: Final = Family(
    "here",
    1,
    (
        r"\bin (?:this|our) (?:repo(?:sitory)?|project|codebase|code base|monorepo|package|code|org)\b",
        r"\b(?:around|over) here\b|\bhere\b(?=$|[,;:.!–—-]| (?:we|and|because|not|instead)\b)",
        r"\b(?:this|the) (?:repo|repository|project|codebase) \w+s\b",
        r"\bin diesem (?:repo|projekt)\b|\bhier\b",
        r"\ben este (?:repo|repositorio|proyecto)\b|\baquí\b",
        r"\bdans ce (?:repo|dépôt|projet)\b|\bici\b",
        r"\bin questo (?:repo|progetto)\b",
        r"\bneste (?:repo|repositório|projeto)\b|\baqui\b",
        r"\bв этом (?:репозитории|проекте)\b|\bздесь\b",
        r"\btrong (?:repo|dự án) này\b|\bở đây\b",
        r"(?:这个|這個|本)(?:项目|仓库|專案|代码库)|这里|這裡|この(?:リポジトリ|プロジェクト)|ここでは",
        r"이 (?:저장소|프로젝트|레포)|여기(?:서는|선)",
    ),
)

EVERYWHERE: Final = Family("everywhere", 2, ())  # found by `wording.is_personal`

HOW_THINGS_ARE: Final = Family(
    "how things are here",
    3,
    (
        (
            r"\b(?:there(?:'s| is| are)|we have|you have) no \w+.{0,30}\b(?:on (?:this|the|my|your) (?:machine"
            r"|box|host|laptop|server)"
            r"|in (?:this|the|your) (?:sandbox|container|environment|vm)|here)\b"
        ),
        (
            r"\b(?:you|we) (?:do ?n'?t|do not|can(?:no|')?t) (?:have )?(?:access(?: to)?|reach|use|run"
            r"|start) \w+.{0,40}"
            r"\b(?:here|on this|in this|on the host|in the sandbox)\b"
        ),
        r"\b(?:is|are) ?(?:not|n'?t) (?:installed|available) (?:here|on this|in this|on my)\b",
        (
            r"\b(?:tests?|specs?|fixtures?|migrations?|docs?|configs?|scripts?|templates?|secrets?|types?"
            r"|snapshots?)\b.{0,30}"
            r"\b(?:live|belong|go|sit|reside)s? (?:in|under|next to|into|at)\b"
        ),
        (
            r"\b(?:is|are) (?:the|our) (?:single )?source of truth\b|\bis (?:auto-?)?generated\b.{0,20}\b(?:edit"
            r"|change|touch)\b"
        ),
        r"\bes gibt (?:hier )?kein\w* \w+.{0,30}\b(?:maschine|rechner|hier)\b",
        r"\ben esta máquina no hay\b|\bno hay \w+ en esta máquina\b",
        r"\bil n'y a pas de \w+ sur cette machine\b",
        r"\bsu questa macchina non c'è\b|\bnon c'è \w+ su questa macchina\b",
        r"\bnesta máquina não (?:há|tem)\b|\bnão (?:há|tem) \w+ nesta máquina\b",
        r"\bна этой машине нет\b",
        r"\bmáy này không có\b",
        r"(?:这台|本)机器?(?:上)?没有|(?:このマシン|この環境)には.{0,20}(?:ない|ありません)",
        r"이 (?:머신|컴퓨터)에는.{0,20}없",
    ),
)

WHEN: Final = Family(
    "when it applies",
    1,
    (
        (
            r"\b(?:before|after|when(?:ever)?|while) (?:you |we )?(?:commit|push|merg|releas|deploy|open|creat"
            r"|writ|add|chang|edit|"
            r"updat|run|test|mak|touch|review|fix|implement|refactor|renam)(?:s|es|ing|ting|ning|ging)?\b"
        ),
        r"\b(?:before|after|on|in|for|with) (?:each|every|any|all) (?:new )?\w+",
        (
            r"\bunless (?:i|we|you|asked|told|explicitly)\b|\bwithout (?:asking|my|permission|being asked"
            r"|approval)\b|\buntil i (?:say|ask|tell)\b"
        ),
        r"\bwherever (?:we|you|it|possible)\b|\bby default\b|\bwhenever\b|\bevery time\b",
        r"\b(?:vor|bei|nach) (?:jedem|jeder|dem) \w+",
        r"\bantes de (?:cada )?\w+",
        r"\bavant (?:de|chaque) \w+",
        r"\bprima di \w+",
        r"\bперед (?:каждым )?\w+",
        r"\btrước khi\b",
        r"之前|的时候|每次|提交前|する前に|の前に|たびに|ときは",
        r"하기 전에|할 때마다|할 때",
    ),
)

REASON: Final = Family(
    "the reason",
    1,
    (
        (
            r"\b(?:because|since (?:it|we|the)|so that|otherwise|to avoid|to save|that's why|which is why"
            r"|given (?:the|that))\b"
        ),
        r"\b(?:weil|sonst|damit)\b",
        r"\bporque\b|\bpara que no\b",
        r"\bparce que\b|\bsinon\b",
        r"\bperché\b",
        r"\bпотому что\b|\bиначе\b",
        r"\b(?:vì|bởi vì)\b",
        r"因为|因為|否则|ため|から、|ので",
        r"때문에|니까",
    ),
)

THE_OTHER_WAY: Final = Family(
    "the other way",
    1,
    (
        r"\binstead\b|\brather\b",
        r"\bstattdessen\b",
        r"\ben su lugar\b",
        r"\bà la place\b",
        r"\binvece\b",
        r"\bem vez disso\b",
        r"\bвместо этого\b",
        r"\bthay vào đó\b",
        r"而是|改用|代わりに",
        r"대신",
    ),
)

FOR: Final = (
    FROM_NOW_ON,
    ALWAYS_NEVER,
    WHAT_WE_DO,
    OUR_CONVENTION,
    STOP_DOING,
    DO_NOT,
    USE,
    I_PREFER,
    SAID_BEFORE,
    NO,
    TWO_TOOLS,
    CONTRAST,
    NOT_THAT,
    OUR_TOOL,
    HERE,
    EVERYWHERE,
    HOW_THINGS_ARE,
    WHEN,
    REASON,
    THE_OTHER_WAY,
)
