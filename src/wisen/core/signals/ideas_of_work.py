"""The tools and steps of programming work, and what a definite word may point at without meaning the thing at hand."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.core.signals.names import TOOLS
from wisen.core.signals.phrases import Idea

STEPS: Final = Idea(
    "tools and steps of work",
    english=(
        "push|pushes|pushing|commit*|lint|linter*|linting|formatter*|tests|test|testing|test suite|unit test*"
        "|coverage|ci|makefile|make|dependency|dependencies|library|libraries|package manager|lockfile|branch"
        "|branches|pr|prs|review*|approval*|changelog*|release*|deploy*|tag|tags|migration|migrations|docs|readme"
        "|documentation|docstring*|comments|type hint*|types|imports|fixture*|mocks|stubs|secret|secrets|env|semver"
        "|tdd|ticket|tickets|conventional|function|functions|class|classes|method names|module|modules|variable"
        "|variables|constants|files|folder|folders|directory|script|scripts|code|refactoring*|style guide|naming"
        "|snake case|camel case|business logic|controllers|layers|config files|editor|terminal|shell|debugger"
        "|logs|logging|pair programming|virtualenv|venv|sql|orm|raw sql|warnings|todo|todos|feature flag*"
    ),
    others=(
        "pushe*|abhängigkeit*|zweig*|dokumentation|funktion*|klasse*|variable*|dateien|skript*|abnahme"
        "|prueba*|dependencia*|rama|ramas|documentación|función|funciones|clases|archivos|commitee*|despliega*"
        "|dépendance*|branche*|documentation|fonctions|fichiers|pousse*|déploie*|relecture"
        "|teste|testes|dependência*|funções|arquivos|documentação|suba|subir|revisão"
        "|dipendenz*|ramo|rami|documentazione|funzion*|classi|file|revisione"
        "|линтер*|зависимост*|документаци*|функци*|класс*|переменн*|файл*|скрипт*|миграци*|пушь*|пушить|коммить*"
        "|форматтер*|ревью"
        "|testy|testów|testami|zależnoś*|dokumentacj*|funkcj*|klas*|zmienn*|plik*|skrypt*|migracj*|pushuj*|pushowa*"
        "|wdraża*|linter*|lintera|commitem|commituj*|przegląd"
        "|phụ thuộc|thư viện|tài liệu|hàm|lớp|biến|nhánh|kiểm thử"
        "|依赖|依賴|文档|函数|代码|测试|测试用例|迁移|脚本|依存|ライブラリ|ドキュメント|関数|クラス|テスト|マイグレーション"
        "|スクリプト|パッケージ|コード|의존성|라이브러리|문서|함수|클래스|테스트|마이그레이션|스크립트|패키지|코드|린트"
    ),
    shared=True,
)

_EVERYDAY: Final = frozenset(
    "go requests print log ant rest spring solid less compose turbo nest fish fetch celery trio composer nose moment"
    " hatch parcel console bun flask express koa pino slog".split()
)
"""Names of tools that are everyday words, or words of what is built, too."""

NAMED_TOOLS: Final = TOOLS - _EVERYDAY


@cache
def _path() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w:/])(?:[\w.-]+/)+[\w.*-]*|(?<![\w/])[\w-]*\.(?:env|md|toml|ya?ml|json|lock|cfg|ini|txt|py|ts|rs|go)\b"
    )


def names_a_path(folded: str) -> bool:
    """Does a folded sentence name a file or a directory?"""
    return bool(_path().search(folded))


# --- a definite word --------------------------------------------------------------------------------------------

_STANDING: Final = (
    r"(?:linters?|formatters?|tests?|suite|ci|pipeline|changelog|docs|documentation|wiki|readme|vpn|database|db|branch"
    r"|folder|directory|makefile|make\w*|hooks?|lock ?file|style guide|guide|team|repo|repository|project|codebase"
    r"|monorepo|main|master|root|standard library|stdlib|package manager|terminal|command line|generated \w+|vendor \w+"
    r"|code|migrations|api docs|issue tracker|commit messages?|compiler|type checker|debugger|default \w+|wrapper"
    r"|maintainers?|reviewers?|weekend|first line|subject line|imperative|user)"
)
_AT_HAND: Final = r"(?:failing|broken|other|old|new|last|first|second|current|same|next|existing|previous)"


@cache
def _definite() -> re.Pattern[str]:
    return re.compile(
        rf"\bthe (?:{_AT_HAND} (?!line\b)|(?!(?:[\w-]+ ){{0,2}}{_STANDING}\b))|\b(?:this|that|these|those) (?!(?:repo"
        r"|repository|project|codebase|machine|team|monorepo|box|laptop|package|are|is|need|have|work)\b)\w"
        r"|\b(?:it|them|this|that|one|yours?)(?=$|[.,;!])|\byour \w"
    )


def means_the_thing_at_hand(folded: str) -> bool:
    """Does an English sentence point at something of the moment ("the failing test"), not at what every project has?"""
    return bool(_definite().search(folded))
