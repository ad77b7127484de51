import dataclasses

import pytest

from nmt.decoding import Hypothesis, Translation, Translator
from tests import tiny_models
from tools import check_decoding
from tools.check_decoding import WAYS, check, differences, translate

LINES = ["w1 w2 w3", "", "w4", "w5 w6 w7 w8 w9", "w2 w2"]


def test_results_are_in_the_order_of_the_lines() -> None:
    translator = Translator(tiny_models.copy_model())
    for _, batch_size, order in WAYS:
        made = translate(translator, LINES, 2, batch_size, order)
        assert [each.text for each in made] == LINES


def test_what_does_not_depend_on_batches_passes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert check(Translator(tiny_models.random_model()), LINES, [1, 3])
    rows = capsys.readouterr().out.splitlines()[1:]
    assert len(rows) == 2 * (len(WAYS) - 1)
    assert {tuple(row.split()[-3:-1]) for row in rows} == {("0", "0")}


def made(text: str, log_prob: float) -> Translation:
    hypothesis = Hypothesis(text, (text,), log_prob, True, log_prob)
    return Translation(("w1",), (hypothesis,), 1)


def test_differences_are_found() -> None:
    first = [made("a", -1.0), made("b", -2.0), made("c", -3.0)]
    second = [made("a", -1.5), made("x", -9.0), made("c", -3.25)]
    assert differences(first, second) == ([2], 0.5)


@pytest.mark.parametrize("change", [{"text": "x"}, {"log_prob": -1.01}])
def test_what_depends_on_batches_does_not_pass(
    change: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stand_in(*arguments: object) -> list[Translation]:
        good = made("a", -1.0)
        if arguments[3] != 7:
            return [good]
        other = dataclasses.replace(good.n_best[0], **change)
        return [dataclasses.replace(good, n_best=(other,))]

    monkeypatch.setattr(check_decoding, "translate", stand_in)
    translator = Translator(tiny_models.copy_model())
    assert not check(translator, ["w1"], [1])
    assert ("lines 1" in capsys.readouterr().out) == ("text" in change)
