import keras
import numpy as np
import tensorflow as tf

from nmt.layers.reseeding import reseeded


def test_values_are_others_with_and_without_a_seed() -> None:
    for seed in (None, 5):
        draw = keras.initializers.RandomNormal(seed=seed)
        values = [each([4, 4]) for each in (draw, reseeded(draw, 1), reseeded(draw, 2))]
        assert len(np.unique([value[0, 0] for value in values])) == 3


def test_reseeding_leaves_alone_what_has_no_seed() -> None:
    zeros = keras.initializers.Zeros()
    generator = keras.random.SeedGenerator(1)
    drawn = keras.initializers.RandomNormal(seed=generator)
    for initializer in (zeros, drawn, tf.zeros):
        assert reseeded(initializer, 3) is initializer


def test_reseeded_initializers_are_far_apart() -> None:
    draw = keras.initializers.RandomNormal(seed=5)
    seeds = [reseeded(draw, offset).seed for offset in range(3)]
    assert seeds == [5, 1005, 2005]
