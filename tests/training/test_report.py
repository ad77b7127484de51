"""What is said before the first update."""

import pathlib

import pytest
from absl import logging

from nmt.config import Config, ModelConfig
from nmt.data.epoch import EpochPlan
from nmt.distribution import make_layout
from nmt.models import build_model, parameter_count
from nmt.models.run_folder import RunFolder
from nmt.training.prepare import prepare
from nmt.training.report import data_report, describe_recipe, log_recipe, update_size
from tests.training import toy


def test_report_is_of_the_pairs_that_are_trained_on(tmp_path: pathlib.Path) -> None:
    toy.write_text(tmp_path)
    config = toy.settings(tmp_path)
    report = data_report(prepare(config, RunFolder(tmp_path / "run")))
    assert (report.training_pairs, report.held_out) == (54, 6)
    assert report.vocabulary_sizes == (12, 12)
    assert report.plan.batches == 7
    assert report.size.parameters == parameter_count(config.model, 12, 12)
    assert "60 lines" in report.text()


def test_memory_grows_with_slots_and_with_the_softmax() -> None:
    config = Config()
    plan = EpochPlan(1, 0.0, largest_source=100, largest_target=100, buckets=())
    adam = update_size(config, (1000, 1000), plan)
    config.training.optimizer = "sgd"
    sgd = update_size(config, (1000, 1000), plan)
    assert adam.memory - sgd.memory == 2 * 4 * sgd.parameters
    wider = update_size(config, (1000, 2000), plan)
    parameters = wider.parameters - sgd.parameters
    assert wider.memory - sgd.memory == 4 * (2 * parameters + 3 * 100 * 1000)


def test_memory_grows_with_the_second_direction() -> None:
    config = Config()
    config.model.attention = "bahdanau"
    plan = EpochPlan(1, 0.0, largest_source=100, largest_target=70, buckets=())
    one = update_size(config, (1000, 1000), plan)
    config.model.bidirectional = True
    both = update_size(config, (1000, 1000), plan)
    weights = (both.parameters - one.parameters) * 4
    layers = 100 * 11 * config.model.hidden_size * config.model.num_layers
    assert both.memory - one.memory == 4 * (weights + layers)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "encoder, decoder with the last states"),
        (
            {"attention": "bahdanau", "bidirectional": True, "cell": "gru"},
            "bidirectional encoder, decoder with bahdanau attention",
        ),
        ({"attention": "last_state"}, "decoder with the last state at every word"),
    ],
)
def test_log_says_what_the_model_is(
    settings: dict[str, object], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    monkeypatch.setattr(
        logging, "info", lambda line, *parts: lines.append(line % parts)
    )
    config = Config()
    config.model = ModelConfig(num_layers=1, hidden_size=5, **settings)
    model = build_model(config.model, 9, 8)
    layout = make_layout(config.distribution, config.placement, 1)
    log_recipe(config, model, layout)
    assert words in lines[0]
    assert f"1 layers of 5 cells ({config.model.cell})" in lines[0]
    assert f"{model.count_params()} parameters" in lines[0]
    assert lines[-1].endswith("time loops: quick")


def test_recipe_names_what_was_chosen() -> None:
    text = "; ".join(describe_recipe(Config().training))
    for part in ("adam", "0.002", "200 updates", "tokens", "smoothing 0.1", "15 epoch"):
        assert part in text
