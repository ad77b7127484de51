"""What is particular to multiplicative attention; the rest: `test_attention_layers`."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.luong_attention import LuongAttention
from tests.layers.attentions import make
from tests.tolerance import assert_close


def test_weights_have_the_papers_shapes() -> None:
    assert make("dot").weights == []
    assert make("general").memory_kernel.shape == (4, 3)
    assert make("scaled").count_params() == make("general").count_params() + 1


def test_scale_starts_at_one() -> None:
    query, annotations = tf.random.normal([2, 3]), tf.random.normal([2, 5, 4])
    layers = [LuongAttention(score) for score in ("general", "scaled")]
    for layer in layers:
        layer.build(query.shape, annotations.shape)
    layers[1].memory_kernel.assign(layers[0].memory_kernel)
    general, scaled = (layer(query, annotations)[1] for layer in layers)
    np.testing.assert_array_equal(general, scaled)


def test_unknown_score_is_refused() -> None:
    with pytest.raises(ValueError, match=r"score must be one of .*'dot'.*'concat'"):
        LuongAttention("concat")


def test_dot_needs_equal_widths() -> None:
    with pytest.raises(ValueError, match="got 3 and 4; use score='general'"):
        LuongAttention("dot")(tf.ones([2, 3]), tf.ones([2, 5, 4]))


def test_memory_needs_the_layer_built() -> None:
    with pytest.raises(ValueError, match="call build"):
        LuongAttention().build_memory(tf.ones([2, 5, 4]))


def test_energies_are_in_float32() -> None:
    layer = LuongAttention("dot", dtype="mixed_bfloat16")
    # 257 and 256: bfloat16 has no numbers between 256 and 258.
    annotations = tf.constant([[[16.0, 1.0], [16.0, 0.0]]])
    _, alignments = layer(tf.constant([[16.0, 1.0]]), annotations)
    expected = np.exp([[1.0, 0.0]]) / (1 + np.e)
    assert_close(alignments, expected, "float32")
