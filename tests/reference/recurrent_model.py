"""A random language model with a recurrent state, in float64 and as a step function."""

import numpy as np
import tensorflow as tf

BOS_ID, EOS_ID = 1, 2


class RecurrentModel:
    """h_i = tanh(E y_{i-1} + U h_{i-1}), p(y_i) = softmax(V h_i + b)."""

    def __init__(self, seed: int, vocabulary_size: int, eos_bias: float = 0.0):
        random = np.random.default_rng(seed)
        self.size = size = 4
        self.embeddings = random.normal(size=(vocabulary_size, size))
        self.recurrent = random.normal(size=(size, size))
        self.output = random.normal(size=(size, vocabulary_size))
        self.bias = np.zeros(vocabulary_size)
        self.bias[EOS_ID] = eos_bias
        self.start = random.normal(size=(7, size))

    def next_word(self, sentence: int, words: tuple[int, ...]) -> np.ndarray:
        hidden = self.start[sentence]
        for word in (BOS_ID, *words):
            hidden = np.tanh(self.embeddings[word] + hidden @ self.recurrent)
        logits = hidden @ self.output + self.bias
        return logits - np.logaddexp.reduce(logits)

    def state(self, sentences: int) -> dict[str, tf.Tensor]:
        return {"hidden": tf.constant(self.start[:sentences], tf.float32)}

    def step(
        self, ids: tf.Tensor, state: dict[str, tf.Tensor]
    ) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
        embeddings, recurrent, output, bias = (
            tf.constant(weight, tf.float32)
            for weight in (self.embeddings, self.recurrent, self.output, self.bias)
        )
        hidden = tf.tanh(tf.gather(embeddings, ids) + state["hidden"] @ recurrent)
        return hidden @ output + bias, {"hidden": hidden}
