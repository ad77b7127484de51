"""Measures a model on validation text: perplexity and score of its translations."""

import dataclasses
import math
from collections.abc import Iterable

import numpy as np
import tensorflow as tf
from absl import logging

from nmt.data import Batch
from nmt.decoding.translation_options import TranslationOptions
from nmt.decoding.translator import Translator
from nmt.distribution import Cluster
from nmt.evaluation import Score, score_lines
from nmt.models.run_folder import LoadedModel, RunFolder
from nmt.models.seq2seq import LossSum, Seq2Seq
from nmt.models.weights import save_weights
from nmt.training.checkpoints import Counters
from nmt.training.prepare import PreparedData


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """What a model reached on the validation text.

    Attributes:
        nats_per_token: Minus the mean log probability of a target token, ends of
            sentence included.
        nats_per_sentence: The same a sentence.
        score: BLEU or error rate of the translations.
    """

    nats_per_token: float
    nats_per_sentence: float
    score: Score

    @property
    def perplexity(self) -> float:
        """Exp of the nats a token; e^700 where that is larger or no number."""
        nats = self.nats_per_token if math.isfinite(self.nats_per_token) else math.inf
        return math.exp(min(nats, 700.0))

    def figures(self) -> dict[str, float | str]:
        """Returns the figures under the names that they are logged by."""
        return {
            "perplexity": self.perplexity,
            "nats_per_token": self.nats_per_token,
            "nats_per_sentence": self.nats_per_sentence,
            self.score.name: self.score.value,
            "signature": self.score.signature,
        }


class Likelihood:
    """Sums log probabilities of targets under a model, whose weights may change.

    Args:
        model: The model.
    """

    def __init__(self, model: Seq2Seq) -> None:
        ids = tf.TensorSpec([None, None], tf.int32)
        self._losses = tf.function(model.losses, input_signature=[ids, ids])

    def sums(self, batches: Iterable[Batch]) -> LossSum:
        """Returns nats, tokens and sentences over all batches, in float64."""
        total = np.zeros(len(LossSum._fields))
        for source, target in batches:
            total += [float(value) for value in self._losses(source, target)]
        return LossSum(*total)


class Validator:
    """Evaluates the model at hand and keeps the best weights.

    Best is the lowest perplexity: it moves at every evaluation, where BLEU of a small
    set is mostly noise.

    Args:
        loaded: The model that is being trained, with its codecs and settings.
        data: Where the validation pairs are.
        folder: Where the best weights go.
        cluster: Other processes that evaluate the same model now: the chief's
            perplexity counts.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        data: PreparedData,
        folder: RunFolder,
        cluster: Cluster | None = None,
    ) -> None:
        self._cluster = cluster or Cluster()
        self._loaded = loaded
        self._data = data
        self._folder = folder
        self._likelihood = Likelihood(loaded.model)
        self._translator = Translator(loaded)

    def evaluate(self) -> Evaluation:
        """Evaluates the weights at hand."""
        sums = self._likelihood.sums(self._data.validation_batches())
        return Evaluation(
            nats_per_token=sums.nats / sums.tokens,
            nats_per_sentence=sums.nats / sums.sentences,
            score=self._score(),
        )

    def measure(self, counters: Counters) -> Evaluation:
        """Evaluates the model, logs the figures and saves the weights if they are best.

        Args:
            counters: Where training is; its best figures are brought up to date.
        """
        evaluation = self.evaluate()
        counters.last_evaluated = counters.update
        perplexity = self._cluster.of_chief(evaluation.perplexity)
        best = perplexity < counters.best_perplexity
        if best:
            counters.best_perplexity = perplexity
            counters.best_update = counters.update
            counters.evaluations_without_gain = 0
            if self._cluster.is_chief:
                save_weights(self._loaded.model, self._folder.weights("best"))
        else:
            counters.evaluations_without_gain += 1
        logging.info(
            "validation at update %d, epoch %.2f: perplexity %.3f (%s), %s %.2f (%s)",
            counters.update,
            counters.position.epoch,
            evaluation.perplexity,
            "best so far"
            if best
            else f"best {counters.best_perplexity:.3f} at {counters.best_update}",
            evaluation.score.name,
            evaluation.score.value,
            evaluation.score.signature,
        )
        return evaluation

    def _score(self) -> Score:
        config = self._loaded.config
        translations = self._translator.translate(
            self._data.validation.source,
            TranslationOptions(beam_size=config.decoding.training_beam_size),
        )
        hypotheses = [translation.text for translation in translations]
        return score_lines(
            hypotheses,
            self._data.validation.target,
            config.evaluation,
            sources=self._data.validation.source,
        )
