"""How do numbers over sessions look as a picture? Lines or stacked bars as inline SVG: no script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import Final

_WIDTH: Final = 720
_HEIGHT: Final = 240
_LEFT: Final = 56
_RIGHT: Final = 12
_TOP: Final = 12
_BOTTOM: Final = 36
_STEPS: Final = (1, 2, 2.5, 5, 10)  # between two marks on an axis: round numbers in every decade
_MARKS: Final = 5

# Colours that people with any kind of colour vision tell apart: Okabe and Ito, Color universal design (2008).
COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
_DASHES: Final = ("none", "7 4", "2 4")  # lines that lie on one another stay visible


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One number for each session, in order."""

    name: str
    values: Sequence[float]


def running(name: str, values: Sequence[float]) -> Series:
    """Return the series of the sums so far."""
    return Series(name=name, values=tuple(accumulate(values)))


def lines(title: str, series: Sequence[Series]) -> str:
    """Return a picture with one line for each series."""
    highest = max((value for one in series for value in one.values), default=0.0)
    scale = _Scale(count=max((len(one.values) for one in series), default=0), highest=highest)
    drawn = [_line(one.values, scale, at) for at, one in enumerate(series)]
    return _picture(title, series, scale, drawn)


def bars(title: str, series: Sequence[Series]) -> str:
    """Return a picture with one bar for each session, the series stacked in it."""
    count = max((len(one.values) for one in series), default=0)
    sums = [sum(_at(one.values, at) for one in series) for at in range(count)]
    scale = _Scale(count=count, highest=max(sums, default=0.0))
    drawn: list[str] = []
    for at in range(count):
        below = 0.0
        for number, one in enumerate(series):
            value = _at(one.values, at)
            if value > 0:
                drawn.append(_bar(at, below, below + value, scale, COLOURS[number % len(COLOURS)]))
            below += value
    return _picture(title, series, scale, drawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    """Where a session and a value stand in the picture, in pixels."""

    count: int
    highest: float

    @property
    def step(self) -> float:
        rough = max(self.highest, 1.0) / _MARKS
        decade = 1.0
        while decade * _STEPS[-1] < rough:
            decade *= 10
        return next(decade * step for step in _STEPS if decade * step >= rough)

    @property
    def top(self) -> float:
        marks = 1
        while marks * self.step < self.highest:
            marks += 1
        return marks * self.step

    @property
    def slot(self) -> float:
        return (_WIDTH - _LEFT - _RIGHT) / max(self.count, 1)

    def x(self, at: float) -> float:
        return _LEFT + (at + 0.5) * self.slot

    def y(self, value: float) -> float:
        return _HEIGHT - _BOTTOM - value / self.top * (_HEIGHT - _TOP - _BOTTOM)


def _line(values: Sequence[float], scale: _Scale, number: int) -> str:
    points = " ".join(f"{scale.x(at):.1f},{scale.y(value):.1f}" for at, value in enumerate(values))
    colour, dashes = COLOURS[number % len(COLOURS)], _DASHES[number % len(_DASHES)]
    return f'<polyline fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}" points="{points}"/>'


def _bar(at: int, low: float, high: float, scale: _Scale, colour: str) -> str:
    width = max(scale.slot * 0.8, 1.0)
    top, bottom = scale.y(high), scale.y(low)
    return (
        f'<rect x="{scale.x(at) - width / 2:.1f}" y="{top:.1f}" width="{width:.1f}" height="{bottom - top:.1f}"'
        f' fill="{colour}"/>'
    )


def _picture(title: str, series: Sequence[Series], scale: _Scale, drawn: Sequence[str]) -> str:
    summary = "; ".join(f"{one.name}: {_number(one.values[-1])} at the end" for one in series if one.values)
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(f"{title}. {summary}", quote=True)}">',
        *_axes(scale),
        *drawn,
        "</svg>",
    ]
    legend = "".join(
        f'<span><i style="background:{COLOURS[at % len(COLOURS)]}"></i>{escape(one.name)}</span>'
        for at, one in enumerate(series)
    )
    caption = f"<figcaption><b>{escape(title)}</b> {legend}</figcaption>"
    return f"<figure>{caption}{''.join(parts)}</figure>"


def _axes(scale: _Scale) -> list[str]:
    bottom = _HEIGHT - _BOTTOM
    drawn: list[str] = []
    value = 0.0
    while value <= scale.top:
        y = scale.y(value)
        drawn.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        drawn.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_number(value)}</text>')
        value += scale.step
    stride = max(round(_Scale(count=1, highest=scale.count).step), 1)
    drawn.extend(
        f'<text x="{scale.x(at):.1f}" y="{bottom + 16}" text-anchor="middle">{at + 1}</text>'
        for at in range(0, scale.count, stride)
    )
    drawn.append(f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 4}" text-anchor="end">session</text>')
    return drawn


def _at(values: Sequence[float], at: int) -> float:
    return values[at] if at < len(values) else 0.0


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"
