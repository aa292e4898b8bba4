"""What supports a rule: a contrast, where and when it holds, the reason. And `FOR`: all families that speak for one."""

from __future__ import annotations

import re
from typing import Final

from wisen.core.signals.cues import Family
from wisen.core.signals.cues_for import (
    ALWAYS_NEVER,
    ANNOYED,
    DO_NOT,
    FROM_NOW_ON,
    HOW_WE_WORK,
    I_PREFER,
    NO,
    OUR_CONVENTION,
    SAID_BEFORE,
    STOP_DOING,
    USE,
    WHAT_WE_DO,
)
from wisen.core.signals.names import TOOLS

_DO_NOT: Final = r"(?:do ?n'?t|do not|never|does ?n'?t|does not|no longer)"
_MISSING: Final = "|".join(
    sorted(
        re.escape(name)
        for name in (*TOOLS, *"network internet gpu browser sudo root access proxy display database".split())
    )
)

CONTRAST: Final = Family(
    "X rather than Y",
    # two names set against each other are found by `wording.contrast`
    (
        rf"^(?:please )?(?:{_DO_NOT}|stop|avoid) [^,;:.–—]{{3,80}}[,;:.–—]+ (?:and )?(?:\w+ ){{1,8}}instead\b",
        r"^no [\w -]{3,40}, (?:always|only|use)\b",
    ),
)

TWO_TOOLS: Final = Family("one tool, not the other", ())  # `wording.contrast` of two tools we know

NOT_THAT: Final = Family(
    "not Y",
    (r", (?:and |but )?not (?:(?:in|a|an|the|with|via|on|from|as) )*[^\s,]+(?: \w+)?[.!]*$",),
)

OUR_TOOL: Final = Family("a tool of ours", ())  # "we use NAME": found by `wording.tool_of_ours`

HERE: Final = Family(
    "here",
    (
        r"\bin (?:this|our) (?:repo(?:sitory)?|project|codebase|code base|monorepo|package|code|org)\b",
        r"\b(?:around|over) here\b|\bhere\b(?=$|[,;:.!–—-]| (?:we|and|because|not|instead)\b)",
        r"\b(?:this|the) (?:repo|repository|project|codebase) \w+s\b",
        r"\bin diesem (?:repo|projekt)\b|\bhier\b",
        r"\ben este (?:repo|repositorio|proyecto)\b|\baquí\b",
        r"\bdans ce (?:repo|dépôt|projet)\b|\bici\b",
        r"\bin questo (?:repo|progetto)\b",
        r"\bneste (?:repo|repositório|projeto)\b|\baqui\b",
        r"\bв этом (?:репозитории|проекте)\b|\bздесь\b",
        r"\btrong (?:repo|dự án) này\b|\bở đây\b",
        r"(?:这个|這個|本)(?:项目|仓库|專案|代码库)|这里|這裡|この(?:リポジトリ|プロジェクト)|ここでは",
        r"이 (?:저장소|프로젝트|레포)|여기(?:서는|선)",
    ),
)

PERSONAL: Final = Family("for all of this person's work", ())  # found by `personal.is_personal`

EVERYWHERE: Final = Family(
    "everywhere", (r"\beverywhere\b|\büberall\b|\bpartout\b|\ben todas partes\b|\bovunque\b|везде",)
)

PAIRED: Final = Family("not this, but that", ())  # two sentences, found by `stated_rule`

RULES_HEADING: Final = Family("in a list of rules", ())  # the line above the list, found by `stated_rule`

RULES_FILE: Final = Family("for the rules file", ())  # "add to CLAUDE.md: ...", found by `stated_rule`

HOW_THINGS_ARE: Final = Family(
    "how things are here",
    (
        (
            r"\b(?:there(?:'s| is| are)|we have|you have) no \w+.{0,30}\b(?:on (?:this|the|my|your) (?:machine"
            r"|box|host|laptop|server)|in (?:this|the|your) (?:sandbox|container|environment|vm))\b"
            rf"|\b(?:there(?:'s| is| are)|we have|you have) no (?:{_MISSING})\b.{{0,30}}\bhere\b"
        ),
        (
            r"\b(?:you|we) (?:do ?n'?t|do not|can(?:no|')?t) (?:have )?(?:access(?: to)?|reach|use|run"
            r"|start) \w+.{0,40}"
            r"\b(?:here|on this|in this|on the host|in the sandbox)\b"
        ),
        (
            r"\b(?:is|are) ?(?:not|n'?t) (?:installed|available) (?:here|on (?:this|my|the) (?:machine|box|host"
            r"|laptop|system|server)|in (?:this|the) (?:sandbox|container|environment|vm))\b"
        ),
        (
            r"\b(?:tests?|specs?|fixtures?|migrations?|docs?|configs?|scripts?|templates?|secrets?|types?"
            r"|snapshots?)\b.{0,30}"
            r"\b(?:live|belong|go|sit|reside)s? (?:in|under|next to|into|at)\b(?! the wrong\b)"
        ),
        (
            r"\b(?:is|are) (?:the|our) (?:single )?source of truth\b|\bis (?:auto-?)?generated\b.{0,20}\b(?:edit"
            r"|change|touch)\b"
        ),
        r"\b(?:is|are) (?:strictly )?off.limits\b",
        r"\bes gibt (?:hier )?kein\w* \w+.{0,30}\b(?:maschine|rechner|hier)\b",
        r"\ben esta máquina no hay\b|\bno hay \w+ en esta máquina\b",
        r"\bil n'y a pas de \w+ sur cette machine\b",
        r"\bsu questa macchina non c'è\b|\bnon c'è \w+ su questa macchina\b",
        r"\bnesta máquina não (?:há|tem)\b|\bnão (?:há|tem) \w+ nesta máquina\b",
        r"\bна этой машине нет\b",
        r"\bmáy này không có\b",
        r"(?:这台|本)机器?(?:上)?没有|(?:このマシン|この環境)には.{0,20}(?:ない|ありません)",
        r"이 (?:머신|컴퓨터)에는.{0,20}없",
    ),
)

WHEN: Final = Family(
    "when it applies",
    (
        (
            r"\b(?:before|after|when(?:ever)?|while) (?:you |we )?(?:commit|push|merg|releas|deploy|open|creat"
            r"|writ|add|chang|edit|"
            r"updat|run|test|mak|touch|review|fix|implement|refactor|renam)(?:s|es|ing|ting|ning|ging)?\b"
        ),
        r"\b(?:before|after|on|in|for|with) (?:each|every|any|all) (?:new )?\w+|^(?:each|every) \w+",
        r"\bwherever (?:we|you|it|possible)\b|\bby default\b|\bwhenever\b|\bevery time\b",
        r"\b(?:vor|bei|nach) (?:jedem|jeder|dem) \w+",
        r"\bantes de (?:cada )?\w+",
        r"\bavant (?:de|chaque) \w+",
        r"\bprima di \w+",
        r"\bперед (?:каждым )?\w+",
        r"\btrước khi\b",
        r"之前|的时候|每次|提交前|する前に|の前に|たびに|ときは",
        r"하기 전에|할 때마다|할 때",
    ),
)

UNLESS: Final = Family(
    "only with my word",
    (
        (
            r"\bunless (?:i|we|you|asked|told|explicitly)\b|\bwithout (?:asking|my|permission|being asked"
            r"|approval)\b|\buntil i (?:say|ask|tell)\b|\bask(?: me)? (?:first|before)\b"
        ),
    ),
)

REASON: Final = Family(
    "the reason",
    (
        (
            r"\b(?:because|since (?:it|we|the)|so that|otherwise|to avoid|to save|that's why|which is why"
            r"|given (?:the|that))\b"
        ),
        r"\b(?:weil|sonst|damit)\b",
        r"\bporque\b|\bpara que no\b",
        r"\bparce que\b|\bsinon\b",
        r"\bperché\b",
        r"\bпотому что\b|\bиначе\b",
        r"\b(?:vì|bởi vì)\b",
        r"因为|因為|否则|ため|から、|ので",
        r"때문에|니까",
    ),
)

THE_OTHER_WAY: Final = Family(
    "the other way",
    (
        r"\binstead\b|\brather\b",
        r"\bstattdessen\b",
        r"\ben su lugar\b",
        r"\bà la place\b",
        r"\binvece\b",
        r"\bem vez disso\b",
        r"\bвместо этого\b",
        r"\bthay vào đó\b",
        r"而是|改用|代わりに",
        r"대신",
    ),
)

FOR: Final = (
    FROM_NOW_ON,
    ALWAYS_NEVER,
    WHAT_WE_DO,
    OUR_CONVENTION,
    STOP_DOING,
    DO_NOT,
    USE,
    I_PREFER,
    SAID_BEFORE,
    NO,
    ANNOYED,
    HOW_WE_WORK,
    TWO_TOOLS,
    CONTRAST,
    NOT_THAT,
    OUR_TOOL,
    HERE,
    PERSONAL,
    EVERYWHERE,
    PAIRED,
    RULES_HEADING,
    RULES_FILE,
    HOW_THINGS_ARE,
    WHEN,
    UNLESS,
    REASON,
    THE_OTHER_WAY,
)
