"""What is said before the first update."""

import pathlib

from nmt.config import Config
from nmt.data.epoch import EpochPlan
from nmt.models import parameter_count
from nmt.models.run_folder import RunFolder
from nmt.training.prepare import prepare
from nmt.training.report import data_report, describe_recipe, update_size
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


def test_recipe_names_what_was_chosen() -> None:
    text = "; ".join(describe_recipe(Config().training))
    for part in ("adam", "0.002", "200 updates", "tokens", "smoothing 0.1", "15 epoch"):
        assert part in text
