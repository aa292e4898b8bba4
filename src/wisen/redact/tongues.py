"""How do people name a secret, and how do they say "is", in the languages they write prompts in?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Tongue:
    """A language's words for secrets; each field but `hints` a regular expression in lower case.

    `hints` are stems one of which is in every text that holds a noun. `chosen` names passwords, `issued` keys of
    services, `pair` announces a login with its password, `pin` a number. `either` also names things that may be
    told, `vague` mostly those.
    """

    hints: tuple[str, ...]
    chosen: str
    copula: str = "(?!)"
    issued: str = "(?!)"
    either: str = "(?!)"
    pair: str = "(?!)"
    pin: str = "(?!)"
    vague: str = "(?!)"
    is_spaced: bool = True


_BEGIN: Final = r"(?<![^\W_])"

TONGUES: Final[Sequence[Tongue]] = (
    Tongue(  # English, and its nouns in sentences of other languages
        hints=(
            "pass",
            "pw",
            "key",
            "token",
            "secret",
            "cred",
            "log",
            "auth",
            "sign",
            "pin",
            "phrase",
            "code",
        ),
        chosen=rf"(?<!1)pass(?:word|wd|code|[ -]?phrase)s?|{_BEGIN}p(?:ass)?wd?|(?:seed|recovery|mnemonic)[ -]phrase"
        rf"|{_BEGIN}user(?:name)?[ \t]?[:= ][ \t]?[^\s,;]{{1,40}}[,;/ \t]{{1,3}}(?:and )?pass",
        issued=r"(?:api|access|secret|private|signing|encryption|account|licen[sc]e|auth|client|master|deploy|bearer|jwt"
        r"|webhook|service|session|refresh|personal access)[ _-]?(?:access )?(?:key|token|secret)",
        either=r"token|secret|(?:my|our|root|admin|db|database|staging|prod(?:uction)?)[ _-]pass",
        vague=r"key",
        pair=rf"{_BEGIN}(?:cred(?:ential)?s|log[ -]?ins?|basic[ -]auth|(?:log|sign)(?:ged|ing)? in|authenticate"
        r"|user(?:name)? ?(?:/|:|and|&) ?pass(?:word)?)",
        pin=rf"{_BEGIN}(?:pin(?:[ -](?:code|number))?|(?:security|unlock|backup|door)[ -]code)",
        copula=r"is|are|was|were|equals|will be|has been|ist|lautet|es|est|é|è|jest|это",
    ),
    Tongue(  # German
        hints=("passwort", "passwört", "kennw", "schlüssel", "schluessel", "daten"),
        chosen=r"passw(?:ort(?:e?s)?|örter)|kennw(?:ort(?:e?s)?|örter)",
        issued=r"(?:api|zugriffs|zugangs|geheim)[ -]?schl(?:ü|ue)ssel",
        pair=r"(?:zugangs|anmelde|login)-?daten",
        copula=r"ist|lautet|war|wäre|hei(?:ß|ss)t|sind",
    ),
    Tongue(  # Spanish
        hints=("contrase", "clave", "credencial"),
        chosen=r"contrase(?:ñ|n|ñ)as?",
        issued=r"clave (?:de )?(?:la )?(?:api|acceso)|clave secreta",
        either=r"clave",
        pair=r"credenciales",
        copula=r"es|era|son|será",
    ),
    Tongue(  # French
        hints=("passe", "mdp", "api", "jeton", "identifiants", "secr"),
        chosen=rf"mots? de passe|{_BEGIN}mdp|phrase secrète",
        issued=r"cl(?:é|e|ef)s? (?:d['’]\s?)?(?:api|accès)|cl(?:é|ef) secrète",
        either=r"jeton",
        pair=r"identifiants",
        copula=r"est|était|sont|c['’]est",
    ),
    Tongue(  # Portuguese, Italian
        hints=(
            "senha",
            "palavra",
            "chave",
            "credencia",
            "parola",
            "chiave",
            "credenzial",
        ),
        chosen=r"senhas?|palavra[- ]passe|parola d['’]ordine",
        issued=r"chave (?:d[ea] )?(?:api|acesso)|chiave (?:api|d['’]accesso|segreta)",
        pair=r"credencia(?:is|l)|credenziali",
        copula=r"é|e|era|s[ãa]o|è|e['’]|sono",
    ),
    Tongue(  # Dutch
        hints=("wachtwoord", "sleutel", "inlog"),
        chosen=r"wachtwoord(?:en)?",
        issued=r"(?:api|toegangs|geheime)[ -]?sleutel",
        pair=r"inloggegevens",
        copula=r"is|was|luidt|zijn",
    ),
    Tongue(  # Polish, Czech, Slovak
        hints=("has", "hesl", "klucz", "logowania"),
        chosen=rf"{_BEGIN}(?:has(?:ł|l)(?:o|a|em|u)|hesl(?:o|a|em))",
        issued=r"klucz\w{0,3} (?:do )?(?:api|dostępu)",
        pair=r"dane logowania",
        copula=r"to|jest|brzmi|było|je|bylo",
    ),
    Tongue(  # Swedish, Danish, Norwegian, Finnish, Hungarian
        hints=("lösenord", "adgangskode", "kodeord", "passord", "salasana", "jelsz"),
        chosen=r"(?:lösenord|kodeord|passord)(?:et)?|adgangskode[nr]?|salasanan?|jelsz(?:ó|o|ava)",
        copula=r"är|er|var|on|oli",
    ),
    Tongue(  # Turkish, Romanian
        hints=("şifre", "sifre", "parol"),
        chosen=rf"{_BEGIN}(?:[şs]ifre|parola)(?:s[ıi]|m[ıi]z|n[ıi]z|m|y[ıi])?|{_BEGIN}parolă",
        copula=r"este|e|è",
    ),
    Tongue(  # Vietnamese, Indonesian, Malay
        hints=("mật", "mat khau", "sandi", "kata"),
        chosen=rf"m(?:ật|at) kh(?:ẩu|au)|{_BEGIN}(?:kata )?sandi|kata laluan",
        copula=r"là|la|adalah|ialah",
    ),
    Tongue(  # Russian, Ukrainian, Bulgarian
        hints=("парол", "ключ", "токен", "секрет", "логин"),
        chosen=r"парол(?:ь|я|і|и|ю|ем|ем|ей|а|ата)",
        issued=r"ключ\w{0,3} (?:к )?(?:api|апи|доступа)|(?:api|апи)[ -]?ключ\w{0,3}",
        either=r"токен\w{0,3}|секрет\w{0,3}",
        pair=r"логин\w{0,3}",
        copula=r"это|є|е|был|равен|такой",
    ),
    Tongue(  # Greek
        hints=("κωδικ",), chosen=r"κωδικ(?:ός|ό|οί|ού)(?: πρόσβασης)?", copula=r"είναι"
    ),
    Tongue(  # Arabic, Persian, Hebrew
        hints=("كلمة", "السري", "رمز", "گذرواژه", "סיסמ"),
        chosen=r"كلمة (?:ال)?(?:مرور|سر)|الرقم السري|رمز عبور|گذرواژه|סיסמ(?:ה|ת|א|תי)",
        copula=r"هي|هو|היא|הוא",
    ),
    Tongue(  # Hindi
        hints=("पासवर्ड", "कूटशब्द"), chosen=r"पासवर्ड|कूटशब्द"
    ),
    Tongue(  # Thai
        hints=("รหัสผ่าน",), chosen=r"รหัสผ่าน", copula=r"คือ|เป็น", is_spaced=False
    ),
    Tongue(  # Chinese
        hints=("密", "口令", "钥", "鑰", "令牌", "凭证", "憑證"),
        chosen=r"密[码碼]|口令",
        issued=r"[密秘金][钥鑰]|令牌",
        pair=r"(?:账号|帳號|账户)密[码碼]|[凭憑][证證]",
        copula=r"就?是|[为為]|[设改設]?[成为為]",
        is_spaced=False,
    ),
    Tongue(  # Japanese
        hints=(
            "パス",
            "暗証",
            "合言葉",
            "キー",
            "トークン",
            "シークレット",
            "認証",
            "ログイン",
        ),
        chosen=r"パスワード|パスフレーズ|合言葉|暗証番号",
        issued=r"(?:api|アクセス|秘密|シークレット)\s?キー|シークレット",
        either=r"トークン",
        pair=r"(?:認証|ログイン)情報",
        copula=r"は、?|が|を",
        is_spaced=False,
    ),
    Tongue(  # Korean
        hints=("비밀번호", "비번", "패스워드", "암호", "토큰", "키", "시크릿"),
        chosen=r"비밀번호|비번|패스워드|암호",
        issued=r"(?:api|액세스|비밀)\s?키|시크릿",
        either=r"토큰",
        copula=r"[은는이가을를]",
        is_spaced=False,
    ),
)


@dataclass(frozen=True, slots=True)
class Named:
    """A noun in a text, the offset of the next one, and that of the second: so far this one may reach."""

    found: re.Match[str]
    next: int
    reach: int


def named(tongue: Tongue, low: str) -> Iterator[Named]:
    """Yield a language's nouns in a lower-case text, so that every stretch of it is read for two nouns at most."""
    found = [noun for start, end in _lines(tongue, low) for noun in _nouns(tongue).finditer(low, start, end)]
    starts = [*(noun.start() for noun in found), len(low), len(low)]
    for index, noun in enumerate(found):
        yield Named(noun, starts[index + 1], starts[index + 2])


def _lines(tongue: Tongue, low: str) -> Iterator[tuple[int, int]]:
    """Yield the lines that hold one of a language's hints: looking for nouns costs ten times as much."""
    at = 0
    while hint := _stems(tongue).search(low, at):
        end = low.find("\n", hint.end())
        end = end if end >= 0 else len(low)
        yield max(at, low.rfind("\n", at, hint.start())), end
        at = end


@cache
def _stems(tongue: Tongue) -> re.Pattern[str]:
    """Return the pattern of a language's hints, which is quick because each begins with a letter of its own."""
    return re.compile("|".join(re.escape(hint) for hint in tongue.hints))


@cache
def _nouns(tongue: Tongue) -> re.Pattern[str]:
    """Return the pattern of a language's nouns in lower-case text; the last group names the kind."""
    kinds = {
        "pair": tongue.pair,
        "chosen": tongue.chosen,
        "issued": tongue.issued,
        "pin": tongue.pin,
        "either": tongue.either,
        "vague": tongue.vague,
    }
    named = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in kinds.items())
    return re.compile(f"(?:{named})" + (r"(?!\w|-\w)" if tongue.is_spaced else ""))
