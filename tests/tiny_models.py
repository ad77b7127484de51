"""Small models with their codecs, for tests of what is built on a model."""

import dataclasses
import pathlib
from typing import Any

import numpy as np
import tensorflow as tf

from nmt.config import Config, DataConfig, DecodingConfig, ModelConfig
from nmt.data.codec import TextCodec
from nmt.data.tokenizers import WordTokenizer
from nmt.data.vocabulary import Vocabulary
from nmt.layers.sentence_rows import repeat_for_rows
from nmt.models.build import build_model
from nmt.models.encoder import DecoderStart
from nmt.models.run_folder import LoadedModel, RunFolder
from nmt.models.weights import save_weights

WORDS = [f"w{number}" for number in range(30)]


def codec(words: list[str]) -> TextCodec:
    return TextCodec(
        WordTokenizer(), Vocabulary.build(dict.fromkeys(words, 1), len(words) + 4)
    )


def random_model(seed: int = 3, scale: float = 1.5, **settings: Any) -> LoadedModel:
    """A model with weights so large that its outputs differ much from line to line.

    Args:
        seed: Of the weights.
        scale: Of the weights; the larger, the more rounding errors grow.
        **settings: Of the model; two layers of LSTMs without attention by default.
    """
    sizes = {"embedding_size": 8, "hidden_size": 12, "num_layers": 2}
    config = Config(
        data=DataConfig(source_tokenizer="words", target_tokenizer="words"),
        model=ModelConfig(**(sizes | settings)),
        decoding=DecodingConfig(
            beam_size=4, max_length_factor=1.0, max_length_offset=3
        ),
    )
    source_codec, target_codec = codec(WORDS), codec(WORDS[:20])
    model = build_model(
        config.model, source_codec.vocabulary_size, target_codec.vocabulary_size
    )
    random = np.random.default_rng(seed)
    model.set_weights(
        [random.uniform(-scale, scale, weight.shape) for weight in model.get_weights()]
    )
    return LoadedModel(model, source_codec, target_codec, config)


def write_run_folder(loaded: LoadedModel, path: pathlib.Path) -> RunFolder:
    path.mkdir(parents=True)
    folder = RunFolder(path)
    folder.config_file.write_text(loaded.config.to_json(), encoding="utf-8")
    loaded.source_codec.save(path, "source")
    loaded.target_codec.save(path, "target")
    save_weights(loaded.model, folder.weights("best"))
    return folder


class CopyModel:
    """Repeats the source, end of sentence included, with probability near one."""

    attends = False

    def __init__(self, vocabulary_size: int) -> None:
        self.vocabulary_size = vocabulary_size
        self.traces = 0

    def encode(self, source: tf.Tensor, training: bool = False) -> DecoderStart:
        self.traces += 1
        return DecoderStart({"position": tf.zeros_like(source[:, 0])}, source)

    def step(
        self, ids: tf.Tensor, state: dict[str, tf.Tensor], memory: tf.Tensor
    ) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
        position = state["position"]
        source = repeat_for_rows(memory, ids)
        last = tf.shape(source)[1] - 1
        word = tf.gather(source, tf.minimum(position, last), batch_dims=1)
        logits = 30.0 * tf.one_hot(word, self.vocabulary_size)
        return logits, {"position": position + 1}


def copy_model() -> LoadedModel:
    both = codec(WORDS)
    config = Config(data=DataConfig(reverse_source=False))
    model = CopyModel(both.vocabulary_size)
    return LoadedModel(model, both, both, config)


def with_decoding(loaded: LoadedModel, **settings: float) -> LoadedModel:
    """The same model with other settings of the search."""
    decoding = dataclasses.replace(loaded.config.decoding, **settings)
    config = dataclasses.replace(loaded.config, decoding=decoding)
    return dataclasses.replace(loaded, config=config)
