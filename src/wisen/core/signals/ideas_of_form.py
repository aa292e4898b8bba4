"""Ideas that the form of a sentence expresses: who speaks of whom, how binding it is, how general, for how long."""

from __future__ import annotations

from typing import Final

from wisen.core.signals.phrases import Idea

OURS: Final = Idea(
    "of ours",
    english=(
        "our|ours|us|in house|house rule*|this repo|this repository|this project|this codebase|this code base"
        "|this team|the team|this company|the company|around here|over here|on our side|in this org|this monorepo"
        "|in here|this service|this app|this package|this box|this machine|this laptop|this sandbox|this container"
        "|this environment"
    ),
    others=(
        "unser*|bei uns|hier|in diesem repo|in diesem projekt|im projekt|im team|nuestr*|este repo|este proyecto|aquí"
        "|aqui|acá|en casa|el equipo|notre|nos|chez nous|ici|ce repo|ce projet|ce dépôt|l'équipe|noss*|neste repo"
        "|neste projeto|nesse projeto|nesse repo|esse projeto|esse repo|a gente|o time|aqui na|nostr*|da noi|qui"
        "|questo repo|questo progetto|il team|noi|у нас|наш*|в этом проекте|в этом репо|здесь|тут|u nas|nasz*"
        "|w tym repo|w tym projekcie|tutaj|w projekcie|w firmie|my|bên mình|bên này|team mình|dự án này|repo này"
        "|ở đây|nhà mình|tụi mình|bọn mình|chúng ta|chúng tôi|bên em|我们|我們|咱们|咱|本项目|这个项目|这个仓库"
        "|這個專案|这边|这里|公司|内网|团队|这台|本机|うち|弊社|社内|このプロジェクト|このリポ|チーム|この環境"
        "|ここでは|ここは|このマシン|우리|저희|이 프로젝트|이 저장소|이 레포|여기|회사|사내|팀"
    ),
)

BINDING: Final = Idea(
    "must or should",
    english=(
        "should|shouldn't|shouldnt|must|mustn't|have to|has to|need to|needs to|ought to|supposed to|meant to"
        "|required|requires|mandatory|allowed|needs|may only|may not|obliged"
    ),
    others=(
        "muss|müssen|soll|sollen|sollte|sollten|darf|dürfen|muß|gehört|gehören|debe|deben|debería|deberían|hay que"
        "|tiene que|tienen que|hace falta|se usa|se hace|va en|van en|doit|doivent|devrait|devraient|il faut|faut"
        "|faudrait|on doit|obligatoire|deve|devem|deveria|tem que|têm que|tem de|precisa|precisam|é pra|devono"
        "|dovrebbe|dovrebbero|bisogna|va fatto|vanno|serve|должен|должна|должно|должны|надо|нужно|следует|обязательно"
        "|положено|powinno|powinien|powinna|powinny|musi|muszą|trzeba|należy|mają być|ma być|phải|cần phải|nên"
        "|bắt buộc|được phép|必须|必須|应该|應該|得先|需要|要先|一定要|べき|必ず|しなければ|必要|해야|돼야|되어야"
        "|반드시|필수"
    ),
)

FORBIDDEN: Final = Idea(
    "forbidden",
    english=(
        "never|don't|dont|do not|mustn't|stop|avoid|no more|banned|forbidden|off limits|hands off|stay out of"
        "|stay off|stay away|keep out of|leave alone|not allowed|aren't allowed|isn't allowed|can't have|prohibited"
        "|untouchable|nobody|nothing|no one|without asking|on your own|behind my back|no need for|please no|quit"
    ),
    others=(
        "nie|niemals|nicht|kein|keine|keinen|verboten|finger weg|lass die finger|tabu|bloß nicht|bitte nicht|nunca"
        "|jamás|no uses|no toques|no metas|no hagas|no pongas|prohibido|sin avisar|sin preguntar|nada de|ni se te"
        "|jamais|pas de|touche pas|ne touche|ne pas|n'utilise|interdit|plus de|évite|arrête|sans demander|não"
        "|proibido|evita|sem falar|sem perguntar|sem avisar|nem|mai|non toccare|non usare|niente|vietato"
        "|senza chiedere|nessun*|никогда|никаких|нельзя|не надо|не трогай|не трогать|запрещено|хватит|без спроса"
        "|не нужно|зачем ты|nigdy|nie ruszaj|nie dotykaj|nie wolno|zakaz|żadnych|bez pytania|przestań|nie rób"
        "|nie commituj|đừng|không được|cấm|không bao giờ|khỏi|không cần|chớ|đừng tự ý|不要|别|別|禁止|不准|不许|不能"
        "|不得|严禁|勿|不可以|不用|しないで|ないで|だめ|ダメ|使わない|触らない|やめて|ＮＧ|ng|하지 마|하지마|지 마"
        "|지마|금지|안 돼|안돼|말고|쓰지"
    ),
)

ALL_OF_THEM: Final = Idea(
    "every, any, all",
    english=(
        "every|each|any|all|anything|anywhere|everywhere|everything|whatever|whichever|wherever|whenever|everyone"
        "|everybody|always|no exceptions|no exception|both|across|throughout|consistently|at all times|only|ever"
        "|generally"
    ),
    others=(
        "immer|alle|alles|jede|jeder|jedes|jeden|jedem|überall|generell|grundsätzlich|nur|siempre|todo|todos|toda"
        "|todas|cada|cualquier|en general|solo|sólo|toujours|tous|toutes|tout|chaque|partout|systématiquement"
        "|en général|seulement|uniquement|sempre|tudo|qualquer|só|geral|tutti|tutte|ogni|qualsiasi|qualunque|ovunque"
        "|всегда|все|всё|каждый|каждая|каждое|каждую|любой|любая|любые|везде|только|zawsze|wszystko|wszystkie"
        "|wszystkich|każdy|każda|każde|wszędzie|tylko|luôn|luôn luôn|mọi|tất cả|mỗi|hết|đều|toàn bộ|chỉ|总是|一律|都"
        "|所有|每次|每个|任何|全部|始终|永远|只|统一|いつも|常に|すべて|全て|毎回|どの|だけ|のみ|항상|모든|전부|매번"
        "|다 |무조건|만 "
    ),
)

I_AM: Final = Idea(
    "about myself",
    english=(
        "i'm|im|i am|i use|i work|i read|i run|i have|i like|i hate|i prefer|i'd rather|i would rather|i'd prefer"
        "|i would like|i live|i review|i write|i speak|i can't|i cant|i don't|i dont|i usually|i always|i never"
        "|i only|i mostly|i tend|my machine|my laptop|my editor|my shell|my terminal|my eyes|my english|my keyboard"
        "|my setup|my mac|my box|for me|with me|to me|tell me|ask me|show me|give me|call me|i need you to"
        "|i want you to|i want to hear|i want to see|i'd like you|i like to|personally|me too|my desk|my desktop"
        "|as for me|i come from"
    ),
    others=(
        "ich|mir|mich|mein*|duzen|yo|mí|conmigo|prefiero|me gusta|soy|estoy|uso|mi máquina|mi portátil|je|moi"
        "|j'utilise|j'aime|je préfère|mon|ma|tutoie*|suis|eu|prefiro|gosto|meu|minha|sou|pra mim|comigo|io|preferisco"
        "|mi piace|mio|mia|sono|a me|я|мне|меня|мой|моя|мою|предпочитаю|ja|mi|mnie|wolę|mój|moja|jestem|używam|mình"
        "|tôi|em|anh|của mình|我|本人|私|僕|俺|自分|個人的|나는|난 |저는|제가|내가|내 |저한테|나한테"
    ),
)

TO_DO_NOW: Final = Idea(
    "only now",
    english=(
        "now|right now|for now|for the moment|at the moment|this time|just this once|this once|just once|one time"
        "|once|today|tonight|tomorrow|afterwards|after that|meanwhile|temporarily|temporary|until then|for today"
        "|this pr|this branch|this commit|this task|this ticket|this one|this session|the demo|spike|poc|prototype"
        "|in this file|in that file|this file|that file|this function|this test|that test|this screen|on this page"
        "|this incident|this release|before lunch|at the end|when done|when you're done|first step|next step"
        "|as a next step|later today"
    ),
    others=(
        "erstmal|jetzt|gerade|heute|diesmal|vorerst|nur kurz|morgen|dieses mal|ausnahmsweise|demo|ahora|por ahora"
        "|de momento|por el momento|esta vez|hoy|mañana|luego|todavía|solo esta|pour l'instant|cette fois|maintenant"
        "|aujourd'hui|demain|pour le moment|la démo|ce soir|agora|por enquanto|dessa vez|desta vez|hoje|amanhã"
        "|primeiro|só dessa|nesse script|neste arquivo|nesse arquivo|adesso|per ora|stavolta|questa volta|oggi|domani"
        "|in questo file|per il momento|сейчас|пока|в этот раз|на этот раз|сегодня|завтра|сначала|временно|разок"
        "|teraz|na razie|tym razem|dzisiaj|dziś|jutro|najpierw|chwilowo|wyjątkowo|na chwilę|bây giờ|tạm thời|lần này"
        "|hôm nay|ngày mai|trước đã|tạm|现在|暂时|这次|這次|先不|先别|先把|先这样|先看|先做|先改|先用|今天|明天"
        "|然后|然後|待会|目前|今回|とりあえず|まず"
        "|いまは|今は|今日|明日|一旦|後で|지금|일단|이번|오늘|내일|먼저|나중에|임시"
    ),
)

FROM_NOW: Final = Idea(
    "from now on",
    english=(
        "from now on|from here on|going forward|moving forward|in future|next time|as a rule|in general|normally"
        "|usually|typically|per convention|by convention|convention|every time|each time|whenever|as always|as usual"
        "|the way we|for good|permanently|house style"
    ),
    others=(
        "ab jetzt|in zukunft|künftig|normalerweise|üblich|standardmäßig|beim nächsten mal|konvention|gewöhnlich"
        "|jedes mal|de ahora en adelante|a partir de ahora|en adelante|la próxima|normalmente|por defecto|por norma"
        "|convención|désormais|à l'avenir|dorénavant|la prochaine fois|par défaut|d'habitude|convention|en principe"
        "|à chaque fois|daqui pra frente|a partir de agora|da próxima|por padrão|padrão|convenção|toda vez"
        "|d'ora in poi|in futuro|la prossima volta|di solito|di norma|convenzione|ogni volta|d'ora in avanti|впредь"
        "|на будущее|в будущем|обычно|по умолчанию|правило|принято|каждый раз|отныне|соглашение|od teraz"
        "|na przyszłość|następnym razem|zwykle|domyślnie|zasada|zasadę|konwencja|standardowo|za każdym razem|từ giờ"
        "|từ nay|lần sau|về sau|mặc định|quy ước|quy định|thường|mỗi lần|mỗi khi|以后|以後|今后|下次|默认|规范|约定"
        "|惯例|习惯|規定|规定|原则|每次|今後|これから|次から|次回から|原則|基本|ルール|規約|毎回|普段|方針|앞으로"
        "|다음부터|담부터|기본|원칙|규칙|컨벤션|보통|평소|매번|늘 "
    ),
)

CONDITION: Final = Idea(
    "when it applies",
    english=(
        "when|whenever|if|before|after|while|unless|until|without|except|as soon as|once|in case|where|wherever"
        "|only if|only when"
    ),
    others=(
        "wenn|bevor|nachdem|solange|sobald|außer|ohne|falls|erst wenn|cuando|antes de|después de|si|sin|salvo|excepto"
        "|hasta que|quand|lorsque|avant de|avant|dès que|sauf|sans|quando|depois de|sem|exceto|até|se|prima di|senza"
        "|tranne|когда|перед|если|после|кроме|без|пока не|gdy|kiedy|zanim|jeśli|jak|bez|oprócz|chyba że|khi|trước khi"
        "|nếu|sau khi|trừ khi|的时候|之前|之后|除非|如果|前に|時は|ときは|たら|場合|なら|전에|때|하면|면 |후에|빼고"
    ),
)

REASON: Final = Idea(
    "the reason",
    english=(
        "because|bc|cuz|since|so that|otherwise|that's why|thats why|which is why|or else|so we|so it|so don't"
        "|so dont|reason|due to|on purpose|deliberate|deliberately|costs|breaks|gets overwritten|the point of"
    ),
    others=(
        "weil|denn|sonst|damit|deshalb|deswegen|darum|absichtlich|porque|pq|ya que|si no|para que|por eso|a propósito"
        "|parce que|car|sinon|pour que|c'est pour ça|exprès|du coup|pois|senão|por isso|de propósito|já que|perché"
        "|perche|altrimenti|sennò|per questo|apposta|così|потому что|иначе|поэтому|а то|чтобы|специально|так как|bo"
        "|ponieważ|inaczej|żeby|dlatego|celowo|więc|vì|bởi vì|nên|kẻo|để|cho nên|因为|因為|不然|否则|所以|省得|故意"
        "|ので|から|ため|わざと|のは|니까|때문|그래서|아니면|려고|라서|해서|거든"
    ),
)

RATHER: Final = Idea(
    "this rather than that",
    english=(
        "instead|rather|not|over|prefer|preferred|isn't|aren't|no longer|anymore|any more|replaced|moved to|moved off"
        "|switched|migrated|deprecated|retired|dead|only for|but not|except for"
    ),
    others=(
        "statt|stattdessen|anstatt|lieber|sondern|nicht mehr|en vez de|en lugar de|mejor|sino|ya no|au lieu|plutôt"
        "|plus|mais pas|pas|em vez|ao invés|melhor|e não|não mais|invece|piuttosto|al posto|meglio|non più|вместо"
        "|лучше|а не|больше не|скорее|zamiast|raczej|lepiej|a nie|już nie|thay vì|chứ không|chứ|thay cho|thay|而不是"
        "|不是|代替|改用|替换|换成|而非|ではなく|じゃなく|代わりに|より|대신|말고|보다|아니라"
    ),
)

WISH: Final = Idea(
    "what I want in general",
    english=(
        "i don't want|i dont want|i do not want|i don't like|i dont like|i never want|we don't want|we dont want"
        "|we always want|we never want|i'd rather|i would rather|i'd prefer|i prefer|we prefer|prefer|i can't stand"
        "|not a fan|i'm not a fan|i care about|i expect|we expect|i want you to always|drives me|annoying|annoys me"
        "|gets on my nerves|not good enough|not acceptable|i'm fine with"
    ),
    others=(
        "ich will nicht|ich möchte nicht|lieber|bevorzug*|nervt|no quiero|no me gusta|prefiero|me molesta"
        "|je ne veux pas|je veux pas|j'aime pas|je préfère|ça m'énerve|não quero|não gosto|prefiro|me incomoda"
        "|non voglio|non mi piace|preferisco|mi dà fastidio|не хочу|не люблю|предпочитаю|бесит|раздражает|nie chcę"
        "|nie lubię|wolę|wkurza|denerwuje|không muốn|không thích|我不想|我不喜欢|我喜欢|我更喜欢|偏好|嫌い|好み"
        "|したくない|苦手|싫어|좋아해|선호|싫은데"
    ),
)

AS_ELSEWHERE: Final = Idea(
    "as it is done elsewhere",
    english=(
        "wherever we can|wherever possible|where possible|whenever possible|as much as possible|in other places"
        "|everywhere else|rest of the code|rest of the codebase|the rest of the repo|across the codebase|like we do"
        "|like the others|like everywhere else|like the rest|as in other|same as the other|same as in|consistent"
        "|consistently|consistency|the way we|the pattern|the patterns|existing pattern|same pattern|best practice"
        "|best practices|convention*|follow our|stick to|stick with|we already have a|we have our own|our own"
        "|our usual|the usual|the existing helper|the other services|all the other|we agreed|the right way"
        "|the proper way|the correct way|the right place"
    ),
    others=(
        "wie überall|wie sonst|wie im rest|einheitlich|konsistent|wo möglich|wie wir es|como en el resto|igual que en"
        "|consistente|donde se pueda|como siempre|comme partout|comme ailleurs|cohérent|comme d'habitude"
        "|partout ailleurs|dans la mesure|como no resto|igual aos outros|sempre que der|como sempre|come nel resto"
        "|come altrove|coerente|come al solito|dove possibile|как везде|как обычно|единообразно|как в остальных"
        "|по возможности|как принято|jak wszędzie|jak w reszcie|spójnie|tak jak zwykle|gdzie się da|giống chỗ khác"
        "|như các chỗ|thống nhất|như mọi khi|其他地方|保持一致|统一|跟其他|一贯|他と同じ|揃え|統一|他の箇所"
        "|いつも通り|다른 데|통일|일관|똑같이|기존처럼|der richtige weg|la forma correcta|la bonne façon"
        "|o jeito certo|il modo giusto|правильно так|poprawny sposób|đúng cách|正确的做法|正しいやり方|올바른 방법"
    ),
)

BY_DESIGN: Final = Idea(
    "it is so on purpose",
    english=(
        "that's why we|thats why we|that is why we|which is why we|this is why we|the reason we|the reason is"
        "|the reason for|the idea is|the idea behind|the whole point|the point of|on purpose|by design|intentional"
        "|intentionally|deliberate|deliberately|was a choice|has its reasons|for a reason|not a bug|isn't a bug"
        "|not an error|that's normal|thats normal|is expected|are expected|is normal|stays that way"
        "|supposed to be like|source of truth"
    ),
    others=(
        "mit absicht|absichtlich|so gewollt|deshalb haben wir|deswegen|hat seinen grund|ist normal|a propósito"
        "|por eso|es así|es normal|adrede|exprès|c'est voulu|c'est pour ça|c'est normal|fait exprès|de propósito"
        "|por isso|é assim mesmo|é normal|é proposital|apposta|per questo|è voluto|è normale|è così|специально"
        "|так задумано|поэтому|это нормально|так и надо|celowo|specjalnie|dlatego|tak ma być|to normalne|cố ý"
        "|có chủ đích|vậy nên|là bình thường|是故意的|故意|所以我们|本来就|正常的|意図的|わざと|仕様です|だから|正常"
        "|일부러|의도|그래서|원래|정상"
    ),
)

YOU_TEND: Final = Idea(
    "how you tend to work",
    english=(
        "you keep|you always|you never|you tend to|you often|you usually|you forget|you like to|every time you"
        "|whenever you|when you|before you|unless you|the way you|you should|you shouldn't|you can't|you cant"
        "|you cannot|you don't have|you dont have|you are not|you're not|your commits|your answers|your summaries"
        "|your code|your tests|your prs|your messages|your plans"
    ),
    others=(
        "du immer|du machst immer|jedes mal wenn du|bevor du|wenn du|du sollst|du darfst|du musst|siempre que"
        "|cada vez que|antes de que|cuando hagas|cuando toques|puedes|tú siempre|à chaque fois que tu|avant de"
        "|quand tu|tu dois|tu peux pas|tu mets toujours|toda vez que você|sempre que|quando você|quando for|antes de"
        "|você sempre|vc sempre|ogni volta che|quando tocchi|prima di|devi|non devi|каждый раз когда|когда ты"
        "|перед тем как|ты должен|тебе нельзя|ты всегда|ты постоянно|за każdym razem|kiedy|zanim|musisz|nie możesz"
        "|zawsze jak|mỗi lần|trước khi|khi nào|bạn phải|你每次|你总是|每次你|你老是|改之前|提交前|毎回|する前に"
        "|するときは|した後|매번|하기 전에|할 때는|한 다음엔"
    ),
)

FORM: Final = (
    YOU_TEND,
    BY_DESIGN,
    AS_ELSEWHERE,
    WISH,
    OURS,
    BINDING,
    FORBIDDEN,
    ALL_OF_THEM,
    I_AM,
    TO_DO_NOW,
    FROM_NOW,
    CONDITION,
    REASON,
    RATHER,
)
