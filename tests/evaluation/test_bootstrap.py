"""The paired bootstrap is sacrebleu's, of statistics that are counted already."""

import logging
import os
import random

import numpy as np
import pytest
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.ter import TER
from sacrebleu.significance import PairedTest

from nmt.config import EvaluationConfig
from nmt.errors import UserError
from nmt.evaluation.bootstrap import Bootstrap, PairedBootstrap, paired_bootstrap
from nmt.evaluation.metrics import count_lines

CONFIG = EvaluationConfig(bleu_tokenizer="none")
WORDS = ["the", "dog", "cat", "sat", "ran", "here"]


def text(seed: int, wrong: float) -> list[str]:
    """Lines of which a share of the words is not that of seed 0 and no wrong ones."""
    right, other = random.Random(0), random.Random(seed)
    lines = []
    for _ in range(40):
        words = right.choices(WORDS, k=8)
        lines.append(" ".join("x" if other.random() < wrong else w for w in words))
    return lines


REFERENCES = [(line,) for line in text(0, 0.0)]
SYSTEM, BASELINE = text(1, 0.2), text(2, 0.3)


def compare(
    metric: str, system: list[str], baseline: list[str], bootstrap: Bootstrap
) -> PairedBootstrap:
    return paired_bootstrap(
        count_lines(metric, system, REFERENCES, CONFIG),
        count_lines(metric, baseline, REFERENCES, CONFIG),
        bootstrap,
    )


@pytest.mark.parametrize(
    ("name", "metric"),
    [("bleu", BLEU(tokenize="none", force=True)), ("ter", TER(case_sensitive=True))],
)
def test_figures_are_those_of_sacrebleu(
    monkeypatch: pytest.MonkeyPatch, name: str, metric: Metric
) -> None:
    test = compare(name, SYSTEM, BASELINE, Bootstrap(200, 7))
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    systems = [("baseline", BASELINE), ("system", SYSTEM)]
    streams = [[line for (line,) in REFERENCES]]
    signatures, rows = PairedTest(
        systems, {name: metric}, streams, "bs", n_samples=200
    )()
    ((_, (other, own)),) = [row for row in rows.items() if row[0] != "System"]
    assert (test.p_value, test.mean, test.half_width) == (own.p_value, own.mean, own.ci)
    assert (test.baseline_mean, test.baseline_half_width) == (other.mean, other.ci)
    assert [test.signature] == list(map(str, signatures.values()))
    assert "bs:200|seed:7" in test.signature


def test_word_errors_follow_the_formula() -> None:
    system = [line if i % 3 else "x" for i, (line,) in enumerate(REFERENCES)]
    baseline = [line if i % 2 else "x" for i, (line,) in enumerate(REFERENCES)]
    test = compare("word_error_rate", system, baseline, Bootstrap(100, 3))
    drawn = np.random.default_rng(3).choice(40, size=(100, 40))
    wrong = [np.arange(40) % 3 == 0, np.arange(40) % 2 == 0]
    own, other = (100.0 * each[drawn].mean(axis=1) for each in wrong)
    differences = np.abs(own - other)
    observed = 100.0 * abs(wrong[0].mean() - wrong[1].mean())
    beyond = differences - differences.mean() > observed + 1e-9
    assert test.p_value == pytest.approx((1 + beyond.sum()) / 101)
    assert test.mean == pytest.approx(own.mean())
    assert test.baseline_mean == pytest.approx(other.mean())
    assert test.signature.startswith("references:closest|bs:100|seed:3|case:mixed|")


def test_same_seed_gives_the_same_and_another_does_not() -> None:
    first = compare("bleu", SYSTEM, BASELINE, Bootstrap(50, 1))
    assert compare("bleu", SYSTEM, BASELINE, Bootstrap(50, 1)) == first
    assert compare("bleu", SYSTEM, BASELINE, Bootstrap(50, 2)).mean != first.mean


def test_clear_difference_is_sure_and_none_is_not() -> None:
    bootstrap = Bootstrap(200)
    assert compare("bleu", SYSTEM, text(3, 0.9), bootstrap).p_value == 1 / 201
    assert compare("bleu", SYSTEM, SYSTEM, bootstrap).p_value == 1.0
    assert compare("bleu", SYSTEM, text(4, 0.2), bootstrap).p_value > 0.05


@pytest.mark.parametrize("before", [None, "99"])
def test_environment_and_log_stay_as_they_were(
    monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    if before is None:
        monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    else:
        monkeypatch.setenv("SACREBLEU_SEED", before)
    level = logging.getLogger("sacrebleu").level
    test = compare("bleu", SYSTEM, BASELINE, Bootstrap(20, 5))
    assert "seed:5" in test.signature
    assert os.environ.get("SACREBLEU_SEED") == before
    assert logging.getLogger("sacrebleu").level == level


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 1), "--bootstrap_samples=-1: "),
        ((10, 0), "--bootstrap_seed=0: give a number above zero"),
        ((10, -3), "--bootstrap_seed=-3: "),
    ],
)
def test_bad_numbers_are_refused(arguments: tuple[int, int], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Bootstrap(*arguments)


def test_what_does_not_fit_into_memory_is_refused() -> None:
    Bootstrap(1000).check(20_000)
    with pytest.raises(UserError, match=r"of 20,001 lines .* at most 999, ") as error:
        Bootstrap(1000).check(20_001)
    assert "\n" not in str(error.value)
