from __future__ import annotations

import pytest

from wisen.core.signals.personal import is_personal


@pytest.mark.parametrize(
    "text",
    [
        "in all my projects I use two spaces",
        "for every repo: no trailing blanks",
        "everywhere I work, answer in short sentences",
        "for all of my repositories: sign the commits",
        "no matter which project, ask before you push",
        "in allen meinen Projekten: keine Emojis",
        "en todos mis proyectos uso fish",
        "dans tous mes projets, pas d'emojis",
        "во всех моих проектах без эмодзи",
        "所有项目都用英文写提交信息",
    ],
)
def test_a_rule_is_personal_when_it_says_all_my_projects(text: str) -> None:
    assert is_personal(text)


@pytest.mark.parametrize(
    "text",
    [
        "use tabs everywhere",
        "use the billing client everywhere in this repo, never raw fetch",
        "in this project it is spelled with a k everywhere",
        "always use double quotes everywhere in the frontend",
        "we use pnpm everywhere here, not npm",
        "überall in diesem Repo Tabs",
        "partout dans ce dépôt on utilise pnpm",
        "in all projects of this company the ticket id comes first",
        "in all my projects, and here too, pin node",
        "in every file",
        "in this repo",
        "answer in German with me, always",
    ],
)
def test_everywhere_alone_is_not_personal_and_one_place_named_vetoes_it(text: str) -> None:
    assert not is_personal(text)
