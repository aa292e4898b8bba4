"""Does the user only object to what the agent did ("Stop, that is wrong"), with nothing that is good to know later?

Such words are noticed, so that it is on record that the session went wrong there; nothing is learned from them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.core.signals.speech import Sentence
from wisen.core.signals.wording import folded

LONGEST: Final = 80
"""Characters of a sentence that does nothing but object."""


def is_objection(part: Sentence) -> bool:
    """Whether a sentence of the user's says that something is wrong, or names one thing in place of another."""
    text = folded(part.text).strip(" .!…。！")
    return not part.dropped and not part.is_question and len(text) <= LONGEST and bool(_objecting().match(text))


@cache
def _objecting() -> re.Pattern[str]:
    # One thing for another has names of one or two words: a longer one is a story.
    name = r"[\w./@-]+(?: [\w./@-]+)?"
    return re.compile(
        r"(?:(?:no|nope|stop|wait|hey|hold on)\b[ ,.!]+)*(?:"
        r"(?:that|this|it)(?:'s| is| was) (?:all |just |still |completely )?(?:wrong|incorrect|not right|not correct"
        r"|not what i (?:asked|meant|said|wanted)(?: for)?)"
        rf"|not {name},? but {name}"
        rf"|(?:(?:it|that|this) )?should(?:'ve| have)? be(?:en)? {name}"
        r")$"
        r"|(?:(?:nein|halt|stopp)\b[ ,.!]+)*(?:das (?:ist|war) (?:falsch|nicht richtig)"
        rf"|nicht {name},? sondern {name})$"
        r"|(?:(?:non|stop|attends)\b[ ,.!]+)*(?:c'(?:est|était) (?:faux|pas (?:bon|ça|juste))"
        rf"|pas {name},? mais {name})$"
        r"|(?:(?:no|para|espera)\b[ ,.!]+)*(?:(?:eso|esto) (?:está mal|no es correcto)"
        rf"|no {name},? sino {name})$"
        r"|(?:不对|不對|错了|錯了|这不对|這不對|不是.{1,20}[，,]? ?(?:而是|是).{1,20}"
        r"|違う|違います|ちがう|틀렸어(?:요)?)$"
    )
