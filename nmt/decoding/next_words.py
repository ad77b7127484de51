"""Which words may follow a hypothesis, and which of them are worth a look."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from nmt.decoding.extension import NextWords
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.search_options import SearchOptions
from nmt.decoding.top_words import top_words
from nmt.layers import Logits, join_shards, largest_logits, map_shards, vocabulary_size

_INFINITY = float("inf")


def forbid(
    logits: Logits,
    hypotheses: Hypotheses,
    position: tf.Tensor,
    eos_id: int,
    options: SearchOptions,
    prefix: tf.Tensor | None = None,
) -> Logits:
    """Returns the logits with -inf at words that must not come now.

    Args:
        logits: float32, `[batch, beam, vocabulary]` or slices of it.
        hypotheses: What came before, `[batch, beam]`.
        position: Tokens of every live hypothesis.
        eos_id: The word that finishes a hypothesis.
        options: What is forbidden.
        prefix: int32, `[batch, prefix_len]`: words to begin with, 0 after them. They
            come even where they are forbidden.
    """
    required = None
    if prefix is not None:
        length = tf.shape(prefix)[1]
        # One more column, so that there is one to look at after the prefix.
        column = tf.pad(prefix, [[0, 0], [0, 1]])[:, tf.minimum(position, length)]
        required = column[:, tf.newaxis, tf.newaxis]

    def forbid_in(shard: tf.Tensor, first: Any) -> tf.Tensor:
        words = tf.range(first, first + tf.shape(shard)[2])
        forbidden = _is_any_of(words, options.forbidden_ids)
        if options.min_length:
            forbidden |= tf.equal(words, eos_id) & (position < options.min_length)
        if options.no_repeat_ngram_size:
            # The end of sentence cannot have come before.
            forbidden |= repeats_ngram(
                hypotheses.ids,
                position,
                options.no_repeat_ngram_size,
                tf.size(words),
                first,
            )
        if required is not None:
            forbidden = tf.where(tf.equal(required, 0), forbidden, words != required)
        return tf.where(forbidden, -_INFINITY, shard)

    return map_shards(forbid_in, logits)


def repeats_ngram(
    ids: tf.Tensor,
    position: tf.Tensor,
    n: int,
    vocabulary_size: tf.Tensor,
    first: int = 0,
) -> tf.Tensor:
    """Tells which words would make n words in a row that were there before.

    Args:
        ids: int32, `[batch, beam, max_length]`; its first `position` words count.
        position: int32 scalar.
        n: At least 1.
        vocabulary_size: Of the result.
        first: Id of its first word, where it is a slice of a vocabulary.

    Returns:
        bool, `[batch, beam, vocabulary]`.

    Example:
        >>> ids = tf.constant([[[1, 2, 3, 1, 2, 0, 0]]])
        >>> repeats_ngram(ids, 5, n=3, vocabulary_size=5).numpy().tolist()
        [[[False, False, False, True, False]]]
    """
    shape = tf.shape(ids)
    rows, length = shape[0] * shape[1], shape[2]
    flat = tf.reshape(ids, [rows, length])
    # An n-gram that begins at place j has its last word at place j + n - 1.
    starts = tf.range(length)
    matches = tf.fill([rows, length], True) & (starts + n - 1 < position)
    for k in range(n - 1):
        last = tf.gather(flat, [tf.maximum(position - n + 1 + k, 0)], axis=1)
        matches &= tf.equal(tf.roll(flat, -k, axis=1), last)
    words = tf.where(matches, tf.roll(flat, 1 - n, axis=1) - first, -1)
    places = tf.stack([tf.range(rows)[:, tf.newaxis] + tf.zeros_like(words), words], -1)
    # What is no match, or of another slice, goes to a column that is cut off.
    outside = (words < 0) | (words >= vocabulary_size)
    places = tf.where(outside[:, :, tf.newaxis], [0, vocabulary_size], places)
    counts = tf.scatter_nd(
        places, tf.ones_like(words), [tf.maximum(rows, 1), vocabulary_size + 1]
    )
    counts = counts[:rows, :vocabulary_size]
    return tf.reshape(counts > 0, [shape[0], shape[1], vocabulary_size])


def best_allowed_words(
    logits: Logits,
    log_normalizer: tf.Tensor,
    position: tf.Tensor,
    eos_id: int,
    options: SearchOptions,
) -> NextWords:
    """Does what `forbid` and `best_words` do where few words are ever forbidden.

    As many words more are looked at as can be forbidden, and those that are lose their
    probability then: the logits need not be copied, 4 % of a step of a large beam.

    Args:
        logits: float32, `[batch, beam, vocabulary]` or slices of it.
        log_normalizer: float32, `[batch, beam, 1]`: log sum exp of all logits.
        position: Tokens of every live hypothesis.
        eos_id: The word that finishes a hypothesis.
        options: Which words are forbidden; n-grams are not.
    """
    can_be = {*options.forbidden_ids, eos_id}
    count = log_normalizer.shape[1] + 1 + len(can_be)
    best, ids = largest_logits(logits, _at_most(logits, count), top_words)
    forbidden = tf.zeros_like(ids, tf.bool)
    for word in options.forbidden_ids:
        forbidden |= tf.equal(ids, word)
    if options.min_length:
        forbidden |= tf.equal(ids, eos_id) & (position < options.min_length)
    log_probs = tf.where(forbidden, -_INFINITY, best - log_normalizer)
    return NextWords(ids, log_probs)


def best_words(
    logits: Logits, log_normalizer: tf.Tensor, loss: tf.Tensor | None = None
) -> NextWords:
    """Returns the words of which the beam can be made.

    No more than `beam` extensions of one hypothesis can stay in a beam, one more where
    the end of sentence is set aside.

    Args:
        logits: float32, `[batch, beam, vocabulary]` or slices of it, -inf at forbidden
            words.
        log_normalizer: float32, `[batch, beam, 1]`: log sum exp of all logits.
        loss: float32, `[batch, 1, vocabulary]`, what words lose when they are chosen;
            slices are put together for it.
    """
    words = _at_most(logits, log_normalizer.shape[1] + 1)
    if loss is None:
        best, ids = largest_logits(logits, words, top_words)
        return NextWords(ids, best - log_normalizer)
    logits = join_shards(logits)
    ids = tf.math.top_k(logits - loss, words).indices
    best = tf.gather(logits, ids, batch_dims=2)
    lost = tf.gather(loss + tf.zeros_like(logits), ids, batch_dims=2)
    return NextWords(ids, best - log_normalizer, lost)


def sampled_words(
    logits: Logits,
    log_normalizer: tf.Tensor,
    uniform: tf.Tensor,
    options: SearchOptions,
) -> NextWords:
    """Draws one word for each hypothesis, from softmax(logits / temperature).

    Only the `top_k` most likely words take part, and of them only the fewest that
    together have a probability of `top_p`. The log probability of a word is the
    model's, whatever it was drawn from.

    Args:
        logits: float32, `[batch, beam, vocabulary]` or slices of it, -inf at forbidden
            words.
        log_normalizer: float32, `[batch, beam, 1]`.
        uniform: float32, `[batch, beam]`, in [0, 1): the word is where the cumulative
            probability, likeliest words first, passes it.
        options: The temperature and what takes part.
    """
    count = vocabulary_size(logits)
    if options.top_k:
        count = _at_most(logits, options.top_k)
    best, ids = largest_logits(logits, count)
    # The largest becomes 0, so that no temperature makes it infinite.
    probs = tf.nn.softmax((best - best[:, :, :1]) / options.temperature)
    before = tf.cumsum(probs, axis=2, exclusive=True)
    probs = tf.where(before < options.top_p, probs, 0.0)
    total = tf.reduce_sum(probs, axis=2)
    passed = tf.cumsum(probs, axis=2) <= (uniform * total)[:, :, tf.newaxis]
    place = tf.reduce_sum(tf.cast(passed, tf.int32), axis=2, keepdims=True)
    # Rounding could pass the last word that has a probability.
    last = tf.reduce_sum(tf.cast(probs > 0, tf.int32), axis=2, keepdims=True) - 1
    place = tf.maximum(tf.minimum(place, last), 0)
    drawn, ids = (tf.gather(part, place, batch_dims=2) for part in (best, ids))
    return NextWords(ids, drawn - log_normalizer)


def uniform_numbers(
    keys: tf.Tensor, seed: int, longest: tf.Tensor, beam_size: int
) -> tf.Tensor:
    """Returns the numbers that samples are drawn with: each sentence has its own.

    Args:
        keys: int32, `[batch]`: equal ones get equal numbers, whatever else is there.
        seed: Of all of them.
        longest: Numbers for each hypothesis.
        beam_size: Hypotheses a sentence.

    Returns:
        float32, `[batch, longest, beam]`, in [0, 1).
    """
    # One key more: with none at all, map_fn could not tell the shape.
    numbers = tf.map_fn(
        lambda key: tf.random.stateless_uniform(
            [longest, beam_size], [seed, key], alg="philox"
        ),
        tf.pad(keys, [[0, 1]]),
        fn_output_signature=tf.TensorSpec([None, beam_size], tf.float32),
    )
    return numbers[:-1]


def _at_most(logits: Logits, count: int) -> Any:
    """Returns the count, or the size of the vocabulary if that is less."""
    size = vocabulary_size(logits)
    return min(count, size) if isinstance(size, int) else tf.minimum(count, size)


def _is_any_of(words: tf.Tensor, ids: Sequence[int]) -> tf.Tensor:
    """Returns bool, `[vocabulary]`."""
    those = tf.constant(ids, tf.int32, [len(ids)])
    return tf.reduce_any(words[:, tf.newaxis] == those, axis=1)
