"""The wording of one sentence: folded for matching, cleaned for keeping, personal or not, a contrast of two names."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final


def folded(text: str) -> str:
    """Return the text as cues are matched against it: NFKC, lower case, plain quotes, single spaces."""
    plain = unicodedata.normalize("NFKC", text).lower().translate(_QUOTES)
    return " ".join(plain.split())


_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"'})


@cache
def _lead_in() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?:no|nope|nein|nee|non|não|нет|不|不是|不对|いや|いいえ|違う|아니|아니요|không|yes|yeah|ok|okay"
        r"|so|but|and|also|well|hey|hmm+|btw|fyi|ah|oh"
        r"|actually|eigentlich|en realidad|en fait|in realtà|na verdade|вообще-то|实际上|其实"
        r"|(?:please )?note(?: that)?|just a note|reminder|again|as i said|like i said"
        r"|(?:and )?(?:as )?i(?:'ve| have)? (?:already )?(?:told|said|asked)(?: you)?(?: this)?(?: before"
        r"| already| many times)?"
        r"|please|bitte|por favor|s'il te plaît)"
        r"\s*[,:;.!、，。：–—-]+\s*|(?:please|actually|also|but|and|so|ok|well|btw)\s+)+",
        re.IGNORECASE,
    )


def without_lead_in(text: str) -> str:
    """Return the sentence without "no, ", "actually ", "I told you before: " and their like."""
    found = _lead_in().match(text)
    return text[found.end() :] if found else text


@cache
def _tail() -> re.Pattern[str]:
    return re.compile(
        (
            r"[\s,;–—-]+(?:please|pls|thanks|thank you|thx|ok|okay|bitte|danke|por favor|gracias|s'il te plaît"
            r"|merci|per favore|grazie|obrigad[oa]|пожалуйста|спасибо)[\s.!]*$"
        ),
        re.IGNORECASE,
    )


_PAIRS: Final = {'"': '"', "'": "'", "“": "”", "«": "»", "「": "」", "`": "`"}


def cleaned(text: str) -> str:
    """Return a rule as it is kept: the user's wording without courtesies, enclosing quotes and emphasis marks."""
    rule = " ".join(_tail().sub("", text.strip()).split())
    while len(rule) > 1 and _PAIRS.get(rule[0]) == rule[-1] and rule.count(rule[0]) + rule.count(rule[-1]) in (2, 4):
        rule = rule[1:-1].strip()
    return rule.strip("*_ ") if rule.startswith(("*", "_")) else rule


@cache
def _personal() -> re.Pattern[str]:
    return re.compile(
        r"\beverywhere\b|\bin (?:all|every|(?:each|any)(?: one)? of my|any of my|all of my)(?: my"
        r"| our)? (?:other )?(?:projects?|repos?|repositor(?:y|ies)|codebases?)\b"
        r"|\b(?:for|across|on) (?:all|every|(?:each|any) of my)(?: of)?(?: my)? (?:projects?|repos?"
        r"|repositor(?:y|ies)|codebases?|machines?)\b"
        r"|\b(?:always )?(?:with|for) me,? always\b|\balways (?:with|for) me\b|\bno matter (?:which"
        r"|what) (?:project|repo)\w*\b"
        r"|\bregardless of (?:the )?(?:project|repo)\w*\b|\büberall\b|\bin (?:all"
        r"|jed)\w+ (?:meinen )?(?:projekt|repo)\w*\b"
        r"|\ben todos (?:mis|los) (?:proyectos|repos\w*)\b|\ben todas partes\b|\bpartout\b|\bdans tous (?:mes"
        r"|les) (?:projets|dépôts|repos)\b"
        r"|\bin tutti i (?:miei )?(?:progetti|repo)\b|\bovunque\b|\bem todos os (?:meus )?(?:projetos"
        r"|repos\w*)\b|\bво всех (?:моих )?(?:проектах|репозиториях)\b|\bвезде\b"
        r"|\b(?:trong|cho) (?:mọi|tất cả)(?: các)? (?:dự án|repo)\b|所有(?:的)?(?:项目|仓库|專案)|(?:すべて"
        r"|全て|全部)のプロジェクト|どのプロジェクトでも|모든 (?:프로젝트|저장소|레포)"
    )


def is_personal(text: str) -> bool:
    """Do the words themselves say that it holds everywhere this person works?"""
    return bool(_personal().search(folded(text)))


@cache
def _dangling() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?:do|use|run|keep|fix|try|avoid|like|about|for|to|all|of) )*(?:it|this|that|these|those|them"
        r"|everything|me|so|das|dies|es|eso|esto|ça|cela|ciò|это|那个|这个|それ|これ|그것|이것)(?: (?:please"
        r"|ok|now|for me))?"
    )


def is_dangling(text: str) -> bool:
    """Is it nothing but a pointer to something said elsewhere?"""
    return bool(_dangling().fullmatch(folded(text).rstrip(".!?")))


@cache
def _of_the_task() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:it|this|that|these|those|them|the (?:above|new|changes?|current|last|next|same)|your|now|today"
        r"|later|next step|first|then)\b"
        r"|\b(?:when|once|after|before) (?:you'?re|you are|that'?s|that|this|it)\b"
    )


def is_tied_to_the_task(text: str) -> bool:
    """Does a reminder point at the work of the moment ("run it after this step")?"""
    return bool(_of_the_task().search(folded(text)))


@cache
def _standing() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:always|never|every|each|whenever|before|after|when|from now on|in (?:the )?future|any time|not)\b"
    )


def is_standing(text: str) -> bool:
    """Does a reminder say when it applies, again and again?"""
    return bool(_standing().search(folded(text)))


# --- two names in contrast --------------------------------------------------------------------------------------

_NAME: Final = r"(?<![a-z0-9@$#./_+*-])[\"']?([a-z0-9@$#./_+*-]{1,40})[\"']?"
_CONTRASTS: Final = (
    (
        rf"\b(?:use|using|prefer|with|via|write|run) {_NAME}(?: [a-z]+){{1,5}}(?:,[^,]{{1,40}})?,? (?:and "
        rf"|but )?not {_NAME}(?=$|[ ,.;:!)])"
    ),
    (
        rf"{_NAME},? (?:and |but )?(?:not|instead of|rather than|over|statt|anstatt|anstelle von|en lugar de"
        rf"|en vez de|au lieu d[e']|plutôt que|invece (?:di|che)|ao invés de|em vez de|вместо|а не|thay vì"
        rf"|chứ không phải|no|pas|non|nicht|não|не) {_NAME}(?=$|[ ,.;:!)])"
    ),
    (
        rf"(?:not|nicht|no|pas|non|não|не|không phải|kein\w*) {_NAME},? (?:but|sondern|sino|mais|ma|mas|а"
        rf"|mà(?: là)?) {_NAME}(?=$|[ ,.;:!)])"
    ),
    (
        rf"(?:do ?n'?t|never|not|stop|đừng|no|ne|non|não|не) (?:use|using|dùng|uses|usar|usare|utilise"
        rf"|используй) {_NAME}(?: here)?[,.;:]? (?:but |and |just )?(?:use|dùng|usa|usar|usare|utilise"
        rf"|используй) {_NAME}(?=$|[ ,.;:!)])"
    ),
    rf"{_NAME} ?(?:ではなく|じゃなく|じゃなくて|ではなくて|よりも?|の代わりに|말고|대신에?|보다) ?{_NAME}",
    rf"(?:不要用?|别用?|別用?|不用|不是) ?{_NAME} ?[,，、;]? ?(?:要|而|请|改|应该|得)?(?:用|使用|是) ?{_NAME}",
    rf"(?:用|使用) ?{_NAME} ?[,，、;]? ?(?:而)?(?:不是|不要用?|别用?|代替|替代) ?{_NAME}",
)


@cache
def _contrasts() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in _CONTRASTS)


def contrast(text: str) -> tuple[str, str] | None:
    """Return the two names that a folded sentence sets against each other ("pnpm, not npm"), in the order said.

    A name is one that a program could have: it stands in quotes or code marks, has an inner mark, digit or slash, is a
    tool we know, or is written in Latin letters inside a sentence that is not.
    """
    latin = _is_latin(text)
    for pattern in _contrasts():
        for found in pattern.finditer(text):
            if found[1] != found[2] and not (latin and _is_plain_word(found, 1, 2)):
                return found[1].rstrip("."), found[2].rstrip(".")
    return None


def is_about_tools(names: tuple[str, str]) -> bool:
    """Are both names tools we know? Files and symbols in contrast may just be this task's; tools rarely are."""
    return TOOLS.issuperset(names)


def _is_plain_word(found: re.Match[str], *groups: int) -> bool:
    """Is one of the groups neither quoted nor a name?"""
    quoted = {group for group in groups if found.string[found.start(group) - 1 : found.start(group)] in {"'", '"'}}
    return any(group not in quoted and not is_name(found[group].rstrip(".")) for group in groups)


@cache
def _ours() -> re.Pattern[str]:
    who = r"(?:we|i|this (?:repo|project|codebase)|the (?:team|project|repo))"
    how = r"(?:(?:always|never|only|just|do ?n'?t|do not|does ?n'?t|no longer) )*"
    return re.compile(rf"\b{who} {how}(?:use|uses|prefer|prefers) {_NAME}(?=$|[ ,.;:!)])")


@cache
def _told() -> re.Pattern[str]:
    return re.compile(r"(?:please )?(?:always |just )?use '?([a-z0-9_+-]{2,20})'?(?=$|[ ,.;:!)])")


def tool_of_ours(text: str) -> str:
    """Return the name in "we use NAME", "we don't use NAME" or "use TOOL" of a folded sentence; empty without one."""
    told = _told().match(text)
    if told and told[1] in TOOLS:
        return told[1]
    return next((found[1] for found in _ours().finditer(text) if not _is_plain_word(found, 1)), "")


def _is_latin(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return all(char < "ɐ" or "Ḁ" <= char <= "ỿ" for char in letters)


@cache
def _marked() -> re.Pattern[str]:
    return re.compile(r"[a-z0-9][./_@:+#-]+[a-z0-9]|^[./@]|/$|[a-z]\d|\+\+|#$")


def is_name(word: str) -> bool:
    """Could the word be a program's, a package's or a file's name? Lower case is expected."""
    return word in TOOLS or bool(_marked().search(word))


TOOLS: Final = frozenset(
    (
        "npm pnpm yarn bun deno node npx pip pipx uv poetry pipenv conda mamba hatch tox nox pytest unittest "
        "nose ruff flake8 black isort pylint mypy pyright eslint prettier biome tslint jest vitest mocha jasmine "
        "cypress playwright selenium puppeteer webpack vite rollup esbuild parcel turbo nx lerna gulp cmake "
        "bazel gradle maven ant sbt cargo rustup go gofmt gofumpt golangci rbenv bundler rake rspec minitest "
        "composer phpunit docker podman compose kubectl helm terraform pulumi ansible vagrant nix brew apt apk "
        "yum dnf git gh hub glab svn hg jj ssh curl wget httpx requests aiohttp urllib fetch axios superagent "
        "flask django fastapi starlette koa hono nest rails sinatra spring react preact vue svelte angular solid "
        "tailwind bootstrap sass less postgres postgresql mysql mariadb sqlite redis memcached mongo mongodb "
        "kafka rabbitmq nats celery rq sqlalchemy prisma drizzle typeorm knex sequelize pydantic msgspec attrs "
        "dataclasses marshmallow zod yup joi typescript javascript python ruby rust java kotlin swift scala bash "
        "zsh fish sh awk sed grep rg ripgrep fd jq yq print logging structlog loguru log slog zap zerolog logrus "
        "console winston pino moment dayjs luxon date-fns lodash ramda underscore enzyme testify gomock mockery "
        "threading asyncio trio anyio multiprocessing trpc sphinx mkdocs docusaurus storybook tabs spaces "
        "snake_case camelcase kebab-case"
    ).split()
)
"""Names of tools and ways that stand against each other in a sentence and have no mark that gives them away."""
