"""The report as text and as JSON."""

import dataclasses
import json

from nmt.evaluation import PairedBootstrap, Score
from nmt.rescoring.report import RescoringReport, SystemScore

REPORT = RescoringReport(
    features=("lstm",),
    mix={"total": 0.5, "lstm": 0.5},
    sentences=4,
    lists=3,
    hypotheses=1000,
    hypotheses_with_unknown=2,
    unknown_words=3,
    words=20,
    steps=5,
)
SCORES = (
    SystemScore("1-best", Score("bleu", 50.0, "the|signature"), 0.0),
    SystemScore("mix", Score("bleu", 51.239, "the|signature"), 1.239),
    SystemScore("oracle", Score("bleu", 49.999, "the|signature"), -0.001),
)


def test_text_without_a_reference() -> None:
    assert REPORT.text() == (
        "1,000 hypotheses for 3 of 4 sentences\n"
        "new: lstm: log p(hypothesis given source), natural logarithm, higher is "
        "better\n"
        "with words that the models do not know: 2 hypotheses (3 words, scored as "
        "<unk>)\n"
        "20 words and ends of sentence in 5 steps: equal beginnings save 75.0%\n"
        "mix: 0.5 total + 0.5 lstm\n"
    )


def test_text_without_models() -> None:
    report = RescoringReport((), {"LM": 1.0}, sentences=4, lists=3, hypotheses=1000)
    assert report.text() == "1,000 hypotheses for 3 of 4 sentences\nmix: 1 LM\n"


def test_text_with_scores() -> None:
    test = PairedBootstrap("bleu", 0.01, 1000, 7, 51.0, 1.0, 50.0, 1.0, "bs|signature")
    report = dataclasses.replace(REPORT, scores=SCORES, paired_bootstrap=test)
    assert report.text().removeprefix(REPORT.text()) == (
        "\n"
        "bleu  the|signature\n"
        "    1-best   50.00\n"
        "    mix      51.24  +1.24\n"
        "    oracle   50.00  +0.00\n"
        "oracle: of each list the hypothesis of highest sentence BLEU, with 1 added "
        "above unigrams\n"
        "paired bootstrap of the mix against the 1-best, 1,000 samples, seed 7: "
        "p = 0.0100, 51.00 +- 1.00, baseline 50.00 +- 1.00\n"
        "    bs|signature\n"
    )


def test_json_has_everything() -> None:
    report = dataclasses.replace(REPORT, scores=SCORES)
    found = json.loads(report.json())
    assert found["mix"] == {"total": 0.5, "lstm": 0.5}
    assert found["scores"][1]["score"]["value"] == 51.239
    assert found["paired_bootstrap"] is None
    assert set(found) == {field.name for field in dataclasses.fields(report)}
