"""Which words say nothing about a topic, and which say little? Tables, by language; words as `core.words.folded` them.

`FUNCTION_WORDS` are grammar and courtesy: never looked for. `EVERYDAY` is what any prompt to a coding agent may hold:
looked for, but in no number enough that one of them makes a topic. Neither has to be complete: what is missing here is
still weighed by how rare it is in the graph.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.core.words import folded

FUNCTION_WORDS: Final = {
    "en": """
        a about above actually after again ain all almost already also although always am an and another any anyone
        anything are aren around as at away back be because been before being below between both but by came can
        cannot come comes could couldn couple d did didn different do does doesn doing don done down during each
        either else enough etc even ever every everyone everything exactly far few first for from further get gets
        getting give given gives go goes going gone good got great had hadn happen happened happens has hasn have
        haven having he hello help her here hers hey hi him his how however i if in instead into is isn it its
        itself just keep kind know last later least less let like little ll look looks lot make makes making many
        may maybe me might mine more most much must my myself need needs neither never new next no none nor not
        nothing now of off often ok okay on once one only onto or other others our out over own perhaps please
        possible pretty probably put quite rather re really right s same say says see seem seems shall she should
        shouldn since so some someone something soon still such sure t take takes tell than thank thanks that the
        their them then there these they thing things think this those though through thus till to today together
        told tomorrow too two under unless until up upon us use used uses using usually ve very via want wants was
        wasn way we well went were weren what when where whether which while who whole whose why will with within
        without won would wouldn yes yesterday yet you your yours yourself
    """,
    "de": """
        aber alle allem allen aller alles als also am an ander andere anderen anderes auch auf aus bei beim bin bis
        bist bitte brauche brauchen da dabei dafur damit danach dann daran darauf darf das dass davon dazu dein
        deine dem den denn der des deshalb die dies diese diesem diesen dieser dieses dir doch dort du durch ein
        eine einem einen einer eines einfach er es etwas fur ganz gar geht genau gerade gern gibt gut hab habe haben
        hat hatte hier hin ich ihm ihn ihr ihre im immer in ins ist ja jede jeden jeder jedes jetzt kann kannst kein
        keine keinen konnen konntest lass mach mache machen mal man mehr mein meine mich mir mit mochte muss mussen
        musst nach nein nicht nichts nie niemand noch nun nur ob oder ohne schon sehr sein seine seit selbst sich
        sie sind so soll sollen sollte sondern sonst uber um und uns unser unsere unter viel vom von vor wann war
        ware warum was weil weiter welche welcher wenn wer werden wie wieder will wir wird wo wollen wurde zu zum
        zur zwar zwischen
    """,
    "es": """
        a actualmente ademas ahora al algo algun alguna alli antes aqui aquel asi aun aunque bien cada como con
        contra cual cuando cuanto de debe deben debes del demas desde despues donde dos el ella ellos en entonces
        entre era eres es esa ese eso esos esta estaba estan estar estas este esto estos estoy favor fue gracias ha
        habia hace hacer hacia han hasta hay he hola igual la las le les lo los luego mas me mejor mi mientras mis
        misma mismo mucho muy nada ni no nos nosotros nuestra nuestro nunca o os otra otro otros para pero poco por
        porque pues puede pueden puedes que quiero quien se sea ser si siempre sin sobre solo son soy su sus tal
        tambien tan tanto te tengo tiene tienen toda todas todavia todo todos tu tus un una unas uno unos usted va
        vamos vez voy y ya yo
    """,
    "fr": """
        a afin ai ainsi alors apres au aucun aussi autre autres aux avant avec avoir beaucoup bien c car ce ceci
        cela ces cet cette ceux chaque comme comment d dans de deja depuis des deux dois doit doivent donc du elle
        elles en encore entre es est et etait etc ete etes etre eu fait faire faut fois il ils j jamais je jusqu l
        la le les leur leurs lors lui m ma maintenant mais me meme merci mes mieux moi moins mon n ne ni non nos
        notre nous on ont ou par parce pas peu peut peux plait plus pour pourquoi pouvez puis qu quand que quel
        quelle quelque qui quoi rien s sa sans se sera ses si son sont sous suis sur ta te tes toi ton toujours tous
        tout toute toutes tres trop tu un une va vers veux voici voila vos votre vous y
    """,
    "pt": """
        a agora ainda alem algo algum alguma ali antes ao aos apenas aquele aqui as assim ate bem cada com como
        contra da das de dela dele depois desde deve do dois dos e ela ele eles em enquanto entao entre era essa
        esse esta estamos estao estar estava este estes eu faz fazer favor foi for fosse ha isso isto ja la lhe mais
        mas me mesma mesmo meu minha muito na nada nao nas nem nenhum no nos nossa nosso num numa nunca o obrigado
        os ou outra outro para pela pelas pelo pelos pode podem poderia por porque pra precisa preciso quais qual
        quando quanto que quem quero se seja sem sempre ser seu seus si sim so sobre sua suas tal tambem tem tenho
        ter toda todas todo todos tu tudo um uma umas uns vai voce voces vou
    """,
    "it": """
        a abbiamo adesso ai al alla alle allora altra altre altri altro anche ancora anzi avere bene c che chi ci
        cio come con cosa cosi cui da dal dalla degli dei del della delle dello dentro deve devi devo di dopo dove
        due e ecco ed era essere fa fare fatto favore fino fra gia gli grazie ha hai hanno ho i il in io l la le lei
        li lo loro lui ma mai me meglio meno mi mia mio molto ne nei nel nella nessuno niente no noi non nostra
        nostro nulla o ogni ora per perche pero piu poco poi possiamo posso prima proprio puo puoi qua qual quale
        quando quanto quasi quella quelle quelli quello questa queste questi questo qui quindi sara se sei sempre
        senza si sia siamo solo sono sopra sotto sta stai stesso sto su sua sue sul sulla suo tale te ti tra tu tua
        tuo tutta tutte tutti tutto un una uno va vi voglio voi vorrei
    """,
    "nl": """
        aan al alle alles als altijd ander andere ben bij bijna dan dat de deze die dit doe doen door dus echt een
        eens eerst en er ergens erg even gaan gaat geen geweest goed graag had heb hebben hebt heeft heel het hier
        hij hoe hun iets ik in is ja je jij jouw jullie kan kun kunnen kunt laat maak maar maken me meer met mij
        mijn moest moet moeten na naar nee niet niets nog nodig nooit nu of om omdat onder ons onze ook op over
        steeds te tegen toch toen tot uit van veel voor waar waarom wanneer want waren was wat we wel welke werd wie
        wij wil willen worden wordt zal ze zelf zich zij zijn zo zonder zorg zorgen zou
    """,
    "pl": """
        a aby ale albo ani az bardzo bez bo by bylo byc byl byla byly bym chce ci cie co czy czyli dla dlaczego do
        gdy gdzie go i ich ile im inne innych ja jak jakie jako je jeden jednak jego jej jest jestem jesli jeszcze
        juz kazdy kiedy kto ktora ktore ktory lub ma mam mamy mi mial mnie moge moj moja moze mozesz mozna my na nad
        nam nas nasz nawet nic nie niech niz no o od ok on ona one oni oraz po pod poniewaz prosze przed przez przy
        sa sam sie skad sobie ta tak taki takie tam te tego tej ten tez to tu tutaj tutej tyle tylko tym u w we wiec
        wiele wszystko wszystkie z za zawsze ze zeby zrob zrobic
    """,
    "ru": """
        а без бы был была были было быть в вам вас весь во вот все всё всегда всего всех вы где да давай даже для до
        его ее если есть еще ещё же за здесь и из или им их к каждый как какая какие какой когда который которые кто
        ли лишь мне много может можешь можно мой моя мы на над надо нам нас наш не него нее нет ни нибудь никогда
        них ничего но нужно о об один он она они оно от очень перед по под пока пожалуйста после потом потому почему
        почти при про просто раз с сам самый свой сделай сделать себя сейчас со спасибо так также такой там тебе тем
        теперь то тоже только тот тут ты у уже хочу чего чем что чтобы чтоб эта эти это этого этой этом этот я
    """,
    "tr": """
        acaba ama ancak artik asla az bana bazi belki ben beni benim bir biraz biz bize bizim bu bunu bunun bunlar
        burada cok cunku da daha de defa degil diye en eger gibi gore hala hangi hem hemen hep hepsi her herhangi
        hic icin ile ise iste kadar kendi ki kim lutfen mi misin mu musun nasil ne neden nedir nerede niye o olan
        olarak oldu olmus olmali olsun olur oluyor ona onlar onu onun orada oysa pek sadece sen seni senin simdi siz
        size sizin sonra su tam tekrar tesekkurler tum var ve veya ya yani yap yapar yok yoksa zaman
    """,
    "vi": """
        ai anh ban bang bay bi biet boi cac cai can cang cach chi cho chu chua chung co con cua cung da dang dau day
        de den deu di do doan duoc duong em gi giup hay hon hoac i khi khong la lai lam len luon ma moi mot nao nay
        nen neu ngay nhe nhieu nhu nhung no o oi qua ra rang rat roi sao sau se tai tat thi the theo them thu toi
        tren trong truoc tu tung va van vao vay ve vi viec voi vui xin y
    """,
}

# What stands between the words of scripts without spaces: cut out of a run before it is looked at.
FUNCTION_STRINGS: Final = """
    我们 你们 他们 它们 咱们 这个 那个 这些 那些 这里 那里 这样 那样 什么 怎么 怎样 为什么 是否 是不是 能不能 可以
    可不可以 不能 不会 不要 需要 应该 必须 已经 正在 还是 或者 以及 并且 而且 但是 因为 所以 如果 然后 之后 之前
    以后 以前 一下 一个 一些 一点 有点 没有 所有 每个 其他 自己 现在 今天 昨天 明天 一起 尽快 非常 比较 谢谢 感谢
    请帮我 帮我 麻烦 告诉 看看 看一下 知道 觉得 多少 哪里 哪个 してください ください お願いします お願い ありがとう
    ございます しています している していた しました します した して する です でした ます ました ません ない
    なった なって なる ある あります いる います いない という とき ところ こと もの ので のに から まで より など
    だけ しか ばかり ても でも では には とは への ために ため について によって として もっと とても すぐ また もう
    まだ ここ そこ あそこ これ それ あれ この その あの どの どう なぜ 何か 全部 必ず もらえますか もらえ ませんか
    ようにする ように そして しかし それから てから たら れば かも ましょう 습니다 합니다 입니다 됩니다 습니까
    하세요 주세요 해주세요 부탁드립니다 부탁 감사합니다 감사 그리고 그런데 하지만 그래서 왜냐하면 무엇을 무엇 어떻게
    어디 언제 이것 그것 저것 여기 거기 우리 저는 나는 제가 내가 에서 에게 으로 부터 까지 하고 해서 하는 하기 되는
    되지 있는 없는 않는 이유 때문에 다시 지금 모두 전부 항상 조금 매우 아주 너무 먼저 전에 후에 이렇게 그렇게
""".split()

# A pair of ideographs with one of these is no word.
FUNCTION_CHARS: Final = frozenset("的了是在我你您他她它这那哪和与或把被给就也都很还吗呢吧啊呀请个些着过之其")

EVERYDAY: Final = {
    "en": """
        add address app application area base box break bug build button call change check class clean click client
        code column command complete component config content copy correct create data day default delete detail
        develop developer directory doc document edit end entry error example exception exist expect extend fail
        feature field file find fine finish fix folder form format function github goal handle header hour idea
        image implement import improve include info information input install issue item job key kill label language
        level library line link list load local log long loop main mean message method minute missing mode model
        module move name note number object old open option order output package page panel part pass path place
        plan point post problem product program project prompt property pull query question quick read reason
        refactor reference remove rename repo repository request require reset response rest result return review
        root row rule run save screen script search section send separate server service set setting setup shape
        short show side simple site size slow small source space start state step stop store string style support
        switch system table tag task team template test text time title tool top track tree try turn type ui unit
        update url user validate value variable version view wait warning web week word work wrap write wrong year
        com css dev env go html http https ini js json jsx lib lock md mjs net org php pkg py rb rs sh sql src toml
        ts tsx txt utf www xml yaml yml api cli db id os pr
    """,
    "de": """
        abfrage andere anderung andern anlegen ausgabe beispiel bug code daten datei dateien ergebnis erklaren
        fehler feld funktion klasse knopf laufen lauft lesen liste loschen methode name ordner prufen projekt
        schauen schreib schreibe schreiben seite server starten test tests text umbenennen wert zeile zeigen
    """,
    "es": """
        agregar anadir archivo archivos boton borrar buscar cambiar cambia cambio carpeta clase codigo consulta
        corregir crear datos ejemplo eliminar error escribir explicar funcion funciona lista mirar mostrar nombre
        pagina proyecto prueba pruebas servidor texto usar usamos valor ver
    """,
    "fr": """
        afficher ajouter bouton changer chercher classe code corriger creer donnees dossier ecrire erreur exemple
        expliquer fichier fichiers fonction fonctionne ligne liste marche modifier montrer nom page personne projet
        regarder requete serveur supprimer test tests texte utiliser valeur verifier
    """,
    "pt": """
        acontecendo adicionar arquivo arquivos botao classe codigo corrigir criar dados erro escrever exemplo
        explicar funcao funciona funcionando lista mostrar mudar nome pagina pasta projeto remover servidor tela
        teste testes texto usar valor ver verificar
    """,
    "it": """
        aggiungere aggiungi bottone cambiare cartella classe codice correggere creare dati errore esempio file
        funzione funziona lista mostrare nome pagina progetto pulsante riga scrivere server spiegare test testo
        usare valore verificare
    """,
    "nl": """
        bestand bestanden code fout functie gebruiken klasse knop lijst map naam pagina project regel schrijven
        server test testen tonen uitleggen veranderen verwijderen voorbeeld waarde werkt
    """,
    "pl": """
        blad dane dodac dodaj dziala folder funkcja funkcje klasa kod lista naprawic nazwa plik pliki projekt
        przycisk serwer sprawdz sprawdzic strona strone test testy tekst usunac wartosc zmiana zmienic
    """,
    "ru": """
        добавить добавь исправить исправь имя класс код кнопка кнопку кнопки данные найти написать ошибка ошибку
        ошибки папка поменяй посмотреть пример проверить проверь проект работает сервер создать список страница
        страницу странице строка тест тесты текст удалить файл файла файле файлы функция функцию функции
    """,
    "tr": """
        calisiyor degisken degistir dosya dosyayi duzelt duzeltir ekle fonksiyon hata isim kod kontrol liste metin
        olustur proje sayfa sayfadaki sil sinif sunucu test yaz
    """,
    "vi": """
        chay danh doi dung giai ham kiem loi ma nut sach sua tao tep ten them thich tra trang viet xoa
    """,
    "han": """
        问题 代码 文件 测试 修复 功能 运行 添加 使用 项目 检查 确认 修改 修正 函数 错误 页面 按钮 删除 实现 更新
        数据 列表 写一 処理 追加 実装 変更 確認 関数 問題 実行 作成 画面 動作 理由 名前 削除 表示 部分
    """,
    "other": """
        ファイ ァイル テスト エラー コード ボタン データ リスト サーバ ーバー ページ オブジ メソッ ソッド クラス
        파일 코드 함수 오류 에러 버튼 화면 테스 스트 수정 확인 추가 삭제 실행 변경 설명 만들 데이 이터 서버
    """,
}


# What an English question is put together with; narrower than its function words, of which some say something ("like").
_GRAMMAR: Final = frozenset(
    """
    a about an and are as at be been being by can could did do does for from had has have he her him his how i in is it
    its may me might my of on or our she should that the their them they this to was we were what when where which who
    whom whose why will with would you your
    """.split()
)


def is_grammar(piece: str) -> bool:
    """Whether a word piece of a model is a mark or a word of English grammar; what continues a word is neither."""
    return piece in _GRAMMAR or not (piece[:1].isalnum() or piece.startswith("##"))


@cache
def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language."""
    return frozenset(map(folded, FUNCTION_WORDS[language].split()))


@cache
def function_strings() -> re.Pattern[str]:
    """Return what matches a function string, the longest that stands there."""
    return re.compile("|".join(sorted(map(folded, FUNCTION_STRINGS), key=len, reverse=True)))


def is_everyday(word: str) -> bool:
    """Whether a word, in any of its plain English forms, is everyday."""
    return any(form in _everyday() for form in _forms(word))


def stem(word: str) -> str:
    """Return what is the same for most plain English forms of a word; no word itself."""
    return min(_forms(word), key=len)


@cache
def _everyday() -> frozenset[str]:
    return frozenset(folded(word) for words in EVERYDAY.values() for word in words.split())


def _forms(word: str) -> tuple[str, ...]:
    """Return a word and what it may be a form of: tests, fixes, added, writing, running, entries."""
    forms = [word]
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            forms += [stem + instead, stem[:-1]] if stem[-1] == stem[-2] else [stem + instead]
    return tuple(forms)


_ENDINGS: Final = (
    ("s", ""),
    ("es", ""),
    ("ies", "y"),
    ("ed", ""),
    ("ed", "e"),
    ("ied", "y"),
    ("ing", ""),
    ("ing", "e"),
)
