"""The words that shape a rule without being what it is about: negations, conditions, courtesies, general verbs.

Every entry is one that any repository would have. What a language lacks here stays a word like any other, and two
wordings are then the same only if they share it: an unknown word keeps rules apart, it never brings them together.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

# Signs that stand for a phrase while a text is read; private use, so no text holds them (`tidied` leaves none).
NOT, NOT_BARE, NOT_BEHIND = "\ue001", "\ue002", "\ue003"  # a denied verb; a bare "not"; what stands before is denied
RATHER_THAN, WITHOUT, EXCEPT, ONLY = "\ue004", "\ue005", "\ue006", "\ue007"
BEFORE, AFTER, FROM, INTO, AT = "\ue008", "\ue009", "\ue00a", "\ue00b", "\ue00c"
BEFORE_THAT, AFTER_THAT, AT_THAT = "\ue00d", "\ue00e", "\ue00f"  # they stand behind what they mark
USE, AND, BUT, MAY = "\ue010", "\ue011", "\ue012", "\ue013"
SPAN = "\ue014"  # between the words of one command
SIGNS: Final = frozenset(map(chr, range(0xE001, 0xE014)))

_NT: Final = r"(?:n['’]?t| not)"
_AUX: Final = r"(?:do|does|did|must|should|shall|will|would|can|could|may|is|are|was|were|has|have|had|need|be)"

_PHRASES: Final[tuple[tuple[str, str], ...]] = (
    # neither a denial nor a subject
    (
        "",
        (
            r"\b(?:(?:do ?n['’]?t|do not|never) (?:ever )?forget (?:to|that)|make sure(?: that| to)?|be sure to"
            r"|not only"
            r"|no matter|from now on|as i said|we want to|you need to|it is important (?:to|that)|in the future"
            r"|in future"
            r"|prior to using|at all times|(?:in|for|across) (?:this|our|the) (?:repo(?:sitory)?|project"
            r"|codebase|code base)"
            r"|vergiss nicht|ab jetzt|ab sofort|in diesem (?:repo|projekt)|no olvides|a partir de ahora|en este"
            r" (?:repo"
            r"|proyecto|repositorio)|n['’]oublie[sz]? pas(?: de)?|désormais|dans ce (?:repo|projet|dépôt)|non"
            r" dimenticare"
            r"|d['’]ora in poi|in questo (?:repo|progetto)|não (?:se )?esque[çc]a|a partir de agora|neste (?:repo"
            r"|projeto|repositório)|не забудь(?:те)?|отныне|в этом (?:проекте|репозитории)|đừng quên|từ giờ(?:"
            r" trở đi)?"
            r"|trong (?:dự án|repo) này)\b|今后|以后|从现在起|从现在开始|这个项目|本项目|这个仓库"
            r"|この(?:プロジェクト|リポジトリ)(?:では|で)?"
            r"|今後(?:は)?|これから(?:は)?|이 (?:프로젝트|저장소)(?:에서)?(?:는)?|앞으로(?:는)?"
        ),
    ),
    (
        NOT_BEHIND,
        (
            r"\b(?:(?:is|are) )?(?:(?:strictly |completely )?(?:forbidden|banned|prohibited|off[- ]limits"
            r"|disallowed|out of"
            rf" bounds|a no[- ]go|taboo)|{_AUX}{_NT} (?:allowed|permitted|welcome|wanted|an option|ok(?:ay)?"
            rf"|acceptable))\b"
            r"|\b(?:ist|sind) (?:hier )?(?:verboten|tabu|nicht erlaubt|unerwünscht)\b|\bverboten\b"
            r"|\b(?:está|están) prohibid[oa]s?\b|\bprohibid[oa]s?\b|\b(?:est|sont) interdite?s?\b|\binterdite?s?\b"
            r"|\b(?:è|sono) vietat[oaie]\b|\bvietat[oaie]\b|\b(?:é|está|são) proibid[oa]s?\b|\bproibid[oa]s?\b"
            r"|\b(?:запрещен[оаы]?|запрещён|нельзя|не используется|не используем)\b(?=\s*(?:$|[.,;!—-]))"
            r"|ではなくて?|じゃなくて?|ではない|は(?:絶対に)?(?:使わない|使用しない|使わず|使用せず|禁止|ダメ"
            r"|だめ|避け)(?:で|こと)?"
            r"|(?:を)?(?:使わない|使用しない|使わず|使用せず)(?:で|こと)?|(?:し|ら|か|さ|ま|げ|け|べ)?(?:ないで"
            r"|ないこと|ない|ません|ず(?=[、に]))"
            r"|の代わりに|よりも?(?=\s*[A-Za-z])|말고|대신에?|아니라|(?:쓰|사용하|하)?지 ?(?:마|말|않)(?:세요|고"
            r"|아요?|는다)?|금지|안 ?(?:돼|됩니다|된다)"
            r"|被禁止|是禁止的"
        ),
    ),
    (
        NOT,
        (
            rf"\b{_AUX}{_NT}(?: ever)?\b|\b(?:cannot|never(?: ever)?|stop|quit|avoid|refrain from|no longer|no"
            rf" more|neither|nor"
            r"|dont|doesnt|cant|shouldnt|mustnt|wont)\b"
            r"|\b(?:niemals|nie(?: wieder)?|vermeide[nt]?|auf keinen fall)\b|\b(?:nunca|jamás|evita(?:r|d)?|deja"
            r" de)\b"
            r"|\b(?:ne|n['’])\s?(?:\w+ ){0,2}\w*\s?(?:jamais|pas|plus)\b|\bjamais\b|\bévite[zr]?\b|\bmai\b"
            r"|\bevitare?\b"
            r"|\b(?:jamais|evite)\b|\bникогда(?: не)?\b|\bнельзя\b|\bизбегай(?:те)?\b|\bне надо\b"
            r"|\b(?:đừng(?: bao giờ)?|không bao giờ|không được|tránh|chớ)\b"
            r"|(?:请)?(?:绝对|永远|千万)?(?:不要|别|不得|不能|不应该?|不准|不许|禁止|避免|切勿|勿|不再)(?:再|去)?"
            r"|決して|絶対に(?=[^、。]*な)"
        ),
    ),
    (
        RATHER_THAN,
        (
            r"\b(?:instead of|rather than|in place of|as opposed to|in favou?r of(?= not)|not via|over(?="
            r" [`\w./-]+(?:\s*$|[.,;!]))"
            r"|(?:an)?statt(?: von)?|anstelle (?:von|des|der)|en lugar de|en vez de|au lieu (?:de |d['’])|plutôt"
            r" que"
            r"|(?:de )?invece (?:di|che)|piuttosto che|al posto di|em vez de|ao invés de|no lugar de|вместо|thay"
            r" vì|thay cho"
            r"|chứ không(?: phải)?)\b|而不是|而非|代替"
        ),
    ),
    (
        WITHOUT,
        r"\b(?:without|ohne|sin|sans|senza|sem|без|mà không)\b",
    ),
    (
        EXCEPT,
        (
            r"\b(?:except(?: for| in| when| if)?|unless|other than|apart from|außer|es sei denn|salvo(?: que|"
            r" se)?|excepto|a menos que"
            r"|sauf|à moins que|tranne|eccetto|a meno che|exceto|a não ser que|кроме|если только|trừ(?: khi)?)\b"
            r"|除了|除非|以外は?|を除(?:いて|き)|제외하고"
        ),
    ),
    (
        ONLY,
        (
            r"\b(?:only|exclusively|just)(?= (?:in|on|for|when|while|if|under|inside|during|within|with|run"
            r"|execute|start|deploy|test)\b)"
            r"|\b(?:nur|solo|sólo|seulement|solamente|apenas|только|chỉ)(?= (?:in|im|bei|für|en|para|cuando|dans"
            r"|pour|quand"
            r"|per|quando|em|no|na|в|на|для|при|trong|cho|khi)\b)|只在|仅在|だけ(?=で|に)|에서만"
        ),
    ),
    (
        BEFORE,
        (
            r"\b(?:(?:right |just )?before(?: you| we| i)?|prior to|ahead of|until|bevor|vor|antes de(?: que)?"
            r"|avant (?:de |d['’]|que)?"
            r"|prima di|antes d[eo]|перед(?: тем,? как)?|до того,? как|trước(?: khi)?)\b"
        ),
    ),
    (
        AFTER,
        (
            r"\b(?:(?:right |just )?after(?: you| we| i)?|once|nachdem|nach|después de|tras|après(?: avoir)?"
            r"|dopo(?: aver)?"
            r"|depois d[eo]|после(?: того,? как)?|sau(?: khi)?)\b"
        ),
    ),
    (FROM, r"\b(?:from|von|vom|aus|desde|depuis|из|từ)\b"),
    (INTO, r"\b(?:into|onto|nach|hacia|vers|sang)\b"),
    (
        AT,
        (
            r"\b(?:in|on|at|for|when(?:ever)?|while|during|if|inside|outside|under|within|with|per|as|upon|by"
            r"|via|through"
            r"|im|am|bei|beim|für|wenn|während|unter|mit|innerhalb|außerhalb|falls|durch|über|auf"
            r"|en|para|cuando|con|durante|si|dentro de|fuera de|bajo|dans|pour|avec|quand|lorsque|pendant|sous|chez"
            r"|nel|nella|nei|nelle|per|quando|durante|dentro|em|nas|com|dentro de|в|во|на|для|при|если|когда|через"
            r"|trong|cho|với|khi|nếu|ở)\b"
        ),
    ),
    (BEFORE_THAT, r"(?:する|る|く|む|う)?(?:の)?前に(?:は)?|之前|以前(?=[,，、])|(?:하)?기 ?전에(?:는)?|전에(?:는)?"),
    (AFTER_THAT, r"(?:した|た|の)後(?:に|で)?(?:は)?|(?<!以)之后|(?:한|은|ㄴ)? ?(?:후|다음)에(?:는)?"),
    (AT_THAT, r"(?:の)?(?:とき|時|場合)(?:は|に)?|的时候|时(?=[,，、])|(?:할|는|을|ㄹ)? ?때(?:는|마다)?"),
    (
        MAY,
        (
            r"\b(?:may|can|could|(?:is|are) (?:allowed|fine|ok(?:ay)?|optional|acceptable)(?: to)?|feel free to"
            r"|optional(?:ly)?"
            r"|darfst|dürfen|kannst|puedes?|pueden|peux|peut|pouvez|puoi|può|pode[ms]?|можно|можешь|có thể)\b"
            r"|可以|てもよい|ても(?:いい|良い)|해도 (?:돼|된다|됩니다)"
        ),
    ),
    (
        BUT,
        (
            r"\b(?:but|sondern|aber|sino|pero|mais|mas|bensì|а|но|зато|mà(?: là)?|nhưng)\b|而是|但是?|而要|けど"
            r"|ただし|지만"
        ),
    ),
    (AND, r"\b(?:and|or|und|oder|et|ou|und|или|и|và|hoặc|y|e|o)\b|[&/](?=\s)|和|或|と(?=[A-Za-z])|이?나(?=\s)"),
    (
        USE,
        (
            r"\b(?:use|uses|run|prefer|choose|pick|take|go with|go for|stick (?:to|with)|write|keep|put|call"
            r"|invoke|reach for"
            r"|verwende[nt]?|benutz(?:e|en|t)|nimm|nehmen|nutz(?:e|en)|lass|schreib[et]?|usa|use[ns]?|usar"
            r"|usamos|utiliza[r]?"
            r"|ejecuta[r]?|escribe|utilise[zr]?|lance[zr]?|exécute[zr]?|écris|prends?|usare|usiamo"
            r"|utilizza(?:re)?|esegui|lancia"
            r"|use[mi]?|execute|rode|используй(?:те)?|использовать|используем|запускай(?:те)?|пиши(?:те)?|бери"
            r"|dùng|chạy|sử dụng"
            r"|viết|hãy)\b|(?:请)?(?:要|得|应该?|必须|只|都|统一|一律|总是|改)?(?:使用|用|跑|运行|执行)|(?:を"
            r"|は)?(?:必ず)?使(?:って|う|用する|用して"
            r"|います)"
            r"|(?:ください|下さい|すること|します|する|して)|사용(?:하세요|합니다|해|하고|하기)?|(?:을"
            r"|를)? ?(?:써|쓰세요|쓴다|씁니다|쓰기|쓰고)"
        ),
    ),
)
"""What stands for a sign, in the order in which they are looked for: a longer phrase before its parts."""

_BARE_NOT: Final = (
    r"\b(?:not|no|nicht|kein\w*|non|pas(?: de)?|não|nao|не|нет|không(?: phải)?)\b|不是|(?<!\w)不(?!\w)|非"
)

_STOPS: Final = (
    # English
    "a an the this that these those it its they them their we us our ours i me my you your he she one ones"
    " thing things "
    "be is are was were been being am do does did done doing have has had having will would shall should"
    " must need needs "
    "ought to of so too then than also very really quite just only always every each all any some such more"
    " most both "
    "either please pls thanks thank ok okay hey well right yes yeah yep there here where which who whom"
    " whose what how "
    "why because since due ever even again still already now currently everywhere anywhere generally usually"
    " strictly "
    "simply actually basically exclusively consistently mandatory required requires require rule rules"
    " convention "
    "conventions policy standard preferred prefers preferring wants want like likes using used usage let"
    " lets go goes "
    "going get gets make makes made sure instead everything anything stuff way ways tool tools repo repos"
    " repository "
    "project projects codebase thing kind sort lot up out off down over about around place manually hand"
    " time times "
    "remember reminder note notice said told first nothing else same own based around ran running runs choice default"
    " defaults "
    "library libraries supposed gets through gotta wanna gonna habit happen happens exist exists team"
    " everyone anyone "
    # German
    "der die das den dem des ein eine einen einem einer eines und wir uns unser unsere unseren unserem ich"
    " mir mich mein "
    "meine du dir dich dein deine er sie es man sein ist sind war waren wird werden wurde hat haben hatte"
    " soll sollen "
    "sollte sollten muss müssen musst musste bitte immer stets jede jeder jedes jedem jeden alle allen alles"
    " nur auch "
    "noch schon hier da dort wo wie was wer dass so sehr mal doch ja nein gern lieber grundsätzlich"
    " ausschließlich "
    "stattdessen zu zum zur um ab an dann erst zuerst vorher projekt repo werkzeug benutzt nehmt nutzen gilt"
    " regel "
    "setzen setze auf gehört gehören von vom sich wollen will möchte "
    # Spanish
    "el la los las lo un una unos unas al del de nosotros nos nuestro nuestra nuestros nuestras yo mi mis tu"
    " tus su sus "
    "se me te le les es son está están ser estar fue hay ha han he debe deben debes deber tiene tienen que"
    " hacer hace "
    "siempre todo todos toda todas cada por favor solo sólo también aquí allí ya muy así como gracias más"
    " proyecto repo "
    "repositorio herramienta regla usando usado primero luego va van queremos prefiero preferimos trabajamos"
    " ejecuta "
    "ejecutar hay hazlo haz "
    # French
    "le la les l un une des du de d nous notre nos je j mon ma mes tu ton ta tes vous votre vos il elle on"
    " ils elles se "
    "s c ce cet cette ces ça est sont être était a ont avoir ai doit doivent dois devoir faut fait faire"
    " toujours tout "
    "tous toute toutes chaque s'il te plaît stp svp merci seulement aussi ici là y en que qui quoi comme"
    " très bien plus "
    "projet dépôt repo outil règle utilisons utilisé utiliser d'abord va passe préfère préférons puis"
    " uniquement à au aux "
    # Italian
    "il lo gli i un uno una del dello della dei degli delle al allo alla ai alle dal dalla noi nostro nostra"
    " nostri io mio "
    "mia tu tuo tua si è sono essere era ha hanno avere deve devono devi dovere bisogna sempre tutto tutti"
    " tutte ogni "
    "favore solo anche qui qua già molto così come grazie più progetto repo strumento regola usando usato"
    " prima poi va "
    "vanno usiamo preferisco fare fai che da su sul sulla "
    # Portuguese
    "o os as um uma uns umas do da dos das ao à aos às nós nosso nossa nossos nossas eu meu minha seu sua se"
    " é são ser "
    "está estão foi há tem têm deve devem deves precisa sempre tudo todo todos toda todas cada favor só"
    " somente também "
    "aqui já muito assim como obrigado obrigada mais projeto repo repositório ferramenta regra usando usado"
    " usamos "
    "primeiro depois vai vão que fazer faça pelo pela "
    # Russian
    "мы нас наш наша наши наше я меня мой моя ты твой вы вам он она оно они это этот эта эти тот все всё"
    " весь вся всегда "
    "каждый каждая каждое каждым каждого каждой пожалуйста только тоже также здесь тут там уже очень так как"
    " что чтобы "
    "есть быть был была надо нужно должен должна должны должно следует с со к ко у о об по за проект проекте"
    " репозиторий "
    "инструмент правило использовать использует используется сначала потом затем ли же бы обязательно"
    " запускать запусти "
    # Vietnamese
    "chúng tôi ta mình bạn luôn luôn_luôn phải nên cần hãy mọi mỗi tất cả các những một là thì được bị và"
    " của này đó đây "
    "ở_đây ở rất cũng đã đang sẽ chỉ vui lòng nhé nha đi ạ dự án công cụ quy tắc giúp làm rồi trước_tiên lại "
)

_UNSPACED_STOPS: Final = (
    # Chinese, Japanese, Korean: particles, copulas, "must", "always", "please"
    "我们|咱们|你们|我|你|请|務必|务必|必须|必須|应该|應該|需要|一定|总是|總是|始终|每次|每个|每|所有的?|一律"
    "|统一|都|也|就|再|的话|的|地|得|了|着|是|有|在|里|中|上|把|将"
    "|被|给|来|去|要|会|全部|这里|這裡|此处|先|然后|一下"
    "|(?<![ぁ-ゖ])[ぁ-ゖ]{1,4}(?![ぁ-ゖ])|ー(?![ァ-ヺ])|常|必|毎回|全て|全部|私達|私"
)

_KOREAN_ENDINGS: Final = (
    r"(?:(?:으로|에서|에게|부터|까지|처럼|보다|이나|하고|이라|입니다|합니다|하세요|해야|되어야|하기|한다|됩니다"
    r"|이다|에는|에서는|은|는|이|가|을|를|에|로|도|만|와|과|의|야"
    r"|해|할|요|다))$"
)
_KOREAN_STOPS: Final = frozenset(
    "우리 저희 항상 반드시 꼭 모든 매번 여기 여기서 그리고 제발 부탁 합니다 하세요 한다 해 것 수 있 됩 하".split()
)

_SYNONYMS: Final = (
    "commit check-in checkin",
    "edit modif chang touch alter",
    "delet remov eras",
    "deploy ship rollout releas",
    "prod production",
    "dev development",
    "db databas",
    "doc document documentat",
    "dep dependenc",
    "env environment",
    "config configurat",
    "func function",
    "repo repositor",
    "pr pull-request",
    "msg messag",
    "spec test",
    "bearbeit änder editier anfass",
    "lösch entfern",
    "edit modific camb toc",
    "modifi touch chang",
    "изменя измени прав редактир меня трога",
    "sửa chỉnh",
    "编辑 修改 改动",
    "編集 変更 修正",
    "수정 편집 변경",
)

_RELATIONS: Final = frozenset(
    "import depend call referenc includ extend inherit wrap follow contain overrid know access convert renam"
    " replac migrat "
    "mov merg copi point own see writ read send rebas branch abhäng häng ruf llam import importi appell"
    " dipend chiam depend "
    "chama завис вызыва импортир phụ gọi".split()
)


_OF_A_CHOICE: Final = frozenset(
    "instal packag manag dep librar http client lint format runner call script command cli new code "
    "paket instalar paquet gestor paquete pacchett pacot установ пакет cài gói 安装 依赖 包 包管 管理 理器 설치"
    " 패키지".split()
)
_OF_A_PLACE: Final = frozenset(
    "fil folder director dir content cod datei ordner archiv carpet fichi dossi cartell arquiv past файл"
    " папк tệp thư mục "
    "文件 ファイル 파일".split()
)


def is_told_by(stem: str, *, choice: bool, place: bool) -> bool:
    """Does a word say no more than what a choice between two tools, or the name of a file or folder, says by itself?"""
    return (choice and stem in _OF_A_CHOICE) or (place and stem in _OF_A_PLACE)


@cache
def phrases() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each sign with the pattern of what it stands for; the text is in lower case."""
    return tuple((sign, re.compile(pattern)) for sign, pattern in _PHRASES)


def bare_not() -> re.Pattern[str]:
    """Return the pattern of a "not" that denies what follows it, not a verb."""
    return _compiled(_BARE_NOT)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def stops() -> frozenset[str]:
    """Words that say nothing of what a rule is about."""
    return frozenset(_STOPS.split())


@cache
def synonyms() -> dict[str, str]:
    """Stem -> the stem that stands for all that mean the same to a rule."""
    found: dict[str, str] = {}
    for group in _SYNONYMS:
        first, *others = group.split()
        for other in (first, *others):
            found.setdefault(other, found.get(first, first))
    return found


def is_relation(stem: str) -> bool:
    """Does a word put what stands before it in relation to what stands behind it?"""
    return stem in _RELATIONS


def without_unspaced_stops(text: str) -> str:
    """Return a run of a script without spaces with blanks for its function words."""
    return _compiled(_UNSPACED_STOPS).sub(" ", text)


def korean_stem(word: str) -> str:
    """Return a Korean word without its particle or ending; '' for one that says nothing."""
    bare = _compiled(_KOREAN_ENDINGS).sub("", word)
    return "" if bare in _KOREAN_STOPS or word in _KOREAN_STOPS else bare
