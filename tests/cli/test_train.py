"""nmt-train from its flags to its end."""

import pathlib
import sys
from collections.abc import Callable

import pytest

import nmt.training.run
from nmt.cli import default_config, train
from nmt.config import Config
from nmt.training.loop import End

# ml_collections loads a configuration by a method that Python no longer likes.
pytestmark = pytest.mark.filterwarnings("ignore:the load_module:DeprecationWarning")


class Trainings:
    """Notes what would be trained."""

    def __init__(self) -> None:
        self.end = End.COMPLETE
        self.config: Config | None = None
        self.run_dir: pathlib.Path | None = None

    def __call__(self, config: Config, run_dir: pathlib.Path) -> End:
        self.config, self.run_dir = config, run_dir
        return self.end


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> Trainings:
    noted = Trainings()
    monkeypatch.setattr(nmt.training.run, "train", noted)
    return noted


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    def call(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["nmt-train", *arguments])
        with pytest.raises(SystemExit) as ended:
            train.run()
        return ended.value.code or 0

    return call


def test_two_files_and_a_folder_are_enough(
    run: Callable[..., int], trainings: Trainings, tmp_path: pathlib.Path
) -> None:
    assert run("--source=a.en", "--target=a.fr", f"--run_dir={tmp_path}") == 0
    expected = default_config.get_config()
    assert expected.model.attention == "bahdanau"
    expected.data.train_source, expected.data.train_target = "a.en", "a.fr"
    assert trainings.config == expected
    assert trainings.run_dir == tmp_path


def test_devices_and_what_is_on_them(
    run: Callable[..., int], trainings: Trainings, tmp_path: pathlib.Path
) -> None:
    given = [f"--run_dir={tmp_path}", "--logical_devices=8"]
    assert run(*given, "--config.placement.layers=(0, 1, 2, 3)") == 0
    assert trainings.config is not None
    assert trainings.config.distribution.logical_devices == 8
    assert trainings.config.placement.layers == (0, 1, 2, 3)


def test_settings_override_a_configuration(
    run: Callable[..., int], trainings: Trainings, tmp_path: pathlib.Path
) -> None:
    assert (
        run(
            "--config=configs/sutskever14.py",
            "--config.training.seed=9",
            "--config.batching.bucket_boundaries=10,20",
            f"--run_dir={tmp_path}",
        )
        == 0
    )
    config = trainings.config
    assert config
    assert (config.training.seed, config.training.optimizer) == (9, "sgd")
    assert config.batching.bucket_boundaries == (10, 20)
    assert config.model.hidden_size == 1000


def test_old_run_goes_on_with_its_settings(
    run: Callable[..., int], trainings: Trainings, tmp_path: pathlib.Path
) -> None:
    old = Config()
    old.model.hidden_size = 33
    (tmp_path / "config.json").write_text(old.to_json())
    assert run(f"--run_dir={tmp_path}", "--config.training.max_epochs=3") == 0
    assert trainings.config
    assert trainings.config.model.hidden_size == 33
    assert trainings.config.training.max_epochs == 3.0


@pytest.mark.parametrize(
    ("end", "status"), [(End.INTERRUPTED, 130), (End.TERMINATED, 143)]
)
def test_interrupted_run_does_not_look_complete(
    run: Callable[..., int],
    trainings: Trainings,
    tmp_path: pathlib.Path,
    end: End,
    status: int,
) -> None:
    trainings.end = end
    assert run(f"--run_dir={tmp_path}") == status


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--config.model.hiden_size=3"], "ModelConfig has no setting 'hiden_size'"),
        (["--config=missing.py"], "missing.py"),
        (["--config.model.hidden_size=big"], "hidden_size"),
        ([], "no training text: give --source and --target"),
    ],
)
def test_bad_request_is_one_line(
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    tmp_path: pathlib.Path,
    arguments: list[str],
    message: str,
) -> None:
    assert run(f"--run_dir={tmp_path}", *arguments) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
