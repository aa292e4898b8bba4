"""Ideas that say what somebody is doing when they speak: telling aside, complaining, asking, ordering, doubting."""

from __future__ import annotations

from typing import Final

from wisen.core.signals.phrases import Idea

ASIDE: Final = Idea(
    "told in passing",
    english=(
        "btw|by the way|fyi|for your information|heads up|note that|please note|keep in mind|bear in mind"
        "|just so you know|so you know|for context|for the record|reminder|be aware|watch out|one more thing|ps"
        "|for reference|mind that|should have told you|forgot to mention|should have mentioned|in case you"
        "|don't forget|dont forget|sidenote|side note|you should know|one thing to know"
    ),
    others=(
        "übrigens|nebenbei|achtung|zur info|noch was|hinweis|denk dran|merk dir|por cierto|ojo|aviso|para que sepas"
        "|de paso|recuerda|au fait|pour info|à noter|note que|n'oublie|au passage|aliás|atenção|obs|só pra|detalhe"
        "|a proposito|attenzione|tieni presente|ricorda*|per inciso|кстати|имей в виду|учти|на заметку|внимание|помни"
        "|если что|przy okazji|swoją drogą|uwaga|pamiętaj|miej na uwadze|dla jasności|a i|nhân tiện|lưu ý|chú ý|à mà"
        "|tiện thể|顺便|对了|另外|提醒|记得|记住|说明一下|补充|ちなみに|補足|念のため|覚えて|そういえば|참고로"
        "|아 그리고|참고"
    ),
)

SAID_BEFORE: Final = Idea(
    "said before",
    english=(
        "told you|already told|already said|i said|as i said|like i said|as mentioned|how many times|how often"
        "|third time|second time|last time|keep doing|keeps doing|you keep|once more|every single time"
        "|we talked about|we agreed|same as always|same mistake|still using|still doing"
    ),
    others=(
        "schon mal|hab ich|gesagt|schon wieder|zum dritten|wie gesagt|wie besprochen|doch schon|te dije|te había"
        "|ya te|cuántas veces|como dije|déjà dit|je t'ai|combien de fois|comme dit|já falei|já disse|quantas vezes"
        "|già detto|già chiesto|quante volte|te l'ho|опять|снова|уже говорил*|сколько раз|я же|просил*|говорил*|znowu"
        "|już mówił*|ile razy|mówiłem|prosiłem|znów|kolejny raz|đã nói|đã bảo|mấy lần|bao nhiêu lần|nói rồi|bảo rồi"
        "|说过|说了|怎么又|再次|多少次|讲过|前も|何度|言った|言いました|って言|前回|또 |말했|몇 번|전에도|저번에도"
        "|그랬잖|했잖"
    ),
)

WHY_DO_YOU: Final = Idea(
    "why do you",
    english=(
        "why are you|why do you|why did you|why would you|why would we|why would i|why is there|why are there"
        "|what's the point|whats the point|since when|who told you|why on earth|why the hell|why not just"
        "|how come you|do you really|we already have|we have a|isn't that what|is that what|not how we|that's not how"
        "|thats not how|doesn't belong|does not belong|what happened to"
    ),
    others=(
        "warum machst|warum nimmst|wieso machst|wieso nimmst|wieso schon|warum schreibst|was soll|por qué usas"
        "|por qué metes|por qué estás|para qué|pourquoi tu|pourquoi est ce que tu|c'est quoi ce|por que você"
        "|por que vc|pra que|pq você|pq vc|perché usi|perché metti|perché hai|a che serve|зачем ты|зачем|почему ты"
        "|откуда|dlaczego robisz|po co|czemu|sao lại|sao cứ|tại sao lại|为什么要|干嘛|为啥要|怎么又|怎么还|なんで"
        "|なぜ|どうして|왜 자꾸|왜 또|뭐하러|왜 이렇게"
    ),
)

COULD_WE: Final = Idea(
    "could we, as a habit",
    english=(
        "any chance|can we keep|can we stick|can we use|can we please|can we stop|can we always|can we not"
        "|can we agree|could we keep|could we use|could we always|could we stick|could we please|can you always"
        "|can you stop|can you not|could you always|could you stop|could you not|can you avoid|could you avoid"
        "|would you mind|shouldn't we|don't we|aren't we|can you keep|could you keep|can you please stop"
        "|can you please always|is it possible to always|let's always|lets always|let's keep|lets keep|let's stick"
        "|lets stick|i'd be happier|i'd appreciate"
    ),
    others=(
        "können wir|könnten wir|kannst du bitte immer|kannst du immer|lass uns|podemos usar|podríamos|puedes siempre"
        "|podrías|on peut garder|on pourrait|tu peux toujours|tu pourrais|dá pra|podia|poderia|possiamo|potresti"
        "|potremmo|puoi sempre|можем|можно ли|давай всегда|давай договоримся|можешь всегда|czy możemy|możemy|mógłbyś"
        "|umówmy się|có thể luôn|mình thống nhất|thống nhất|能不能|可以统一|以后能|麻烦以后|もらえますか|にしませんか"
        "|統一しませんか|統一|해줄 수|통일|으로 하자|으로 가자"
    ),
)

ASKS: Final = Idea(
    "asks or wonders",
    english=(
        "what|why|how|where|who|which|does|is it|is there|are there|do you|did you|can i|should i|should we|do we"
        "|would it|could it|explain|tell me why|wonder|wondering|curious|difference|what if|any idea|any ideas"
        "|thoughts|opinion|understand|mean|means"
    ),
    others=(
        "was|warum|wieso|wie|welche|wo|gibt es|erklär|qué|por qué|cómo|cuál|dónde|explica|hay alguna|quoi|pourquoi"
        "|comment|quel|quelle|est ce que|y a t il|explique|o que|por que|como|qual|onde|tem como|che|cosa|perché|come"
        "|quale|dove|spiega|что|почему|как|какой|где|есть ли|объясни|co|dlaczego|jak|który|gdzie|czy|wyjaśnij|gì"
        "|tại sao|sao|thế nào|ở đâu|có phải|là gì|什么|为什么|怎么|哪里|哪个|是不是|吗|呢|何|なぜ|どう|どこ|どれ"
        "|ですか|ますか|のか|뭐|왜|어떻게|어디|무슨|인가요|나요|까요"
    ),
)

DOUBTS: Final = Idea(
    "doubts or supposes",
    english=(
        "maybe|perhaps|i think|i guess|i bet|i believe|i suspect|not sure|probably|possibly|seems|seem|looks like"
        "|might|could be|may be|wonder|assume|apparently|my guess|hypothesis|theory|i'm thinking|im thinking|what if"
        "|would be|as if|sounds like|afaik|iirc|not 100"
    ),
    others=(
        "vielleicht|vermute|glaube|denke|wahrscheinlich|scheint|quizás|tal vez|creo|supongo|parece|a lo mejor"
        "|peut être|je crois|je pense|sans doute|on dirait|talvez|acho|será que|forse|credo|penso|secondo me|sembra"
        "|magari|может|возможно|наверное|думаю|кажется|похоже|może|chyba|myślę|wydaje|pewnie|có lẽ|chắc|hình như"
        "|có khi|nghĩ|可能|也许|感觉|好像|是不是|怀疑|猜|かも|たぶん|多分|思う|気がする|っぽい|かな|아마|같아|같은데"
        "|듯|혹시|모르겠"
    ),
)

FAULT: Final = Idea(
    "something fails",
    english=(
        "error|errors|exception*|crash*|fail|fails|failed|failing|failure*|bug|bugs|broken|breaks|broke|wrong"
        "|doesn't work|doesnt work|not working|stopped working|hang|hangs|hung|stuck|freeze*|segfault*|traceback"
        "|stack trace|stacktrace|timeout|timed out|leak|leaks|flaky|weird|strange|regression|missing|undefined"
        "|null pointer|oom|500|404|red|slow|spike*|never fires|never returns|never pass*|doesn't show|never shows"
        "|suddenly"
        "|since the update|since yesterday|happens"
    ),
    others=(
        "fehler|absturz|schlägt fehl|schlagen fehl|laufen nie|läuft nie|nunca pasa*|no pasan|falha*|échou*"
        "|non passano|fallisc*|падают|nie przechodz*|stürzt|klappt nicht|geht nicht|kaputt|hängt|langsam|falla*"
        "|fallan|no funciona|roto|se cae"
        "|se cuelga|lento|erreur*|plante*|marche pas|marche plus|cassé|bug|erro|quebra|quebrou|não funciona|trava"
        "|travando|errore|errori|non funziona|si blocca|rotto|va in crash|ошибк*|падает|упал*|не работает|зависает"
        "|сломал*|тормозит|błąd|błędy|nie działa|wywala|pada|zawiesza|wolno|lỗi|hỏng|treo|không chạy|chậm|sập|报错"
        "|错误|失败|崩|卡|异常|慢|挂了|エラー|落ち|動かない|失敗|おかしい|バグ|遅い|止ま|에러|오류|안 됨|안됨|깨져|죽"
        "|느려|실패|버그|멈"
    ),
)

ORDERS_A_TASK: Final = Idea(
    "a piece of work",
    english=(
        "add|create|implement|fix|write|refactor|rename|move|update|build|make|port|convert|generate|remove|delete"
        "|drop|replace|change|extract|split|rewrite|revert|install|set up|setup|hook up|wire|expose|bump|migrate"
        "|check|look|look at|take a look|find|show|compare|debug|investigate|figure out|explain|review|read|open"
        "|test it|run|try|start|continue|finish|clean up|cleanup|translate|sketch|draft|design|go ahead|go on|do that"
        "|do it"
    ),
    others=(
        "mach|bau|schreib|füg|lösch|änder|prüf|schau|benenn|verschieb|erstell|zeig|pack|nimm|haz|hazme|crea|añade"
        "|agrega|arregla|escribe|borra|cambia|mueve|revisa|mira|pon|quita|saca|fais|ajoute|crée|corrige|écris"
        "|supprime|change|regarde|mets|déplace|renomme|vérifie|faz|faça|cria|adiciona|arruma|escreve|apaga|muda|olha"
        "|põe|coloca|tira|troca|fai|aggiungi|sistema|scrivi|cancella|sposta|guarda|metti|togli|rinomina|сделай|добавь"
        "|напиши|исправь|удали|поменяй|перенеси|посмотри|проверь|покажи|убери|переименуй|поправь|zrób|dodaj|napisz"
        "|popraw|usuń|zmień|przenieś|sprawdź|pokaż|zobacz|wrzuć|wywal|làm|thêm|viết|sửa|xóa|đổi|chuyển|kiểm tra|xem"
        "|tạo|bỏ|加|写|改|删|做|修|看一下|看看|帮我|查|建|换|挪|调|实现|追加|作って|書いて|直して|消して|変えて|見て"
        "|修正|移して|実装|確認|お願い|추가해|만들어|고쳐|지워|바꿔|봐줘|확인|짜줘|옮겨|해줘|해주세요|수정"
    ),
)

POLITE: Final = Idea(
    "a request",
    english=(
        "please|pls|plz|could you|can you|would you|can u|could u|i need|we need|i want|i'd like|let's|lets"
        "|want you to|need you to|help me|thanks|thx|ty"
    ),
    others=(
        "bitte|kannst du|könntest du|ich brauche|por favor|porfa|puedes|podrías|necesito|quiero|gracias|stp"
        "|s'il te plaît|svp|tu peux|peux tu|j'ai besoin|je veux|merci|pode|preciso|quero|obrigado|valeu|per favore"
        "|puoi|potresti|mi serve|vorrei|voglio|grazie|пожалуйста|плз|можешь|нужен|нужна|хочу|спасибо|proszę|możesz"
        "|potrzebuję|chcę|dzięki|giúp|nhờ|giùm|cần|muốn|cảm ơn|请|請|麻烦|帮|谢谢|ください|下さい|お願い|してほしい"
        "|ありがと|주세요|줘|부탁|고마워|감사"
    ),
)

PICKS: Final = Idea(
    "picks or redirects",
    english=(
        "option|option a|option b|option 1|option 2|variant|go with|let's go with|lets go with|we go with"
        "|the first one|the second one|the other one|the latter|the former|take the|sounds good|your second"
        "|your first|your suggestion|your plan|number 2|number 1|actually no|scratch that|never mind|nevermind"
        "|go back|undo|revert|shorter|smaller|bigger|leave|skip|drop|keep the|just do|just the|only the|plain"
    ),
    others=(
        "variante|die andere|den anderen|das andere|la otra|el otro|la primera|la segunda|opción|vale|dale"
        "|l'autre|la première|la deuxième|l'option|non laisse|laisse tomber"
        "|a primeira|a segunda|opção|la prima|la seconda|l'opzione|l'altro|l'altra|a outra|o outro|другой|другую"
        "|другое|drugi|inną|inny|cái khác|no aspetta|aspetta|lascia|второй|первый|вариант"
        "|ладно|drugą|pierwszą|opcja|wariant|nie czekaj|zostaw|cái thứ|phương án|chọn|không phải|方案|另一个|別の"
        "|다른 걸|第一个|第二个"
        "|第一|第二|选|不对|算了|就用|还是|案|後者|前者|でいきましょう|やっぱ|でいい|후자|전자|번으로|걸로|그냥|빼고"
    ),
)

APPROVES: Final = Idea(
    "approves",
    english=(
        "lgtm|ship it|perfect|great|nice|awesome|looks good|looks right|all good|good job|well done|yes|yep|yeah|ok"
        "|okay|go ahead|sure|cool|approved|done|works now|works|exactly|correct|fine|love it|thank you|i approve"
        "|granted|access granted|you have access"
    ),
    others=(
        "super|passt|perfekt|ja|gut|genau|perfecto|genial|sí|bien|bueno|parfait|nickel|oui|d'accord|perfeito|ótimo"
        "|sim|beleza|isso|perfetto|ottimo|sì|bene|ok|отлично|супер|да|хорошо|ок|świetnie|tak|dobra|tuyệt|ổn|được|ừ"
        "|好的|可以|完美|没问题|不错|行|好|完璧|いいですね|はい|了解|좋아|완벽|네|응|오케이|굿|ㅇㅋ"
    ),
)

HAPPENED: Final = Idea(
    "what happened",
    english=(
        "was|were|did|had|didn't|didnt|wasn't|got|tried|saw|noticed|ran|went|came|broke|changed|happened|worked|found"
        "|merged|rebased|rebooted|updated|upgraded|restarted|yesterday|this morning|last night|just now|before the"
        "|after the|you just|you added|you wrote|you removed|you changed|you forgot|i just|we just|i ran|i tried"
        "|i merged|i changed"
    ),
    others=(
        "habe|hat|war|gestern|hatte|wurde|he|ha|había|ayer|fue|estaba|j'ai|a été|hier|était|avait|fui|foi|ontem"
        "|estava|tinha|ho|è stato|ieri|era|aveva|был|была|было|вчера|сделал*|był|była|było|wczoraj|zrobił*|đã|vừa"
        "|hôm qua|rồi|了|昨天|刚才|刚|昨日|さっき|した|ました|だった|어제|방금|아까|했는데|했어|됐"
    ),
)

THIRD_PARTY: Final = Idea(
    "people and teams around",
    english=(
        "team|teams|ops|devops|infra|security|legal|qa|finance|compliance|auditor*|reviewer*|maintainer*|boss|cto"
        "|colleague*|everyone here|nobody here|people here|partner|vendor|their|they|them"
    ),
    others=(
        "kollege*|abteilung|chef|equipo|jefe|seguridad|ops|équipe|collègue*|sécu|time|equipe|chefe|segurança|colega*"
        "|collega|colleghi|capo|sicurezza|команд*|коллег*|безопасник*|начальник|zespół|zespołu|koledzy|szef|ochrona"
        "|team khác|sếp|đồng nghiệp|bên|同事|运维|安全|老板|团队|他们|チーム|同僚|上司|運用|팀장|동료|보안팀|운영팀"
        "|인프라"
    ),
)

UNASKED: Final = Idea(
    "not what I asked",
    english=(
        "i did not ask|i didn't ask|i didnt ask|i did not say|i didn't say|i didnt say|i never said|i never asked"
        "|nobody asked|no one asked|who told you|who asked you|without asking|without telling me|not without my"
        "|unless i ask|unless i say|unless i tell|unless asked|unless told|only if i|only when i|until i say"
        "|until i tell|ask first|ask me first|ask me before|check with me|wait for my|on your own|by yourself"
        "|let me do|i do the|i'll do the|i commit|i push|i merge|i deploy|i decide|let me decide|that's my job"
        "|thats my job|leave that to me"
    ),
    others=(
        "hab ich nicht gesagt|nicht gesagt|ohne zu fragen|frag vorher|frag mich|erst fragen|mach ich selbst"
        "|sin preguntar|pregúntame|no te pedí|nadie te pidió|lo hago yo|yo me encargo|sin avisar|sans demander"
        "|demande moi|demande avant|je t'ai pas demandé|c'est moi qui|sem perguntar|me pergunta|não pedi|eu faço"
        "|eu mesmo|sem falar comigo|senza chiedere|chiedimi|non ti ho chiesto|lo faccio io|faccio io|без спроса"
        "|спроси|сначала спроси|я не просил|сам|я сам|делаю я|bez pytania|zapytaj|nie prosiłem|sam|sama|robię sam"
        "|tự ý|hỏi trước|hỏi mình|không bảo|để mình|先问我|问我|没让你|我没说|我来|自己来|经我|勝手に|聞いてから"
        "|確認してから|言ってない|頼んでない|自分でやる|물어보고|먼저 물어|시킨 적|내가 할|허락|마음대로|제가 할"
    ),
)

TALK: Final = (
    UNASKED,
    ASIDE,
    SAID_BEFORE,
    WHY_DO_YOU,
    COULD_WE,
    ASKS,
    DOUBTS,
    FAULT,
    ORDERS_A_TASK,
    POLITE,
    PICKS,
    APPROVES,
    HAPPENED,
    THIRD_PARTY,
)
