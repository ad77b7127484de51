"""What an exported model is: a JSON file for people and for programs."""

import dataclasses
import json
import pathlib
from typing import Any

import keras
import tensorflow as tf

import nmt
from nmt.data.sentencepiece import SentencePieceTokenizer
from nmt.decoding import Ensemble, TranslationOptions

# Settings that are paths on the machine of the training.
_PATHS = frozenset(
    f"{what}_{side}"
    for what in ("train", "validation")
    for side in ("source", "target")
) | {"source_vocabulary", "target_vocabulary"}


def manifest(
    ensemble: Ensemble, options: TranslationOptions, run_dirs: tuple[str, ...]
) -> dict[str, Any]:
    """Describes an export.

    Args:
        ensemble: The models.
        options: How it translates.
        run_dirs: Folders of the models; their last names and scores are told.
    """
    first = ensemble.members[0]
    codecs = {"source": first.source_codec, "target": first.target_codec}
    return {
        "nmt": nmt.__version__,
        "tensorflow": tf.__version__,
        "keras": keras.__version__,
        "needs_tensorflow_text": needs_tensorflow_text(ensemble),
        "models": [
            {
                "name": pathlib.Path(run_dir).resolve().name,
                "config": _without_paths(dataclasses.asdict(member.config)),
                "validation": best_validation(pathlib.Path(run_dir)),
            }
            for member, run_dir in zip(ensemble.members, run_dirs, strict=True)
        ],
        "vocabularies": {
            side: {
                "tokenizer": codec.tokenizer.name,
                "size": codec.vocabulary_size,
                "digest": codec.digest(),
            }
            for side, codec in codecs.items()
        },
        "options": {
            "beam_size": options.beam_size,
            "n_best": options.n_best,
            "batch_size": options.batch_size,
            "replace_unknown": options.dictionary is not None,
            "max_source_tokens": options.max_source_length,
            "max_length_factor": first.config.decoding.max_length_factor,
            "max_length_offset": first.config.decoding.max_length_offset,
            **dataclasses.asdict(options.search),
        },
    }


def _without_paths(config: dict[str, Any]) -> dict[str, Any]:
    """Drops the files of the training, which mean nothing where it is served."""
    data = {name: each for name, each in config["data"].items() if name not in _PATHS}
    return config | {"data": data}


def needs_tensorflow_text(ensemble: Ensemble) -> bool:
    """Tells whether an exported model has operations of `tensorflow_text`."""
    codecs = ensemble.members[0].source_codec, ensemble.members[0].target_codec
    return any(isinstance(codec.tokenizer, SentencePieceTokenizer) for codec in codecs)


def best_validation(run_dir: pathlib.Path) -> dict[str, Any] | None:
    """Returns the figures of the best evaluation that a training logged.

    Args:
        run_dir: Its folder.

    Returns:
        None where there is no log.
    """
    path = run_dir / "metrics.jsonl"
    if not path.exists():
        return None
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            # The last line of a killed training may be cut.
            continue
        if entry.get("kind") == "validation":
            found.append(entry)
    return min(found, key=lambda entry: entry["perplexity"], default=None)
