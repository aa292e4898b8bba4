"""Which words are said of a secret and are none? "The password is required", "Das Passwort ist Pflicht".

A closed class, measured on texts about passwords: what is in it stays even where somebody may have chosen it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final


def _any_of(*lines: str) -> str:
    return "|".join(" ".join(lines).split())


_GOING_ON: Final = _any_of(
    "an? the in on at to by with from of for not? never always only also too as and or but so than more less very",
    "still yet now here there above below it this that these what which who where why how when if our my your",
    "their its one two same different other both each every all any some something anything nothing everything",
    "none neither either someone everyone nobody anyone whatever whichever he she they we you us them his",
    "hers theirs",
    "yours mine ours ever once twice thrice already again soon later then just even almost nearly rather",
    "quite pretty",
    "really maybe perhaps probably often sometimes somewhere nowhere everywhere elsewhere enough much many most such",
    "half three four five six seven eight nine ten twelve zero about around up-to-date per via after before because",
    "through under over between against without within until since while like",
)
_SAID_OF_SECRETS: Final = _any_of(
    r"\w+(?:ed|ing|able|ible|ly|ive|ous|ful|less|ional|ary|ory) [\w-]+-(?:only|based|sensitive|side|text|supplied)",
    "empty blank missing valid invalid wrong right correct incorrect weak strong long short old new safe",
    "unsafe secure",
    "insecure secret public private plain hidden known unknown unique random static dynamic local global stale fresh",
    "live dead gone lost (?:un)?set kept sent held read written broken stolen given shown chosen up down",
    "ok(?:ay)? fine",
    "good bad better best worse worst longer shorter weaker stronger newer older easier harder simpler later",
    "ready due free open opaque numeric alphanumeric automatic equal identical similar",
    "optional mandatory easy hard simple complex strict crucial important essential vital constant common specific",
    "generic general typical internal external official final initial original normal special permanent persistent",
    "transparent consistent inconsistent recent current present absent efficient sufficient insufficient clear clean",
    "clear-?text plain-?text cipher-?text bogus fake real true false inline offline online likely",
    "unlikely unclear odd",
    "strange weird legal illegal relevant irrelevant obsolete complete incomplete ascii unicode alphabetic numerical",
    "uppercase lowercase mixed-?case case-?insensitive independent separate distinct adequate inadequate apparent",
    "obvious trivial critical usual useful effective inactive active visible invisible human-readable in-memory",
    "per-\\w+ user-\\w+ auto-\\w+ pre-\\w+ one-time single-use read-only write-only guessable memorable leaky sticky",
    "made taken built rebuilt found bound cut put left met seen done drawn spelt split reset overwritten",
    "forgotten typed",
    "stuck sold told brought caught spent understood bcrypted hex-?encoded url-?encoded run let unset",
    "undefined empty",
    # what it may be a part or a kind of
    "part parts data input content contents code hash hashes text digits characters letters garbage rubbish junk",
    "nonsense history policy default defaults standard business trouble noise state metadata material property root",
    "everyone's today's yesterday's overkill fun magic stuff information evidence proof",
    # what is done with it
    "must should can cannot could may might will would shall has have had does do did is are was were be been needs",
    "check see use ask add enter type keep store look find get make go try let note send show read write move copy",
    "rotate generate hash verify validate compare require reject accept change update replace remove delete create",
    "contact refer visit click press choose pick select save load fetch run open paste provide ensure avoid never",
)
_SAID_ELSEWHERE: Final = _any_of(
    r"\w+(?:iert|ad[oa]s?|id[oa]s?|oire|[oó]ri[ao]s?|lich|pflichtig|[dgklmnrst]isch|nelle?s?|naire)",
    r"(?:ge|ver|über|ab|be)\w{3,}(?:t|en)",
    "falsch richtig lang kurz geheim leer neu alt sicher unsicher",
    "g[üu]ltig ung[üu]ltig n[öo]tig weg da hier im das der die ein nicht pflicht pflichtfeld",
    "pflichtangabe zu kein keine",
    "keins nie immer noch schon nur auch bereits aktuell zurzeit momentan derzeit teil standard geheimnis",
    "klartext sache",
    "gleich dasselbe derselbe anders stark schwach optional bekannt unbekannt sichtbar verf[üu]gbar klar",
    "fertig offen",
    "ok einfach schwer so wie jetzt korrekt inkorrekt abgelaufen weiterhin unser euer mein dein sein ihr jedem allen",
    "incorrect[ao] correct[ao] segur[ao] secret[ao] larg[ao] cort[ao] vac[íi][ao] nuev[ao] la el un una en es está",
    "necesari[ao] requerid[ao] v[áa]lid[ao] inv[áa]lid[ao] opcional diferente igual fuerte d[ée]bil",
    "demasiado muy siempre",
    "nunca ya también únic[ao] parte solo sólo mala buena p[úu]blic[ao] d[ée]bole forte troppo molto valida",
    "faux fausse bon bonne vide le dans pas trop requis requise optionnel valide invalide lu déjà toujours jamais",
    r"différent identique stock[ée]e? nécessaire incorrecte fort faible long courte? très bien mal au dans",
    r"aussi encore",
    r"\w{3,}ée?s? errad[ao] corret[ao] vazi[ao] na não fraca curta longa muito diferente obrigat[óo]ri[ao] sempre",
    "sbagliat[ao] corrett[ao] diversa uguale sempre nel fout juist leeg niet verplicht onjuist ongeldig",
    "te zwak sterk",
    "vereist nodig altijd nooit nog al złe puste wymagane nieprawidłowe niepoprawne za bardzo zawsze fel tomt krävs",
    "för inte obligatoriskt ogiltigt forkert tom påkrævd feil ikke",
    r"tajne w в не у неверн\w+ верн\w+ пуст\w+ секретн\w+ нов\w+ длинн\w+ обязател\w+ слишком всегда нужен нужно",
    "zorunlu yanlış geçersiz boş çok необходим\\w* коротк\\w+ слаб\\w+ сложн\\w+ прост\\w+ должен лежит хранит\\w+",
)
_IN_SPECIFICATIONS: Final = _any_of(
    "null none nil undefined true false str(?:ing)? text bool(?:ean)? int(?:eger)? number bytes? any object char",
    "varchar uuid buffer array list dict void self input output value field type name auth header cookie link",
    "password passcode email user(?:name)? token key oauth2? oidc saml sso otp json jwt hex base64 bcrypt scrypt",
    r"argon2(?:id)? pbkdf2 md5 sha-?\d+ yaml xml html utf-?8 required minlength maxlength format options?",
    r"flags? switch(?:es)? param\w{0,7} arg\w{0,6}",
    "env environment variable var vars stdin stdout prompt file path secret enabled disabled yes no on off",
)


@cache
def ordinary() -> re.Pattern[str]:
    """Return the words that go on with a sentence about a secret without telling it: "the password is required"."""
    return re.compile(f"{_SAID_OF_SECRETS}|{_SAID_ELSEWHERE}|{_GOING_ON}|{_IN_SPECIFICATIONS}", re.IGNORECASE)
