"""The wordings of a standing rule, by idea and in many languages. A new wording goes to the idea it belongs to."""

from __future__ import annotations

from typing import Final

from wisen.core.signals.cues import Family

_WE: Final = r"(?:we|this (?:repo|project|codebase)|the (?:team|repo|project|codebase))"
_HOW: Final = r"(?:(?:always|never|only|usually|normally|generally|typically|all|explicitly|already|also|just|do) )*"
_DO_NOT: Final = r"(?:do ?n'?t|do not|never|does ?n'?t|does not|no longer)"
_DO: Final = (
    r"(?:uses?|using|prefers?|follows?|writes?|names?|keeps?|puts?|stores?|logs?|runs?|deploys?|commits?|targets?|"
    r"supports?|pins?|avoids?|squash(?:es)?|rebases?|merges?|formats?|lints?|tests?|mocks?|imports?"
    r"|exports?|exposes?|builds?|ships?|releases?|tags?|branch(?:es)?|requires?|allows?|accepts?|documents?"
    r"|prefix(?:es)?|return"
    r"|throw|raise)"
)

_ACT: Final = (
    r"(?:use|prefer|write|name|put|keep|run|log|stick|follow|wrap|place|branch|base|format|commit|push|merge"
    r"|rebase|squash|amend|edit|touch|add|ask|answer|reply|mention|include|document|test|mock|import|lint|pin|tag"
    r"|bump|review|open|create|delete|change|update|modify|install|require|check|deploy|release|start|disable"
    r"|skip|rely|hardcode|want|be brief|force|bypass)"
)
"""What somebody who works on a repository does, unlike what a program does: "always redirect" is a feature."""

_DONE: Final = (
    r"(?:used|written|named|put|kept|run|logged|formatted|committed|pushed|merged|rebased|squashed|amended|edited"
    r"|touched|added|mentioned|documented|tested|mocked|imported|pinned|tagged|bumped|reviewed|deleted|changed"
    r"|updated|modified|deployed|released)"
)

FROM_NOW_ON: Final = Family(
    "from now on",
    (
        (
            r"\bfrom (?:now|here|this point) on(?:wards?)?\b(?!,? (?:i|it|there|(?:the|this|that) (?:\w+ )?\w+"
            r" (?:is|are|was|will|starts|begins|becomes|takes))\b)"
        ),
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
    (
        # "and never executes" describes a program; "and never commit" tells somebody
        (
            r"(?:^|\b(?:we|i|you|should|must|to|please|and|but|so|or|also)[ ,:]+|[,;:(–—-] ?)(?:always"
            r"|never) (?!\w*[^s\W]s\b|\w+ed\b|\w+ing\b)\w"
        ),
        (
            r"\b(?:do ?n'?t|do not|not|no) .{0,40}\bever\b(?! (?:since|after))|\bunder no circumstances\b"
            r"|\bevery single time\b|\bat all times\b|\bno exceptions\b|^only ever\b|, (?:always|never|ever)[.!]*$"
            r"|^(?:when(?:ever)?|before|after|once|if) [^,]{3,60}?,? (?:always|never) \w"
        ),
        r"^(?:(?:all|our|the) )*(?:prs?|pull requests?|commits?|branches|releases?|tags|merges) (?:always|never) \w",
        r"\bimmer\b|\bniemals\b|^(?!.*[ąćęłńśźż]).*\bnie\b",  # "nie" is "not" in Polish
        r"\bsiempre\b|\bnunca\b|\bjamás\b",
        r"\btoujours\b|\bjamais\b",
        r"\bsempre\b|\bmai (?=\w)",
        r"\bвсегда\b|\bникогда\b",
        r"\bluôn(?: luôn)?\b|\bkhông bao giờ\b",
        r"\bzawsze\b|\bnigdy\b",
        r"总是|必须|必須|一律|始终|永远|千万|務必|总要|總是|始終|永遠|常に|必ず|いつも|絶対に?",
        r"항상|절대(?:로)?|반드시|언제나",
    ),
)

WHAT_WE_DO: Final = Family(
    "what we do",
    (
        rf"\b{_WE} {_HOW}(?:{_DO_NOT} )?{_HOW}{_DO}\b(?! to\b)",
        rf"\bwe (?:should|must|may|can) ?(?:not|n'?t|never|always) (?:ever )?{_ACT}\b",
        r"\bwir (?:\w+ )?(?:nehmen|benutzen|verwenden|nutzen|schreiben|machen)\b|\b(?:nutzen|verwenden|benutzen) wir\b",
        r"\b(?:no )?(?:usamos|utilizamos|preferimos)\b",
        r"\b(?:on|nous) (?:n'?)?(?:utilis\w+|emploie|préf\w+|écriv\w+)",
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
    (
        (
            r"(?:^|[,;:.] )(?:please )?(?:stop|quit|no more) (?:using|adding|writing|putting|creating|making"
            r"|leaving|mocking|committing|"
            r"pushing|editing|touching|guessing|repeating|inventing|importing|renaming|reformatting"
            r"|apologi[sz]ing)\b"
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
    (
        (
            r"\b(?:our|house|project|repo|team|naming|commit) (?:\w+ )?(?:convention|standard|policy|style|rule"
            r"|practice)s?\b.{0,20}\b(?:is|are|says?)\b"
        ),
        (
            r"\bthe (?:convention|policy|house style|rule|standard)(?: here| is here)? is\b|\bby convention\b"
            r"|\bwe have a rule\b"
        ),
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
    (
        (
            r"(?:^|[,;:.] )(?:please )?(?:do ?n'?t|do not|avoid|no more) \w|^no \w+(?: \w+)?,"
            r"|^no [\w./-]+ (?:in|on|for|inside|without) \w"
        ),
        rf"\b(?:should|must|may|can) ?(?:not|n'?t|never) (?:ever )?(?:be )?(?:{_ACT}|{_DONE})\b",
        r"\bnot allowed\b|\bforbidden\b|\boff.limits\b|\bbetter not to\b",
        r"\b(?:keine?\w?|nicht)\b.{0,60}(?:benutz|verwend|nutz|nehm|nimm|commit)",
        r"^no (?:uses|usar|pongas|hagas|hagan|toques|edites|commit\w*)\b|\bnunca \w+[ae]s\b",
        r"\bn'(?:utilise[zr]?|ajoute[zr]?|édite[zr]?) (?:pas|jamais|plus)\b|^ne \w+[ezs] (?:pas|jamais|plus)\b",
        r"^non (?:usare|usate|modificare|mettere|fare)\b",
        r"^(?:não|nunca) (?:use|usar|usem|edite|faça|coloque|suba|altere|mexa)\b",
        r"\bне (?:используй|пиши|трогай|делай|коммить|пушь|редактируй)\w*",
        r"\b(?:đừng|không được|cấm)\b",
        r"不要|不准|不许|禁止|别(?:用|再)|不能用|別(?:用|再)|(?:ないで|しないこと|使わない)",
        r"(?:하지 ?마|쓰지 ?마|금지|말고)",
        r"\bmat karo\b|मत करो|مت كرو|\bلا (?:ت\w+)",
    ),
)

USE: Final = Family(
    "use X",
    (
        r"^(?:please )?(?:use|prefer|write|name|put|keep|run|log|stick|follow|wrap|place|branch|base|format)\b",
        (
            rf"\b(?:always|never|only ever|only)(?: ever)? {_ACT}\b|\b(?:must|should)(?: always| never"
            rf"| only)? be (?:{_DONE}|in)\b"
        ),
        (
            rf"\b(?:i|we|you|one) (?:(?:should|must|ought to)(?: always| never)? (?:be \w+ing|{_ACT})|'d rather"
            rf"|would rather)\b"
        ),
        (
            r"^(?:before|after|for|on|when(?:ever)?|if) .{3,60}?,? (?:always |never )?(?:run|use|add|write|ask"
            r"|update|bump)\b"
        ),
        r"\b(?:nimm|nutze|benutze|verwende|schreib\w*)\b",
        r"^(?!.*\b(?:muss|darf|soll|kann|wird)\b).*\b(?:immer|nie|niemals) .{0,60}\w(?:en|ern|eln)[.!]*$",
        r"\bimmer (?:erst|zuerst)\b",
        r"\b(?:usa|utiliza|escribe|pon)\b|^(?:siempre|nunca) \w+[aei]r\b",
        r"\b(?:utilise[zr]?|écri[st])\b|^(?:toujours|ne jamais|jamais) \w+(?:er|ir|re)\b",
        r"\b(?:usare|usate|scrivi)\b|^(?:sempre|mai) \w+(?:are|ere|ire)\b",
        r"^(?:usar|escreva|use)\b|^(?:sempre|nunca) \w+[aei]r\b",
        r"\b(?:используй|пиши)\w*",
        r"\b(?:dùng|sử dụng|viết)\b",
        r"用(?![户戶例途法])|使用|使って|使う|使おう|書いて",
        r"(?:써|쓰자|사용해|사용하|작성해)",
    ),
)

I_PREFER: Final = Family(
    "I prefer",
    (
        (
            r"\bi (?:really |strongly |always |generally |usually )*(?:prefer|never want|always want)"
            r"\b(?! (?:that|this|it|if|the|option|approach|to wait)\b)"
        ),
        r"(?:^|[,;] )(?:always |please )?prefer (?!(?:the|option|that|this|it|if|approach)\b)\w+",
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
    (
        (
            r"\b(?:i|we)(?:'ve| have)? (?:already )?(?:told|asked|reminded) you (?:before|already|again|many"
            r"|several|\w+ times|earlier|not|to)\b"
        ),
        r"\bi(?:'ve| have)? already (?:told|said|asked|mentioned)\b|\bas i (?:already )?(?:said|told you)\b",
        r"\bhow (?:many times|often do i)\b",
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

ANNOYED: Final = Family("what annoys", (r"\bi (?:really )?(?:hate|can'?t stand)\b|\byou keep \w+ing\b",))

NO: Final = Family(
    "no",
    (r"^(?:wrong|actually),|^(?:no|nope|nein|нет|non|não|không|いや|いいえ|違う|不|不对|아니|아니요)[,、，.!:;–— ]",),
)

_WORK: Final = (
    r"(?:prs?|pull requests?|commits?|commit messages?|branch(?:es| names?)?|migrations?|tests?|releases?|tags"
    r"|merges|changelogs?|dependencies|new code|code comments?|comments|docs|fixtures|features?|bug ?fix(?:es)?)"
)

HOW_WE_WORK: Final = Family(
    "how we work",
    (
        (
            rf"^(?:(?:all|every|each|our|the|new|any) )*{_WORK} (?:always|never|must|need|needs|should|has to"
            rf"|have to|goes?|lives?) "
        ),
        (
            r"^(?:please )?(?:don't|dont|do not|never|no|avoid) .{3,50} (?:in|to|from) (?:docs|commit messages"
            r"|commits|pr (?:titles|descriptions)|comments|tests)\b"
        ),
        r"\bbefore (?:each|every|any) (?:commit|push|pr|merge|release|deploy\w*)\b",
        rf"^(?:please )?(?:{_DO_NOT}|avoid) .{{3,60}} in (?:this|our) (?:repo(?:sitory)?|project|codebase)\b",
        (
            r"^(?=.*(?:push|推送|푸시|プッシュ|пуш))(?=.*(?:main|master|主分支))(?=.*(?:never|nunca|jamais|nie"
            r"|никогда|không|永远|不要|しないで|하지 ?마|मत|mat karo|لا|don't|do not))"
        ),
        (
            r"^(?=.*(?:commit|提交|注释|コミット|コメント|커밋|주석|коммит|комментари|kommentar|comentario"
            r"|comentário|commentaire))"
            r"(?=.*(?:\b(?:in|auf|en|em) (?:english|german|deutsch|englisch|inglés|inglês|anglais|französisch"
            r"|french|spanish)\b|英文|英語|中文|日本語|영어|한국어|английск|русск|tiếng anh))"
        ),
    ),
)
