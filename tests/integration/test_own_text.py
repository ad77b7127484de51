"""What a user does with text of their own: train, decode, score."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.slow

NAMES = ["Anna", "Ben", "Carla", "Dan", "Eve", "Finn", "Gwen", "Hugo"]
VERBS = {"sees": "voit", "hears": "entend", "knows": "connaît", "helps": "aide"}
ENDS = [".", "!", "?"]


def write_text(folder: pathlib.Path, pairs: int) -> None:
    """Writes sentences of a small language, one the word-for-word copy of the other."""
    generator = np.random.default_rng(0)
    lines = []
    for _ in range(pairs):
        first, second = generator.choice(NAMES, 2)
        verb, end = generator.choice(list(VERBS)), generator.choice(ENDS)
        lines.append(
            (f"{first} {verb} {second}{end}", f"{first} {VERBS[verb]} {second}{end}")
        )
    for side, texts in zip(("en", "fr"), zip(*lines, strict=True), strict=True):
        (folder / f"text.{side}").write_text("".join(f"{t}\n" for t in texts))


def run(*command: str, standard_input: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        input=standard_input,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_raw_text_becomes_a_translator(tmp_path: pathlib.Path) -> None:
    write_text(tmp_path, 2000)
    run_dir = f"--run_dir={tmp_path / 'run'}"
    run(
        "nmt.cli.train",
        f"--source={tmp_path / 'text.en'}",
        f"--target={tmp_path / 'text.fr'}",
        run_dir,
        "--config.data.source_vocabulary_size=60",
        "--config.data.target_vocabulary_size=60",
        "--config.batching.batch_size=16",
        "--config.model.hidden_size=64",
        "--config.model.embedding_size=64",
        "--config.model.output_size=64",
        "--config.model.dropout=0",
        "--config.training.max_epochs=16",
        "--config.training.label_smoothing=0",
        "--config.training.learning_rate=0.005",
    )
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    scores = [json.loads(line)["bleu"] for line in lines if '"validation"' in line]
    assert max(scores) > 90
    output = run(
        "nmt.cli.decode",
        run_dir,
        standard_input="Ben hears Gwen!\n\nEve helps Hugo.\n",
    )
    assert output == "Ben entend Gwen!\n\nEve aide Hugo.\n"


def test_score_in_training_is_the_score_of_the_decoded_file(
    tmp_path: pathlib.Path,
) -> None:
    write_text(tmp_path, 300)
    run_dir = tmp_path / "run"
    text = [f"--source={tmp_path / 'text.en'}", f"--target={tmp_path / 'text.fr'}"]
    held_out = [
        run_dir / "corpus" / f"held_out.{side}" for side in ("source", "target")
    ]
    run(
        "nmt.cli.train",
        *text,
        f"--run_dir={run_dir}",
        "--config.data.source_vocabulary_size=60",
        "--config.data.target_vocabulary_size=60",
        "--config.training.max_updates=60",
        "--config.training.evaluate_every=60",
        "--config.training.schedule=constant",
        "--config.training.warmup_updates=0",
        "--config.training.learning_rate=0.005",
    )
    output = tmp_path / "decoded"
    run(
        "nmt.cli.decode",
        f"--run_dir={run_dir}",
        f"--input={held_out[0]}",
        f"--output={output}",
        "--beam_size=1",
    )
    report = run(
        "nmt.cli.evaluate",
        f"--hypotheses={output}",
        f"--reference={held_out[1]}",
        "--metric=bleu",
        "--format=json",
    )
    lines = (run_dir / "metrics.jsonl").read_text().splitlines()
    (logged,) = [json.loads(line) for line in lines if '"validation"' in line]
    (score,) = json.loads(report)["scores"]
    assert score["value"] == pytest.approx(logged["bleu"], abs=1e-9)
    assert score["signature"] == logged["signature"]
