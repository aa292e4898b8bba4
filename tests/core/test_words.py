from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wisen.core.words import Phrase, chunks, folded, index_words, phrases_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Use pnpm, not npm.", "use pnpm not npm"),
        ("see CLAUDE.md and src/main.py", "see claude md and src main py"),
        ("handleError() handle_error", "handle error handleerror handle error handleerror"),
        ("src/handleError.ts", "src handle error ts handleerror"),
        ("HandleError, GitHub, parseHTTPBody", "handleerror github parse http body parsehttpbody"),
        ("multi-agent C++ c# 20.04", "multi agent multiagent cplusplus csharp 20 04"),
        ("foo::bar http://a.example/b -x --flag word--word", "foo bar http a example b x flag word word"),
        ("Résumé re\u0301sume\u0301 ＡＢＣ Straße Łódź ısı", "resume resume abc strasse lodz isi"),
        ("中文优先", "中文 文优 优先 先"),
        ("今日は成語", "今日 日は は成 成語 語"),
        ("用pnpm还是npm呢", "用 pnpm 还是 是 npm 呢"),
        ("pnpmで入れる", "pnpm で入 入れ れる る"),
        ("ｺﾐｯﾄ か\u3099", "コミ ミッ ット ト が"),
        ("끝말잇기 게임을", "끝말 말잇 잇기 기 게임 임을 을"),
        ("ใช้ npm", "ใช ช้ \u0e49 npm"),
        ("हिन्दी में", "हिन्दी में"),
        ("a\0b 🙂 \ud800 ((", "a b"),
        ("", ""),
    ],
)
def test_the_words_of_a_text(text: str, words: str) -> None:
    assert index_words(text) == tuple(words.split(" ") if words else ())


@pytest.mark.parametrize(
    ("term", "phrases"),
    [
        ("pnpm", [Phrase(("pnpm",))]),
        ("handle_error", [Phrase(("handle", "error")), Phrase(("handleerror",))]),
        ("HandleError", [Phrase(("handle", "error")), Phrase(("handleerror",))]),
        ("src/main.py", [Phrase(("src", "main", "py"))]),
        ("unit test", [Phrase(("unit", "test"))]),
        ("成语接龙", [Phrase(("成语", "语接", "接龙"))]),
        ("中", [Phrase(("中",), is_prefix=True)]),
        ("--", []),
    ],
)
def test_a_term_is_found_by_phrases(term: str, phrases: list[Phrase]) -> None:
    assert list(phrases_of(term)) == phrases


@given(st.text())
@example("ǅ")
@example("ŉa ﷺ")
def test_words_are_letters_and_digits_only_whatever_the_text(text: str) -> None:
    for word in index_words(text):
        assert word
        assert all(char.isalnum() or not char.isascii() for char in word)
        assert word == word.strip()
        assert not any(char.isascii() and char.isupper() for char in word)


def stands_in(phrase: Phrase, words: tuple[str, ...]) -> bool:
    if phrase.is_prefix:
        return any(word.startswith(phrase.words[0]) for word in words)
    return any(words[at : at + len(phrase.words)] == phrase.words for at in range(len(words)))


@given(st.text())
def test_a_chunk_is_found_where_it_stands(text: str) -> None:
    words = index_words(text)
    for chunk in chunks(text):
        assert any(stands_in(phrase, words) for phrase in chunk.phrases)


@given(st.text())
def test_the_two_unicode_forms_of_a_text_have_the_same_words(text: str) -> None:
    import unicodedata

    composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert index_words(composed) == index_words(apart)


@given(st.text())
def test_folding_twice_equals_folding_once(text: str) -> None:
    assert folded(folded(text)) == folded(text)
