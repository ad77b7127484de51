"""Trained models in Python: what `nmt.load` returns."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from nmt.data.pipeline import source_batch
from nmt.decoding.batches import plan_batches
from nmt.decoding.ensemble import Ensemble
from nmt.decoding.scorer import Scorer
from nmt.decoding.translation import Translation
from nmt.decoding.translation_options import TranslationOptions
from nmt.decoding.translator import Translator
from nmt.errors import UserError
from nmt.models.seq2seq import Seq2Seq

_LINES_TOGETHER = 64


class PretrainedTranslator:
    """Translates, scores and encodes lines of text, with the numbers of the binaries.

    Args:
        ensemble: The models.

    Example:
        translator = nmt.load("runs/mine")
        (best,) = translator.translate(["a dog runs ."], beam_size=12)
        print(best.text, best.log_prob)
        translator.score(["a dog runs ."], ["un chien court ."])
        translator.encode(["a dog runs ."]).shape
        translator.model.summary()
    """

    def __init__(self, ensemble: Ensemble) -> None:
        self._ensemble = ensemble
        self._codec = ensemble.members[0].source_codec
        self._translator = Translator(ensemble)
        self._scorer = Scorer(ensemble)
        ids = tf.TensorSpec([None, None], tf.int32)
        self._vectors = tf.function(ensemble.sentence_vectors, input_signature=[ids])

    @property
    def models(self) -> tuple[Seq2Seq, ...]:
        """The Keras models."""
        return tuple(each.model for each in self._ensemble.members)

    @property
    def model(self) -> Seq2Seq:
        """The Keras model, of several the first."""
        return self.models[0]

    def translate(
        self,
        lines: Sequence[str],
        beam_size: int | None = None,
        n_best: int = 1,
        options: TranslationOptions | None = None,
    ) -> list[Translation]:
        """Translates lines, as `nmt-decode` does.

        Args:
            lines: Text of the source.
            beam_size: Hypotheses searched a line; None: as the training's settings say.
            n_best: Hypotheses in each `Translation.n_best`.
            options: All else; then with its own `beam_size` and `n_best`.

        Raises:
            UserError: an option makes no sense, or `lines` is one string.
        """
        _check_lines("lines", lines)
        given = options or TranslationOptions(beam_size=beam_size, n_best=n_best)
        return list(self._translator.translate(lines, given))

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> np.ndarray:
        """Scores translations, as `nmt-rescore` does; see `Scorer`.

        Args:
            sources: Lines of text.
            targets: The translation of each.

        Returns:
            float64, `[lines]`: log p(target given source), nats, of the ensemble.

        Raises:
            UserError: there are not as many targets as sources, or one is a string.
        """
        _check_lines("sources", sources)
        _check_lines("targets", targets)
        if len(sources) != len(targets):
            raise UserError(f"{len(sources)} sources, but {len(targets)} targets")
        found = np.zeros(len(sources))
        for start in range(0, len(sources), _LINES_TOGETHER):
            some = slice(start, start + _LINES_TOGETHER)
            lists = [[target] for target in targets[some]]
            scores = self._scorer.score_lists(sources[some], lists)
            found[some] = [each.log_probs[0, -1] for each in scores]
        return found

    def encode(self, lines: Sequence[str]) -> np.ndarray:
        """Returns what lines are as vectors.

        Args:
            lines: Text of the source.

        Returns:
            float32, `[lines, size]`; see `Ensemble.sentence_vectors`.

        Raises:
            UserError: `lines` is one string.
        """
        _check_lines("lines", lines)
        size = self._vectors(tf.zeros([1, 1], tf.int32)).shape[1]
        found = np.zeros([len(lines), size], np.float32)
        if not len(lines):
            return found
        ids = self._codec.encode(tf.constant(list(lines)))
        # One more: blank lines have vectors, too.
        lengths = ids.row_lengths().numpy() + 1
        for places in plan_batches(lengths, _LINES_TOGETHER):
            batch = source_batch(tf.gather(ids, places), reverse=False)
            found[places] = self._vectors(batch)
        return found


def _check_lines(name: str, lines: Sequence[str]) -> None:
    # Its characters would be taken for lines.
    if isinstance(lines, str):
        raise UserError(f"{name}: is one string; give a list of lines")
