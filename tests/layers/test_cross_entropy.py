import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.cross_entropy import token_cross_entropy, token_losses
from tests.layers.cases import EXECUTIONS, assert_equal_nests
from tests.reference import softmax
from tests.reference.differences import assert_gradient, numeric_gradient
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


@pytest.mark.parametrize("execution", ["eager", "graph"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weights", [(1.0, 0.0), (0.0, 1.0), (0.7, -0.3)])
def test_losses_and_their_gradients_equal_the_reference(
    weights: tuple[float, float], smoothing: float, execution: str
) -> None:
    # Another weight for each token, so that no two gradients are alike.
    shares = np.outer(weights, np.arange(1.0, 5))

    def run() -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        logits = tf.constant(LOGITS, tf.float32)
        with tf.GradientTape() as tape:
            tape.watch(logits)
            losses = token_losses(logits, tf.constant(TARGETS), smoothing)
            total = tf.reduce_sum(tf.stack(losses) * tf.cast(shares, tf.float32))
        return *losses, tape.gradient(total, logits)

    def total(logits: np.ndarray) -> float:
        losses = [
            softmax.cross_entropy(logits, TARGETS, each) for each in (smoothing, 0)
        ]
        return (np.array(losses) * shares).sum()

    loss, nats, gradient = EXECUTIONS[execution](run)()
    assert_close(loss, softmax.cross_entropy(LOGITS, TARGETS, smoothing), "float32")
    assert_close(nats, softmax.cross_entropy(LOGITS, TARGETS), "float32")
    logits = LOGITS.copy()
    measured = numeric_gradient(lambda: total(logits), logits)
    assert_gradient(gradient.numpy(), measured, atol=1e-5)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_gradient_equals_automatic_differentiation_of_the_formula(
    smoothing: float,
) -> None:
    logits, targets = tf.constant(LOGITS, tf.float32), tf.constant(TARGETS)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(logits)
        loss = tf.reduce_sum(token_cross_entropy(logits, targets, smoothing) ** 2)
        log_probs = tf.nn.log_softmax(logits)
        labels = (1 - smoothing) * tf.one_hot(targets, 7) + smoothing / 7
        plain = tf.reduce_sum(tf.reduce_sum(labels * log_probs, -1) ** 2)
    gradients = [tape.gradient(each, logits) for each in (loss, plain)]
    assert_equal_nests(*gradients, "float32")


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_gradient_of_half_precision_logits_is_in_their_type(dtype: tf.DType) -> None:
    logits = tf.constant(LOGITS, tf.bfloat16)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss, _ = token_losses(logits, tf.constant(TARGETS, dtype), 0.1)
    gradient = tape.gradient(loss, logits)
    assert gradient.dtype == tf.bfloat16
    expected = softmax.cross_entropy_backward(LOGITS, TARGETS, 0.1)
    assert_close(tf.cast(gradient, tf.float32), expected, "bfloat16")
