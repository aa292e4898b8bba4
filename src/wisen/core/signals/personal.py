"""Do the user's own words say that a rule holds wherever they work? In doubt they don't: it stays in its repository."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.core.signals.cues import has
from wisen.core.signals.cues_around import HERE
from wisen.core.signals.wording import folded

_REPOS: Final = r"(?:projects?|repos?|repositor(?:y|ies)|codebases?)"


@cache
def _everywhere_they_work() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:in|for|across|on|to) (?:all|every|each|any|whichever|whatever)(?: one)?(?: of)?(?: the)?(?: my"
        rf"| single)?(?: other)? {_REPOS}\b|\b(?:in|for|across) (?:all|every one|each"
        rf"|any) of my (?:other )?{_REPOS}\b|\ball my {_REPOS}\b"
        r"|\b(?:on|for) all (?:of )?my machines\b|\b(?:everywhere|wherever|anywhere) (?:that )?i (?:work|go|code"
        r"|write code)\b"
        rf"|\bno matter (?:which|what) {_REPOS}\b|\bregardless of (?:the |which )?{_REPOS}\b"
        r"|\büberall,? wo ich\b|\b(?:in|für) (?:all\w*|jed\w+) (?:meine[nr]? )?(?:projekt|repo)\w*\b"
        r"|\b(?:en|para) todos (?:mis|los) (?:proyectos|repos\w*)\b|\bdondequiera que trabaj"
        r"|\b(?:dans|pour) tous (?:mes|les) (?:projets|dépôts|repos)\b|\bpartout où je\b"
        r"|\b(?:in|per) tutti i (?:miei )?(?:progetti|repo)\b|\bovunque io\b"
        r"|\b(?:em|para) todos os (?:meus )?(?:projetos|repos\w*)\b"
        r"|\b(?:во|для) всех (?:моих )?(?:проект|репозитори)\w+\b|\bвезде,? где я\b"
        r"|\b(?:trong|cho) (?:mọi|tất cả)(?: các)? (?:dự án|repo)\b|(?:我的?)?所有(?:的)?(?:项目|仓库|專案)"
        r"|(?:すべて|全て|全部)のプロジェクト|どのプロジェクトでも|모든 (?:프로젝트|저장소|레포)"
    )


@cache
def _one_place() -> re.Pattern[str]:
    return re.compile(
        r"\bhere\b|\b(?:this|that|our|the) (?:\w+ )?(?:repo(?:sitory)?|project|package|module|service|front-?end"
        r"|back-?end|app|api|company|team|org(?:anisation|anization)?|monorepo|workspace|codebase|code base"
        r"|library|site|client|server|crate|folder|directory|product)\b"
    )


def is_personal(text: str) -> bool:
    """Do the words say "all my projects" or the like, and nothing of one place ("in this repo", "the frontend")?"""
    plain = folded(text)
    said = _everywhere_they_work().search(plain)
    if said is None:
        return False
    # "regardless of the project" names no place
    rest = plain[: said.start()] + " " + plain[said.end() :]
    return not (_one_place().search(rest) or has(HERE, rest))
