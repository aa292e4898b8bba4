"""Names in a sentence: tools that are the same everywhere, two names in contrast, a tool of ours."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_NAME: Final = r"(?<![a-z0-9@$#./_+*-])[\"']?([a-z0-9@$#./_+*-]{1,40})[\"']?"
_CONTRASTS: Final = (
    (
        rf"\b(?:use|using|prefer|with|via|write|run) {_NAME}(?: [a-z]+){{1,5}}(?:,[^,]{{1,40}})?,? (?:and "
        rf"|but )?not {_NAME}(?=$|[ ,.;:!)])"
    ),
    (
        rf"{_NAME},? (?:and |but )?(?:not|instead of|rather than|over|statt|anstatt|anstelle von|en lugar de"
        rf"|en vez de|au lieu d[e']|plutôt que|invece (?:di|che)|ao invés de|em vez de|вместо|а не|thay vì"
        rf"|chứ không phải|no|pas|non|nicht|não|не) (?:in |under |with )?{_NAME}(?=$|[ ,.;:!)])"
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
    (
        rf"\b(?:instead of|rather than|statt|anstatt|anstelle von|en vez de|en lugar de|au lieu d[e']|plutôt que"
        rf"|invece (?:di|che)|em vez de|ao invés de|вместо|zamiast|thay vì) {_NAME}:?,? (?:please )?(?:use|nimm|nutze"
        rf"|usa|utilise|prends|используй|użyj|dùng) {_NAME}(?=$|[ ,.;:!)])"
    ),
    rf"{_NAME} (?:नहीं,?|nahi,?|وليس) {_NAME}",
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
    return re.compile(
        r"(?:please )?(?:always |just |never |do ?n'?t |do not |stop )?(?:use|using) "
        r"'?([a-z0-9_+-]{2,20})'?(?=$|[ ,.;:!)])"
    )


def tool_of_ours(text: str) -> str:
    """Return the name in "we (don't) use NAME" or "(don't) use TOOL" of a folded sentence; empty without one."""
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
