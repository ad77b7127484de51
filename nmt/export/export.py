"""Writes trained models as a SavedModel: what `nmt-export` does."""

import json
import pathlib
import tempfile
from typing import Any

import tensorflow as tf
from absl import logging

from nmt.data.text import replace_file
from nmt.decoding import Ensemble
from nmt.decoding.loading import load_ensemble
from nmt.errors import UserError
from nmt.export.comparison import compare
from nmt.export.compression import bytes_of
from nmt.export.manifest import manifest, needs_tensorflow_text
from nmt.export.request import ExportRequest
from nmt.export.serving_module import ServingModule
from nmt.export.warm_up import write_warm_up

MANIFEST = "manifest.json"
# Files beside a model that TensorFlow Serving keeps with it and does not read.
EXTRA = "assets.extra"


def export_model(request: ExportRequest) -> pathlib.Path:
    """Exports models as one SavedModel, which needs none of this package to run.

    The folder appears whole or not at all. It has the vocabularies in it and can be
    moved; the run folders are not needed any more.

    Returns:
        The folder of the new version.

    Raises:
        UserError: a run folder cannot be used, the request makes no sense, or the
            output cannot be written.
    """
    request.check()
    ensemble = load_ensemble(request)
    options = request.options.resolved(ensemble.members[0].config)
    folder = request.folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=f".{folder.name}-", dir=folder.parent
        ) as scratch:
            made = pathlib.Path(scratch) / "model"
            module = ServingModule(ensemble, options, request.compression)
            signatures = module.signatures()
            tf.saved_model.save(module, str(made), signatures=signatures)
            about = manifest(ensemble, options, request.run_dirs)
            if module.compressed:
                about["compression"] = _compression(request, ensemble, module)
            _write_extras(made / EXTRA, ensemble)
            if request.warm_up:
                write_warm_up(made / EXTRA, signatures)
            replace_file(made / MANIFEST, json.dumps(about, indent=2) + "\n")
            made.rename(folder)
    except OSError as error:
        raise UserError(f"{folder}: cannot be written: {error.strerror}") from error
    size = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
    logging.info(f"{folder}: {size / 1e6:,.1f} MB")
    if needs_tensorflow_text(ensemble):
        logging.warning(
            "%s: has operations of tensorflow_text (sentencepiece): whoever loads it "
            "must import tensorflow_text first; TensorFlow Serving has them built in",
            folder,
        )
    return folder


def _compression(
    request: ExportRequest, ensemble: Ensemble, module: ServingModule
) -> dict[str, Any]:
    """Returns what the compression saves and costs, and says it."""
    assert module.compressed is not None
    whole = bytes_of([member.model for member in ensemble.members])
    found: dict[str, Any] = {
        "kind": request.compression,
        "bytes": module.compressed.bytes,
        "bytes_of_float32": whole,
    }
    logging.info(
        "weights: %.1f MB as %s, %.1f MB as float32",
        module.compressed.bytes / 1e6,
        request.compression,
        whole / 1e6,
    )
    if request.source:
        options = request.options.resolved(ensemble.members[0].config)
        costs = compare(ensemble, options, module, request.source, request.reference)
        logging.info(
            "%s %.2f with %s weights, %.2f with float32; %.1f %% of the lines equal",
            costs["metric"],
            costs["compressed"],
            request.compression,
            costs["float32"],
            100 * costs["equal"],
        )
        found["score"] = costs
    return found


def _write_extras(folder: pathlib.Path, ensemble: Ensemble) -> None:
    """Writes the vocabularies for readers; the model has them in its graphs."""
    first = ensemble.members[0]
    folder.mkdir()
    for side, codec in (
        ("source", first.source_codec),
        ("target", first.target_codec),
    ):
        codec.save(folder, side)
