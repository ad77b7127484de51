"""Metrics by name."""

import pytest

from nmt.config import EvaluationConfig
from nmt.errors import UserError
from nmt.evaluation.bleu import corpus_bleu
from nmt.evaluation.metrics import count_lines, score_alternatives, score_lines

HYPOTHESES = ["AH0", "AH0", "B IY1"]
REFERENCES = ["EY1", "AH0", "B IY0"]
SOURCES = ["a", "a", "b"]


def test_metric_of_the_settings_is_used() -> None:
    config = EvaluationConfig(metric="bleu", bleu_tokenizer="none")
    expected = corpus_bleu(HYPOTHESES, [(line,) for line in REFERENCES], config)
    assert score_lines(HYPOTHESES, REFERENCES, config) == expected
    for metric in ("chrf", "ter", "word_error_rate", "phone_error_rate"):
        config = EvaluationConfig(metric=metric)
        assert score_lines(HYPOTHESES, REFERENCES, config).name == metric


def test_error_rates_count_equal_sources_once() -> None:
    config = EvaluationConfig(metric="word_error_rate")
    each_line = score_lines(HYPOTHESES, REFERENCES, config)
    assert each_line.details == "2 of 3 lines"
    each_source = score_lines(HYPOTHESES, REFERENCES, config, SOURCES)
    assert each_source.details == "1 of 2 lines"


def test_groups_of_lines_hold_what_equal_sources_share() -> None:
    config = EvaluationConfig()
    counted = count_lines(
        "word_error_rate", HYPOTHESES, [(x,) for x in REFERENCES], config, SOURCES
    )
    assert counted.score([True, True, False]).details == "0 of 1 lines"
    assert counted.score([False, False, True]).details == "1 of 1 lines"
    assert counted.score([True, True, True]) == counted.score()


def test_bleu_counts_every_line() -> None:
    config = EvaluationConfig(metric="bleu", bleu_tokenizer="none")
    assert score_lines(HYPOTHESES, REFERENCES, config, SOURCES) == score_lines(
        HYPOTHESES, REFERENCES, config
    )


@pytest.mark.parametrize(
    ("metric", "hypotheses", "references", "sources", "message"),
    [
        ("rouge", ["a"], [("a",)], None, "'rouge': choose from bleu, chrf, "),
        ("bleu", ["a"], [("a",), ("b",)], None, "1 hypotheses, 2 references"),
        ("bleu", ["a"], [("a",)], [], "1 hypotheses, 0 source lines"),
        ("bleu", [], [], None, "no lines"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    metric: str,
    hypotheses: list[str],
    references: list[tuple[str, ...]],
    sources: list[str] | None,
    message: str,
) -> None:
    with pytest.raises(UserError, match=message):
        score_alternatives(metric, hypotheses, references, EvaluationConfig(), sources)
