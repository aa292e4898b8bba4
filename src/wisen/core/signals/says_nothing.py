"""Does a sentence say yes, no or "wait" and nothing else? That holds for the moment, however firmly it is said."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.core.signals.phrases import words_of

_ANSWERS: Final = frozenset(
    # who said it, to whom, how often
    "i we you me said say says told already again just really please pls now then again once more that's thats it's its"
    # yes, no, wait
    " no nope nah not yes yep yeah ok okay sure fine right stop stopp wait hold on cancel abort halt quit pause"
    " yet don't dont do did didn't it that this so wrong hmm hm uh um hey a the moment minute second sec later"
    " nein nicht noch jetzt doch lass das ich sagte habe gesagt warte mal bitte hör auf später ja gut"
    " para espera no ahora todavía dije que he dicho te lo ya alto así sí luego"
    " non arrête attends pas maintenant j'ai dit que oui ça encore stp plus tard"
    " não pare espere agora ainda eu disse que falei sim isso espera depois"
    " нет не стоп подожди стой сейчас я сказал сказала же ещё пока да так потом хватит"
    " nie stój czekaj poczekaj teraz jeszcze powiedziałem powiedziałam że tak dość później przestań"
    " không dừng khoan chờ đợi đã lại bây giờ chưa tôi mình nói rồi là thôi đừng"
    " fermo ferma aspetta adesso ancora ho detto di sì basta così dopo"
    " 不 不要 不行 停 等等 等一下 别 我说不 我说了不 先不要 不用 还不行 稍等 住手"
    " だめ ダメ やめて 待って ちょっと待って 違う いいえ まだ ストップ"
    " 아니 아니요 안돼 안 돼 그만 잠깐 잠깐만 기다려 멈춰 아직 하지 마 하지마".split()
)


@cache
def _letters() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]")


def says_nothing(folded: str) -> bool:
    """Is every word of a folded sentence one that only answers ("I said no", "not now", "stop, wait")?"""
    return bool(_letters().search(folded)) and _ANSWERS.issuperset(words_of(folded))
