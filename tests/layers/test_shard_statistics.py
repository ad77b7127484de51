"""A few numbers of each slice make the softmax of the whole."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.shard_statistics import merged_losses, shard_statistics
from nmt.layers.vocabulary_shards import VocabularyShard, vocabulary_shards
from tests.layers.cases import EXECUTIONS
from tests.reference import softmax
from tests.reference.differences import assert_gradient, numeric_gradient
from tests.tolerance import assert_close

LOGITS = np.random.default_rng(0).normal(0, 3, (4, 7))
TARGETS = np.array([0, 6, 3, 3])


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize(
    ("shards", "execution"), [(1, "eager"), (2, "graph"), (3, "xla"), (7, "graph")]
)
def test_losses_and_gradient_equal_the_reference(
    shards: int, smoothing: float, execution: str
) -> None:
    # Other weights for each token and for both losses.
    shares = np.outer([0.7, -0.3], np.arange(1.0, 5))

    def run() -> tuple[tf.Tensor, ...]:
        logits = tf.constant(LOGITS, tf.float32)
        targets = tf.constant(TARGETS)
        with tf.GradientTape() as tape:
            tape.watch(logits)
            found = [
                shard_statistics(
                    logits[:, slice(*shard)], targets, shard, smoothing > 0
                )
                for shard in vocabulary_shards(7, shards)
            ]
            losses = merged_losses(found, 7, smoothing)
            total = tf.reduce_sum(tf.stack(losses) * tf.cast(shares, tf.float32))
        return *losses, tape.gradient(total, logits)

    loss, nats, gradient = EXECUTIONS[execution](run)()
    assert_close(loss, softmax.cross_entropy(LOGITS, TARGETS, smoothing), "float32")
    assert_close(nats, softmax.cross_entropy(LOGITS, TARGETS), "float32")
    expected = [
        share[:, np.newaxis] * softmax.cross_entropy_backward(LOGITS, TARGETS, epsilon)
        for share, epsilon in zip(shares, (smoothing, 0.0), strict=True)
    ]
    assert_close(gradient, sum(expected), "float32")


def test_every_number_has_its_gradient() -> None:
    shard, logits = VocabularyShard(2, 5), LOGITS[:, 2:5].copy()
    shares = np.random.default_rng(1).normal(size=(3, 4))

    def total() -> float:
        own = (TARGETS >= 2) & (TARGETS < 5)
        of_target = np.where(
            own, logits[np.arange(4), np.where(own, TARGETS - 2, 0)], 0
        )
        numbers = np.logaddexp.reduce(logits, axis=1), of_target, logits.sum(1)
        return (np.array(numbers) * shares).sum()

    tensor = tf.constant(logits, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        found = shard_statistics(tensor, tf.constant(TARGETS), shard, smoothed=True)
        loss = tf.reduce_sum(tf.stack(found) * tf.cast(shares, tf.float32))
    assert float(loss) == pytest.approx(total(), rel=1e-5)
    gradient = tape.gradient(loss, tensor).numpy()
    assert_gradient(gradient, numeric_gradient(total, logits), atol=1e-5)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_huge_logits_stay_finite(smoothing: float) -> None:
    logits = 1e4 * LOGITS
    tensor = tf.constant(logits, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        found = [
            shard_statistics(
                tensor[:, slice(*shard)], tf.constant(TARGETS), shard, True
            )
            for shard in vocabulary_shards(7, 3)
        ]
        loss, _ = merged_losses(found, 7, smoothing)
    assert_close(loss, softmax.cross_entropy(logits, TARGETS, smoothing), "float32")
    expected = softmax.cross_entropy_backward(logits, TARGETS, smoothing)
    assert_close(tape.gradient(loss, tensor), expected, "float32")
