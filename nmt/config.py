"""Every setting of the system, once: meaning, unit and the papers' value.

The defaults are a small LSTM of the LSTM paper's form, with a recipe for small data;
`nmt-train --source --target --run_dir` puts attention into it
(`nmt/cli/default_config.py`). `configs/*.py` hold the papers' values. "LSTM paper" is
Sutskever, Vinyals and Le (2014), arXiv:1409.3215; "RNNsearch" is Bahdanau, Cho and
Bengio (2015), arXiv:1409.0473, and RNNencdec the baseline in it.
"""

import dataclasses
import json
import pathlib
import typing

from nmt.errors import UserError
from nmt.settings import from_dict


@dataclasses.dataclass
class DataConfig:
    """The two sides of the text and how it becomes token ids."""

    # Training text, one sentence a line; `.gz` works wherever a text file does.
    train_source: str = ""
    train_target: str = ""
    # Validation text. Empty: `held_out` pairs of the training text are kept for it.
    validation_source: str = ""
    validation_target: str = ""
    # Pairs held out for validation; at most a tenth of the training pairs is taken.
    held_out: int = 1000
    # `words` (white space), `characters` or `sentencepiece`.
    source_tokenizer: str = "sentencepiece"
    target_tokenizer: str = "sentencepiece"
    # Rows of the vocabulary, special tokens included (LSTM paper: 160,000 and 80,000).
    source_vocabulary_size: int = 8000
    target_vocabulary_size: int = 8000
    # Tokens seen fewer times than this become the unknown token.
    minimum_count: int = 1
    # Vocabulary files to use as they are, one token a line; empty: built from the text.
    source_vocabulary: str = ""
    target_vocabulary: str = ""
    # Training pairs with a side of more tokens are dropped and counted.
    max_source_length: int = 100
    max_target_length: int = 100
    # Read the source last word to first (LSTM paper: true); the target never is.
    reverse_source: bool = True
    # Training is refused when a side has a larger share of unknown tokens, in percent.
    max_unknown_percent: float = 50.0


@dataclasses.dataclass
class BatchingConfig:
    """How sentence pairs are grouped into batches of about equal length."""

    # `sentences` (LSTM paper) or `tokens`.
    batch_by: str = "sentences"
    # Pairs, or padded source plus target tokens, a batch (LSTM paper: 128 pairs).
    batch_size: int = 64
    # Shuffled pairs are sorted by length inside pools of this many batches.
    pool_batches: int = 128
    # Lengths (tokens, end of sentence included) that batches are padded to, ascending:
    # a few static shapes, which XLA and TPUs need. Empty: each batch is padded to its
    # longest sentence.
    bucket_boundaries: tuple[int, ...] = ()


@dataclasses.dataclass
class ModelConfig:
    """What encoder and decoder are made of, and their sizes."""

    # `lstm` (LSTM paper) or `gru`, reset gate first (RNNsearch).
    cell: str = "lstm"
    # Width of the word embeddings (LSTM paper: 1000; RNNsearch: 620).
    embedding_size: int = 256
    # Width of a layer, in each direction (both papers: 1000).
    hidden_size: int = 256
    # Layers of the encoder and of the decoder (LSTM paper: 4; RNNsearch: 1).
    num_layers: int = 2
    # Whether every encoder layer reads in both directions (RNNsearch: true).
    bidirectional: bool = False
    # What the decoder is told of the source: `none`, its last states as first states
    # (LSTM paper); `last_state`, besides a first state the last one at every position
    # (RNNencdec); or attention: `bahdanau` (RNNsearch), `normalized_bahdanau`,
    # `luong_dot`, `luong_general`, `luong_scaled`.
    attention: str = "none"
    # Width of the alignment model of `bahdanau` (RNNsearch: 1000).
    attention_size: int = 256
    # Which layer of the decoder attends: the `bottom` one, its context read by the
    # layer above too, or the `top` one, from whose last state the bottom one gets it.
    attention_layer: str = "bottom"
    # The state that attends: that before the step, `previous` (RNNsearch), which the
    # context then enters, or the `new` one, for `top` (Luong et al., 2015).
    attention_query: str = "previous"
    # With a `new` query, whether the step reads the attention of the step before.
    input_feeding: bool = False
    # What comes between the decoder and the softmax: `none` (LSTM paper), `maxout`
    # (RNNsearch) or `tanh` (Luong et al.), and its width (RNNsearch: 500).
    deep_output: str = "none"
    output_size: int = 256
    # The state that the deep output reads: `previous` (RNNsearch) or `new`.
    output_state: str = "new"
    # Whether target embeddings are the softmax's weights too: the deep output, or the
    # layers where there is none, must be as wide as the embeddings.
    tied_embeddings: bool = False
    # Share of units dropped between layers, at embeddings and annotations, and before
    # the softmax (both papers: 0).
    dropout: float = 0.2
    # Whether a sentence's dropout is the same at all positions, and on the recurrence
    # too (Gal and Ghahramani, 2016).
    variational_dropout: bool = False
    # Whether layers add inputs to outputs from the second one on; of use for 4 layers
    # and more. Above attention at the `bottom`, from the third one on.
    residual: bool = False
    # Whether what layers read is normalised, from the same one on.
    layer_norm: bool = False
    # `uniform`: all weights in [-initializer_scale, initializer_scale], biases included
    # (LSTM paper: 0.08); `bahdanau`: see `make_initializers`; `keras`: Keras' defaults
    # (Glorot and orthogonal, forget bias 1).
    initializer: str = "keras"
    initializer_scale: float = 0.08


@dataclasses.dataclass
class TrainingConfig:
    """The recipe: optimizer, schedule, stopping and what is kept."""

    # `sgd` (LSTM paper), `adam`, or `adadelta`.
    optimizer: str = "adam"
    # Factor of the update (LSTM paper: 0.7).
    learning_rate: float = 0.002
    # `constant`; `halving`: halved every half epoch from epoch `halve_from_epoch` on
    # (LSTM paper: 5); `linear`: falls to zero at the end of training.
    schedule: str = "linear"
    halve_from_epoch: float = 5.0
    # Updates over which the rate first rises from zero.
    warmup_updates: int = 200
    # The summed gradient is divided by the number of target `tokens` or of `sentences`
    # (LSTM paper: sentences).
    divide_by: str = "tokens"
    # Norm over all gradients together above which they are rescaled to it; 0: never
    # (LSTM paper: 5).
    max_gradient_norm: float = 1.0
    # Share of the target probability spread evenly over the vocabulary (LSTM paper: 0).
    label_smoothing: float = 0.1
    # Training ends after this many epochs (LSTM paper: 7.5) or updates, whichever is
    # first; 0 updates: no such limit.
    max_epochs: float = 15.0
    max_updates: int = 0
    # Evaluations without a better validation perplexity before the end; 0: never.
    patience: int = 5
    # Updates between evaluations and between checkpoints; 0: once an epoch.
    evaluate_every: int = 0
    checkpoint_every: int = 500
    # Updates between lines of the log.
    log_every: int = 50
    # Checkpoints that are kept besides the best one.
    keep_checkpoints: int = 3
    # Last checkpoints whose mean weights are evaluated at the end of training, and kept
    # as `average`; 1: no mean.
    average_checkpoints: int = 1
    # Non-finite updates, which are skipped, in a row after which training stops.
    max_nonfinite_updates: int = 10
    # Seeds initial weights, dropout and the order of the data.
    seed: int = 1
    # Of products and activations: `float32`, `bfloat16` or `float16`. Weights, their
    # gradients, attention's scores and the softmax are float32 in any case.
    precision: str = "float32"
    # Compile an update with XLA, once a bucket shape (`batching.bucket_boundaries`); a
    # TPU always does.
    jit_compile: bool = False
    # Bit-for-bit repeatable kernels: slower on GPUs.
    deterministic: bool = False


@dataclasses.dataclass
class DecodingConfig:
    """Search settings: for BLEU during training, and the defaults of `nmt-decode`."""

    # Hypotheses kept a sentence (LSTM paper: 1, 2, 12). 1 is greedy: the papers' search
    # has no length normalisation, so that with a larger beam a model that has seen
    # little text prefers translations that are too short.
    beam_size: int = 1
    # alpha of Wu et al. (2016): hypotheses are ranked by their log probability over
    # ((5 + length) / 6)^alpha (both papers: 0, no penalty).
    length_penalty: float = 0.0
    # Most tokens of a hypothesis: those of the source times a factor, plus an offset.
    max_length_factor: float = 2.0
    max_length_offset: int = 10
    # Sentences decoded together.
    batch_size: int = 64
    # Beam during training; greedy is quick.
    training_beam_size: int = 1


@dataclasses.dataclass
class EvaluationConfig:
    """How a hypothesis is compared with its reference."""

    # `bleu` and `chrf` (higher is better); `ter`, `word_error_rate` (the share of wrong
    # lines) and `phone_error_rate` (lower is better).
    metric: str = "bleu"
    # sacrebleu's tokenizer; `none` for text that is tokenised already.
    bleu_tokenizer: str = "13a"
    lowercase: bool = False


@dataclasses.dataclass
class DistributionConfig:
    """Where the model lives."""

    # `default` (one replica), `mirrored` (several), `multi_worker` (on several hosts,
    # which TF_CONFIG names) or `tpu`.
    strategy: str = "default"
    # The TPU: `local`, its name or its address.
    tpu: str = "local"
    # CPU devices to pretend to have; 0: the machine's own.
    logical_devices: int = 0
    # Replicas of a host, with equal shares of its devices; 0: as many as fit.
    replicas: int = 0


@dataclasses.dataclass
class PlacementConfig:
    """Which device of a replica holds which part of the model.

    It changes no weight: a run goes on with another one, and is decoded without.
    """

    # Device, from 0 within the replica, of layer i of encoder and decoder; empty: all
    # on the first (LSTM paper: 0,1,2,3, one layer a GPU).
    layers: tuple[int, ...] = ()
    # Slices, by vocabulary, of the softmax and of both embeddings (LSTM paper: 4).
    softmax_shards: int = 1
    # Device of each slice; empty: those without a layer, or all (LSTM paper: 4,5,6,7).
    softmax_stages: tuple[int, ...] = ()
    # Compute logits again for the gradient: slices of one device need less memory.
    softmax_recompute: bool = False
    # Spread layers and slices over all devices that there are.
    auto: bool = False
    # Steps after which a layer hands on its outputs, so that layers on several devices
    # work at the same time; 0: after all of them.
    chunk_length: int = 0


@dataclasses.dataclass
class Config:
    """All settings of one training run."""

    data: DataConfig = dataclasses.field(default_factory=DataConfig)
    batching: BatchingConfig = dataclasses.field(default_factory=BatchingConfig)
    model: ModelConfig = dataclasses.field(default_factory=ModelConfig)
    training: TrainingConfig = dataclasses.field(default_factory=TrainingConfig)
    decoding: DecodingConfig = dataclasses.field(default_factory=DecodingConfig)
    evaluation: EvaluationConfig = dataclasses.field(default_factory=EvaluationConfig)
    distribution: DistributionConfig = dataclasses.field(
        default_factory=DistributionConfig
    )
    placement: PlacementConfig = dataclasses.field(default_factory=PlacementConfig)

    def to_json(self) -> str:
        """Returns the settings as indented JSON, fields in the order above."""
        return json.dumps(dataclasses.asdict(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str, where: str = "config") -> "Config":
        """Reads what `to_json` wrote.

        Fields that the text lacks keep their default: older run folders load.

        Raises:
            UserError: the text is no JSON object or names an unknown field.

        Example:
            >>> Config.from_json('{"model": {"hidden_size": 8}}').model.hidden_size
            8
        """
        try:
            values = json.loads(text)
        except json.JSONDecodeError as error:
            raise UserError(f"{where}:{error.lineno}: no JSON: {error.msg}") from error
        return typing.cast(Config, from_dict(cls, values, where))

    @classmethod
    def load(cls, path: pathlib.Path) -> "Config":
        """Reads the settings of a run folder's `config.json`.

        Raises:
            UserError: no such file, or no configuration.
        """
        if not path.is_file():
            raise UserError(f"{path}: no such file; is this a run folder of nmt-train?")
        return cls.from_json(path.read_text(encoding="utf-8"), str(path))
