from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.evals.replays import a_replay, folders

from wisen.evals.pictures import Series, bars, lines, running
from wisen.evals.replaying import replay
from wisen.evals.report_page import page

VOID = {"meta", "polyline", "rect", "line"}


class Balance(HTMLParser):
    """Counts open tags and notes whatever would be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [name for name, _ in attrs if name in {"src", "href", "srcset"}]
        if tag in {"script", "link", "img", "iframe"}:
            self.fetched.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def parsed(text: str) -> Balance:
    parser = Balance()
    parser.feed(text)
    parser.close()
    return parser


def test_the_page_stands_alone_and_shows_no_words_of_anybody(tmp_path: Path) -> None:
    text = page(a_replay(tmp_path))
    found = parsed(text)
    assert found.open == []
    assert found.fetched == []
    assert "pnpm" not in text
    assert "url(" not in text
    assert text.count("<svg") == 5


def test_the_page_has_a_row_for_each_session_and_the_figures(tmp_path: Path) -> None:
    text = page(a_replay(tmp_path))
    assert "wisen on 3 sessions of acme/widgets" in text
    assert all(f"{number} · s{number}" in text for number in (1, 2, 3))
    assert "100% (21%–100%)" in text


def test_without_labels_nothing_is_said_of_facts_and_moments(tmp_path: Path) -> None:
    folder, _ = folders(tmp_path)
    text = page(replay(folder))
    assert "Facts of the guide" not in text
    assert "earlier lesson" not in text


def heights(svg: str) -> list[float]:
    return [float(one) for one in re.findall(r'<rect [^>]*height="([\d.]+)"', svg)]


def test_bars_are_stacked_in_proportion() -> None:
    svg = bars("Size", [Series(name="a", values=[10, 0]), Series(name="b", values=[20, 5])])
    first, second, third = heights(svg)
    assert second == pytest.approx(2 * first, abs=0.2)
    assert third == pytest.approx(first / 2, abs=0.2)
    tops = [float(one) for one in re.findall(r'<rect [^>]*y="([\d.]+)"', svg)]
    assert tops[0] == pytest.approx(tops[1] + second, abs=0.2)


def test_a_line_goes_up_with_its_values() -> None:
    (points,) = re.findall(r'points="([^"]+)"', lines("Count", [running("a", [1, 2, 0, 4])]))
    ys = [float(point.split(",")[1]) for point in points.split()]
    xs = [float(point.split(",")[0]) for point in points.split()]
    assert ys == sorted(ys, reverse=True)
    assert xs == sorted(xs)
    assert ys[1] == ys[2]


@pytest.mark.parametrize("values", [[], [0], [0, 0], [1], [0.5], [3, 1_000_000], [7] * 300])
def test_any_numbers_make_a_picture_that_fits(values: list[float]) -> None:
    for svg in (lines("t", [Series(name="n", values=values)]), bars("t", [Series(name="n", values=values)])):
        assert parsed(svg).open == []
        numbers = [float(one) for one in re.findall(r' (?:x|y|x1|y1|x2|y2)="(-?[\d.]+)"', svg)]
        assert all(0 <= one <= 720 for one in numbers)


def test_names_are_told_apart_and_escaped() -> None:
    svg = lines("a <b> & c", [Series(name="<one>", values=[1]), Series(name="two", values=[2])])
    assert "<one>" not in svg
    assert "a &lt;b&gt; &amp; c" in svg
    assert len(set(re.findall(r"background:(#\w+)", svg))) == 2
