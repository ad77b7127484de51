import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.cross_entropy import token_cross_entropy
from tests.layers.cases import EXECUTIONS
from tests.reference import softmax
from tests.tolerance import assert_close

TARGETS = np.array([0, 6, 3, 3])
LOGITS = np.random.default_rng(0).normal(0, 3, (4, 7))


@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_and_gradient_equal_the_reference(
    smoothing: float, execution: str
) -> None:
    def run() -> tuple[tf.Tensor, tf.Tensor]:
        logits = tf.constant(LOGITS, tf.float32)
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss = token_cross_entropy(logits, tf.constant(TARGETS), smoothing)
        return loss, tape.gradient(loss, logits)

    loss, gradient = EXECUTIONS[execution](run)()
    expected = softmax.cross_entropy(LOGITS, TARGETS, smoothing)
    assert_close(loss, expected, "float32", "loss")
    expected = softmax.cross_entropy_backward(LOGITS, TARGETS, smoothing)
    assert_close(gradient, expected, "float32", "gradient")


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_half_precision_logits_are_summed_in_float32(smoothing: float) -> None:
    logits = tf.constant(LOGITS, tf.bfloat16)
    loss = token_cross_entropy(logits, tf.constant(TARGETS), smoothing)
    assert loss.dtype == tf.float32
    rounded = tf.cast(logits, tf.float64).numpy()
    assert_close(loss, softmax.cross_entropy(rounded, TARGETS, smoothing), "float32")


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_huge_logits_stay_finite(smoothing: float) -> None:
    logits = 1e4 * LOGITS
    loss = token_cross_entropy(
        tf.constant(logits, tf.float32), tf.constant(TARGETS), smoothing
    )
    assert_close(loss, softmax.cross_entropy(logits, TARGETS, smoothing), "float32")


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_target_outside_the_vocabulary_is_refused(smoothing: float) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="7"):
        token_cross_entropy(tf.zeros([1, 7]), tf.constant([7]), smoothing)


def test_no_tokens_have_no_loss() -> None:
    loss = token_cross_entropy(tf.zeros([0, 7]), tf.zeros([0], tf.int32), 0.1)
    assert loss.shape == [0]
