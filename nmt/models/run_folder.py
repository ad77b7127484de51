"""The folder of one training: where everything lies, and the model in it."""

import dataclasses
import pathlib

from nmt.config import Config
from nmt.data.codec import TextCodec
from nmt.errors import UserError
from nmt.models.build import build_model
from nmt.models.seq2seq import Seq2Seq
from nmt.models.weights import load_weights


@dataclasses.dataclass(frozen=True)
class LoadedModel:
    """A trained model with what turns text into its ids and back.

    Attributes:
        model: The model, weights restored.
        source_codec: Source text to ids.
        target_codec: Target text to ids, and back.
        config: The settings of its training.
    """

    model: Seq2Seq
    source_codec: TextCodec
    target_codec: TextCodec
    config: Config


class RunFolder:
    """Names the parts of a run folder. Nothing in it refers to where it lies.

    Args:
        path: The folder; it need not exist yet.

    Example:
        >>> RunFolder("runs/first").config_file.name
        'config.json'
    """

    def __init__(self, path: str | pathlib.Path) -> None:
        self.path = pathlib.Path(path)

    @property
    def config_file(self) -> pathlib.Path:
        """The resolved settings, `config.json`."""
        return self.path / "config.json"

    @property
    def corpus(self) -> pathlib.Path:
        """The training text as ids: a cache that can be made again."""
        return self.path / "corpus"

    @property
    def validation_corpus(self) -> pathlib.Path:
        """The validation text as ids, likewise."""
        return self.path / "validation"

    @property
    def checkpoints(self) -> pathlib.Path:
        """What training resumes from."""
        return self.path / "checkpoints"

    @property
    def events(self) -> pathlib.Path:
        """What TensorBoard reads."""
        return self.path / "events"

    @property
    def metrics_file(self) -> pathlib.Path:
        """One JSON object a line: every figure that training logged."""
        return self.path / "metrics.jsonl"

    def weights(self, name: str) -> pathlib.Path:
        """The weights called `name`: `best`, `last` or `average`."""
        return self.path / name

    def exists(self) -> bool:
        """Whether a training has begun here."""
        return self.config_file.is_file()

    def load_model(self, weights: str = "best") -> LoadedModel:
        """Loads the trained model; needs nothing but this folder.

        Args:
            weights: `best` (lowest validation perplexity), `last`, or `average` (the
                mean of the last checkpoints, where training made one).

        Raises:
            UserError: the folder lacks a part, or its weights do not fit its settings.
        """
        if not self.path.is_dir():
            raise UserError(f"{self.path}: no such run folder")
        config = Config.load(self.config_file)
        tokenizers = config.data.source_tokenizer, config.data.target_tokenizer
        source_codec = TextCodec.load(self.path, "source", tokenizers[0])
        target_codec = TextCodec.load(self.path, "target", tokenizers[1])
        model = build_model(
            config.model, source_codec.vocabulary_size, target_codec.vocabulary_size
        )
        load_weights(model, self.weights(weights))
        return LoadedModel(model, source_codec, target_codec, config)
