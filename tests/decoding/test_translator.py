"""Lines in, lines out: order, blank lines, batches, and the scores that are told."""

import dataclasses
import pathlib
import random
from collections.abc import Iterator

import pytest
import tensorflow as tf

from nmt.data.codec_builder import build_codec
from nmt.data.pipeline import source_batch, target_batch
from nmt.decoding.length_penalty import length_penalty
from nmt.decoding.search_options import SearchOptions
from nmt.decoding.translation import BLANK, Translation
from nmt.decoding.translation_options import TranslationOptions
from nmt.decoding.translator import Translator
from nmt.errors import UserError
from nmt.models.run_folder import LoadedModel
from tests import tiny_models
from tests.tolerance import assert_close

GREEDY = TranslationOptions(beam_size=1)
ONE_BY_ONE = TranslationOptions(beam_size=1, batch_size=1)


@pytest.fixture(scope="module")
def loaded() -> LoadedModel:
    return tiny_models.random_model()


@pytest.fixture(scope="module")
def translator(loaded: LoadedModel) -> Translator:
    return Translator(loaded)


def random_lines(count: int, longest: int) -> list[str]:
    draw = random.Random(count)
    return [
        " ".join(draw.choices(tiny_models.WORDS, k=draw.randint(1, longest)))
        for _ in range(count)
    ]


def assert_same(first: list[Translation], second: list[Translation]) -> None:
    for one, other in zip(first, second, strict=True):
        assert [each.tokens for each in one.n_best] == [
            each.tokens for each in other.n_best
        ]
        assert_close(
            [each.log_prob for each in one.n_best],
            [each.log_prob for each in other.n_best],
            "float32",
        )


def test_order_is_kept_and_blank_lines_stay_blank() -> None:
    copied = Translator(tiny_models.copy_model())
    lines = random_lines(300, longest=12)
    blanks = ["", "  ", "\t", "\u00a0", "\u2028 \x1c"]
    for place in range(0, 300, 4):
        lines[place] = blanks[place % 5]
    # The first, middle and last lines of chunks of 64 * 2 lines are among the blank.
    made = list(copied.translate(lines, TranslationOptions(beam_size=2, batch_size=2)))
    assert [each.text for each in made] == [
        line if line.strip() else "" for line in lines
    ]
    assert [each is BLANK for each in made] == [not line.strip() for line in lines]


def test_subwords_are_joined(tmp_path: pathlib.Path) -> None:
    text = tmp_path / "text"
    lines = ["a dog, two dogs.", "the cat \U0001f600", "dogs and cats"]
    text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    codec = build_codec(
        "source", [str(text)], "sentencepiece", 60, 1, "", tmp_path, lambda *_: None
    )
    loaded = dataclasses.replace(
        tiny_models.copy_model(),
        model=tiny_models.CopyModel(codec.vocabulary_size),
        source_codec=codec,
        target_codec=codec,
    )
    made = list(Translator(loaded).translate([*lines, "\u3000"], GREEDY))
    assert [each.text for each in made] == [*lines, ""]
    assert max(len(each.tokens) for each in made) > 4


def test_very_long_line_is_translated_like_any_other() -> None:
    copied = Translator(tiny_models.copy_model())
    lines = ["w1 w2", " ".join(random_lines(1, 1) * 600), "w3"]
    made = copied.translate(lines, GREEDY)
    assert [each.text for each in made] == lines


@pytest.mark.parametrize("beam_size", [1, 4])
def test_neighbours_change_nothing(translator: Translator, beam_size: int) -> None:
    lines = random_lines(40, longest=7)

    def of_size(batch_size: int) -> TranslationOptions:
        return TranslationOptions(beam_size, n_best=beam_size, batch_size=batch_size)

    alone = list(translator.translate(lines, of_size(1)))
    # Long enough to differ, and of both kinds where the beam finds an end.
    assert sum(len(each.tokens) for each in alone) > 40 * 3
    assert beam_size == 1 or 0 < sum(each.finished for each in alone) < 40
    for batch_size in (7, 40):
        batched = translator.translate(lines, of_size(batch_size))
        assert_same(list(batched), alone)
    order = random.Random(1).sample(range(40), 40)
    shuffled = translator.translate([lines[i] for i in order], of_size(7))
    assert_same(list(shuffled), [alone[i] for i in order])


def test_log_prob_is_that_of_forced_decoding(
    loaded: LoadedModel, translator: Translator
) -> None:
    lines = random_lines(5, longest=6)
    unfinished = 0
    for line, translation in zip(
        lines, translator.translate(lines, TranslationOptions(6, n_best=6)), strict=True
    ):
        source = source_batch(loaded.source_codec.encode(tf.constant([line])), True)
        ids = [
            [
                loaded.target_codec.vocabulary.tokens.index(token)
                for token in each.tokens
            ]
            for each in translation.n_best
        ]
        target = target_batch(
            tf.ragged.constant(ids, tf.int32, row_splits_dtype="int64")
        )
        logits = loaded.model((tf.repeat(source, len(ids), axis=0), target))
        log_probs = tf.nn.log_softmax(logits)
        forced = tf.gather(log_probs, target, batch_dims=2).numpy()
        for row, each in zip(forced, translation.n_best, strict=True):
            expected = sum(row[: len(each.tokens) + each.finished])
            assert_close(each.log_prob, expected, "float32")
            unfinished += not each.finished
        assert len({each.tokens for each in translation.n_best}) == len(ids)
    assert unfinished > 0


def test_lists_are_sorted_and_have_no_special_tokens(translator: Translator) -> None:
    for translation in translator.translate(
        random_lines(20, 5), TranslationOptions(6, n_best=6)
    ):
        said = {token for each in translation.n_best for token in each.tokens}
        assert said.isdisjoint({"<pad>", "<s>", "</s>"})
        order = [(not each.finished, -each.log_prob) for each in translation.n_best]
        assert order == sorted(order)
        assert translation.text == translation.n_best[0].text
        assert translation.text == " ".join(translation.tokens)


def test_length_penalty_sorts_lists_by_score(translator: Translator) -> None:
    def penalised(alpha: float) -> TranslationOptions:
        return TranslationOptions(n_best=4, search=SearchOptions(length_penalty=alpha))

    lines = random_lines(20, 5)
    lists = {
        alpha: [each.n_best for each in translator.translate(lines, penalised(alpha))]
        for alpha in (0.0, 2.0)
    }
    for alpha, found in lists.items():
        for n_best in found:
            ranked = [each for each in n_best if each.finished]
            scores = [each.score for each in ranked]
            assert scores == sorted(scores, reverse=True)
            for each in ranked:
                length = len(each.tokens) + 1
                expected = each.log_prob / length_penalty(length, alpha)
                assert each.score == pytest.approx(expected)
    # The same hypotheses, in another order.
    assert lists[0.0] != lists[2.0]
    for plain, penalised in zip(*lists.values(), strict=True):
        assert {each.tokens for each in plain} == {each.tokens for each in penalised}


def test_limit_counts_the_tokens_of_the_line() -> None:
    limited = tiny_models.with_decoding(
        tiny_models.copy_model(), max_length_factor=0.5, max_length_offset=1
    )
    lines = ["w1 w2 w3 w4", "w5"]
    made = list(Translator(limited).translate(lines, GREEDY))
    assert [each.text for each in made] == ["w1 w2 w3", "w5"]
    assert [each.finished for each in made] == [False, False]


def test_n_best_above_the_beam_is_refused_at_once(translator: Translator) -> None:
    with pytest.raises(UserError, match="n_best 3 is more than the 2"):
        translator.translate(["w1"], TranslationOptions(2, n_best=3))


def test_batches_of_one_answer_before_the_next_line_is_read() -> None:
    read = []

    def lines() -> Iterator[str]:
        for number in range(3):
            read.append(number)
            yield f"w{number}"

    copied = Translator(tiny_models.copy_model())
    for number, made in enumerate(copied.translate(lines(), ONE_BY_ONE)):
        assert made.text == f"w{number}"
        assert read == list(range(number + 1))


def test_progress_reaches_every_line() -> None:
    done: list[int] = []
    lines = ["w1", "", "w2 w3", "w4"]
    copied = Translator(tiny_models.copy_model())
    list(copied.translate(lines, TranslationOptions(batch_size=2), done.append))
    assert done == sorted(done)
    assert done[-1] == 4


def test_all_shapes_share_a_graph() -> None:
    loaded = tiny_models.copy_model()
    copied = Translator(loaded)
    for count, longest in ((1, 1), (3, 4), (9, 7)):
        list(copied.translate(random_lines(count, longest), TranslationOptions(2)))
    assert loaded.model.traces == 1


def test_weights_that_change_are_used(loaded: LoadedModel) -> None:
    changed = tiny_models.random_model()
    translator = Translator(changed)
    before = next(translator.translate(["w1 w2"], GREEDY))
    changed.model.set_weights([-weight for weight in changed.model.get_weights()])
    after = next(translator.translate(["w1 w2"], GREEDY))
    assert before.log_prob != after.log_prob


def test_diverged_model_is_named(loaded: LoadedModel) -> None:
    broken = tiny_models.random_model()
    broken.model.set_weights([w * float("nan") for w in broken.model.get_weights()])
    with pytest.raises(UserError, match="diverged"):
        list(Translator(broken).translate(["w1"]))
