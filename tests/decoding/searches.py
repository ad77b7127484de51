"""Searches of the small random model, and their results as lists."""

import functools
from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from nmt.decoding.beam_search import beam_search
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.search_options import SearchOptions
from tests.reference.beam_exhaustive import Hypothesis
from tests.reference.recurrent_model import BOS_ID, EOS_ID, RecurrentModel
from tests.tolerance import assert_close

# The pad token and the beginning are no words.
FORBIDDEN = (0, BOS_ID)
PAPERS = SearchOptions(forbidden_ids=FORBIDDEN)


@functools.cache
def graph(
    model: RecurrentModel,
    beam_size: int,
    compact: bool,
    options: SearchOptions = PAPERS,
    n_best: int | None = None,
) -> Callable[..., Hypotheses]:
    """The search for batches of every size."""

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, model.size], tf.float32),
            tf.TensorSpec([None], tf.int32),
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None], tf.int32),
        ]
    )
    def run(
        hidden: tf.Tensor, max_lengths: tf.Tensor, prefix: tf.Tensor, keys: tf.Tensor
    ) -> Hypotheses:
        return beam_search(
            model.step,
            {"hidden": hidden},
            max_lengths,
            beam_size,
            bos_id=BOS_ID,
            eos_id=EOS_ID,
            options=options,
            prefix=prefix,
            sample_keys=keys,
            n_best=n_best,
            compact=compact,
        )

    return run


def search(
    model: RecurrentModel,
    max_lengths: Sequence[int],
    beam_size: int,
    sentences: Sequence[int] = range(7),
    compact: bool = True,
    options: SearchOptions = PAPERS,
    n_best: int | None = None,
    prefix: Sequence[Sequence[int]] | None = None,
) -> Hypotheses:
    sentences = list(sentences)[: len(max_lengths)]
    hidden = model.start[sentences]
    words = np.zeros([len(sentences), 0]) if prefix is None else np.array(prefix)
    return graph(model, beam_size, compact, options, n_best)(
        hidden.astype(np.float32),
        np.array(max_lengths, np.int32),
        words.astype(np.int32),
        np.array(sentences, np.int32),
    )


def as_list(found: Hypotheses, sentence: int) -> list[Hypothesis]:
    """The hypotheses of a sentence that are not empty, in their order."""
    ids, lengths, log_probs, finished, _ = (part[sentence].numpy() for part in found)
    assert np.all(ids[np.arange(ids.shape[1]) >= lengths[:, np.newaxis]] == 0)
    result = [
        (float(log_prob), tuple(row[:length].tolist()), bool(done))
        for row, length, log_prob, done in zip(
            ids, lengths, log_probs, finished, strict=True
        )
        if np.isfinite(log_prob)
    ]
    assert np.all(np.isneginf(log_probs[len(result) :]))
    return result


def assert_same(found: Sequence[Hypothesis], expected: Sequence[Hypothesis]) -> None:
    assert [part[1:] for part in found] == [part[1:] for part in expected]
    assert_close([part[0] for part in found], [part[0] for part in expected], "float32")
