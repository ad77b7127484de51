"""Statistics of lines, of which groups make their scores."""

import dataclasses
import itertools

import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from nmt.config import EvaluationConfig
from nmt.evaluation.bleu import bleu_measure, corpus_bleu
from nmt.evaluation.error_rate import word_error_rate_measure

CONFIG = EvaluationConfig(bleu_tokenizer="none")
texts = st.lists(st.text("ab ", max_size=12), min_size=1, max_size=6)


@given(texts, st.data())
def test_any_group_scores_as_its_lines_alone(
    hypotheses: list[str], data: st.DataObject
) -> None:
    n = len(hypotheses)
    references = data.draw(
        st.lists(st.text("ab ", max_size=12), min_size=n, max_size=n)
    )
    chosen = data.draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(any))
    counted = bleu_measure(CONFIG).count(hypotheses, [(line,) for line in references])
    alone = corpus_bleu(
        list(itertools.compress(hypotheses, chosen)),
        [(line,) for line in itertools.compress(references, chosen)],
        CONFIG,
    )
    assert counted.score(chosen) == alone
    expected = sacrebleu.corpus_bleu(hypotheses, [references], tokenize="none")
    assert counted.score().value == expected.score


def test_progress_tells_of_every_line_once() -> None:
    for lines in (1, 50, 51, 120):
        told: list[int] = []
        bleu_measure(CONFIG).count(["a"] * lines, [("a",)] * lines, told.append)
        assert sum(told) == lines
        assert all(more > 0 for more in told)


def test_lines_of_an_item_are_scored_once() -> None:
    counted = word_error_rate_measure(CONFIG).count(["a", "b"], [("x",), ("b",)])
    counted = dataclasses.replace(counted, items=[0, 1, 0])
    assert counted.score([True, False, True]).value == 100.0
    assert counted.score([False, True, False]).value == 0.0
    assert counted.score().details == "1 of 2 lines"
