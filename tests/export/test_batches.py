"""Rows are worked on in batches, and each result goes to its own row."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.export.batches import in_batches


@pytest.mark.parametrize("count", [0, 1, 9])
@pytest.mark.parametrize("batch_size", [1, 4, 100])
def test_every_row_gets_its_own_result(count: int, batch_size: int) -> None:
    lengths = tf.constant(np.random.default_rng(count).integers(0, 5, count), tf.int32)

    @tf.function
    def run(lengths: tf.Tensor) -> dict[str, tf.Tensor]:
        results = {
            "row": -tf.ones_like(lengths),
            "text": tf.fill([tf.size(lengths), 2], "none"),
        }

        def make(rows: tf.Tensor) -> dict[str, tf.Tensor]:
            text = tf.strings.as_string(rows)
            return {"row": rows, "text": tf.stack([text, text], axis=1)}

        return in_batches(make, lengths, results, batch_size)

    found = run(lengths)
    expected = [row if length else -1 for row, length in enumerate(lengths.numpy())]
    assert found["row"].numpy().tolist() == expected
    texts = [2 * [b"none" if row < 0 else str(row).encode()] for row in expected]
    assert found["text"].numpy().tolist() == texts


def test_batches_are_bounded_by_rows_and_by_tokens() -> None:
    sizes = []

    def make(rows: tf.Tensor) -> tf.Tensor:
        sizes.append(int(tf.size(rows)))
        return rows

    # Two rows of 50 tokens are as much as a batch of two may have.
    in_batches(make, tf.constant([60, 3, 50, 4, 50]), tf.zeros([5], tf.int32), 2)
    assert sizes == [2, 2, 1]
