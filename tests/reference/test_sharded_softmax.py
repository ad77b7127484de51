import numpy as np

from tests.reference import sharded_softmax
from tests.reference.differences import assert_gradient, numeric_gradient


def test_gradients_are_those_of_differences() -> None:
    random = np.random.default_rng(0)
    inputs, kernel, bias = (
        random.normal(size=shape) for shape in ((3, 2), (2, 5), (5,))
    )
    targets, shares = np.array([4, 0, 2]), random.normal(size=(2, 3))

    def run() -> tuple[np.ndarray, ...]:
        return sharded_softmax.losses_and_gradients(
            inputs, kernel, bias, targets, 0.1, shares
        )

    def total() -> float:
        return (np.array(run()[:2]) * shares).sum()

    for array, gradient in zip((inputs, kernel, bias), run()[2:], strict=True):
        assert_gradient(gradient, numeric_gradient(total, array))


def test_log_probs_sum_to_one_and_ties_keep_their_order() -> None:
    found = sharded_softmax.log_probs(np.eye(2), np.eye(2, 3), np.zeros(3))
    np.testing.assert_allclose(np.exp(found).sum(-1), 1.0)
    np.testing.assert_array_equal(
        sharded_softmax.best_words(found, 3), [[0, 1, 2], [1, 0, 2]]
    )
