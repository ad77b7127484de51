"""Left-to-right beam search over any step function.

The `beam_size` most likely partial hypotheses are extended by every word, and as
many of the results as the beam is wide are kept, by

    log p(y_1 ... y_i) = sum_{k <= i} log p(y_k | y_1 ... y_{k-1})

without length normalisation. A hypothesis that has taken the end of sentence leaves
the beam, which shrinks by one. The search of a sentence ends when its beam is
empty, or when the hypotheses left in it are as long as `max_lengths` allows. The
papers do not say what becomes of those: here they are returned, flagged as
unfinished, and ranked behind all finished ones. A beam of one is greedy search.
`SearchOptions` vary all that.

The step is normalised over the whole vocabulary, forbidden words included: the log
probability of a hypothesis is the one that forced decoding gives to its words. Nothing
that is found for a sentence depends on its neighbours in the batch.
"""

from typing import Any

import tensorflow as tf

from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.next_words import uniform_numbers
from nmt.decoding.search_loop import Attention, Search, Step
from nmt.decoding.search_options import SearchOptions
from nmt.errors import UserError


def beam_search(
    step: Step,
    state: Any,
    max_lengths: tf.Tensor,
    beam_size: int,
    bos_id: int,
    eos_id: int,
    options: SearchOptions | None = None,
    memory: Any = None,
    prefix: tf.Tensor | None = None,
    sample_keys: tf.Tensor | None = None,
    attention: Attention | None = None,
    n_best: int | None = None,
    longest: int | None = None,
    compact: bool = True,
) -> Hypotheses:
    """Finds likely word sequences, as Sutskever et al. (2014, section 3.2) do.

    How that is done stands above, in the module's docstring; `options` vary it.

    Args:
        step: From the previous words' ids, int32, `[rows]`, and a state to logits,
            float, `[rows, vocabulary]` or slices of it, and the next state. Rows are
            live hypotheses, `beam_size` a sentence; their number changes.
        state: State before the first word: any nest of tensors `[batch, ...]`. The
            search repeats it `beam_size` times and reorders it along the hypotheses.
        max_lengths: int32, `[batch]`, tokens, the end of sentence counted.
        beam_size: Hypotheses a sentence; may exceed the vocabulary.
        bos_id: The word that `step` gets first.
        eos_id: The word that finishes a hypothesis.
        options: What is searched and how it is ranked; None: as the papers do.
        memory: What is the same for all hypotheses of a sentence at all steps: any nest
            of tensors `[batch, ...]`. It is not repeated; `step` gets the rows of the
            sentences that are still searched, as its third argument.
        prefix: int32, `[batch, prefix_len]`: words that every hypothesis of a sentence
            begins with, 0 after them.
        sample_keys: int32, `[batch]`: equal ones draw equal samples. None: the places.
        attention: Where the coverage comes from, if it is asked for.
        n_best: How many of the hypotheses are wanted: with `options.keep_finished`, the
            search may end the sooner. None: all.
        longest: Most tokens of any hypothesis, for XLA, which has to know beforehand.
        compact: Whether sentences that have ended are left out of later steps: 1.5-1.7
            times as quick. Without it all shapes are static, as XLA needs.

    Returns:
        `Hypotheses`, `[batch, beam_size]`, distinct, the finished one of the best score
        first. Those that there are not come last: log probability -inf, no words.

    Raises:
        UserError: an option makes no sense.

    Example:
        Words 0, 1 and 2 (the end) have log probabilities that no state changes.

        >>> log_probs = tf.math.log([[0.5, 0.2, 0.3]])
        >>> step = lambda ids, state: (tf.repeat(log_probs, tf.size(ids), 0), state)
        >>> found = beam_search(step, (), tf.constant([3]), 2, bos_id=2, eos_id=2)
        >>> found.ids.numpy().tolist(), found.finished.numpy().tolist()
        ([[[2, 0, 0], [0, 0, 0]]], [[True, False]])
        >>> tf.exp(found.log_probs).numpy().round(3)
        array([[0.3  , 0.125]], dtype=float32)
    """
    options, n_best = _checked(options, beam_size, n_best, attention)
    limits = tf.cast(max_lengths, tf.int32)
    batch = tf.size(limits)
    size = tf.maximum(tf.reduce_max(limits), 0) if longest is None else longest
    search = Search(
        step,
        limits,
        beam_size,
        eos_id,
        options,
        None if prefix is None else tf.cast(prefix, tf.int32),
        attention if options.coverage_penalty else None,
        _uniform(options, sample_keys, [batch, size, beam_size]),
        n_best,
        compact,
        has_memory=memory is not None,
    )
    return search.run(search.start(batch, size, bos_id, state, memory))


def check_n_best(n_best: int, beam_size: int) -> None:
    """Refuses a list that the search cannot fill.

    Raises:
        UserError: `n_best` exceeds the beam, or is below 1.
    """
    if n_best < 1:
        raise UserError(f"n_best {n_best}: must be at least 1")
    if n_best > beam_size:
        raise UserError(
            f"n_best {n_best} is more than the {beam_size} hypotheses of the beam; "
            "raise beam_size"
        )


def _checked(
    options: SearchOptions | None,
    beam_size: int,
    n_best: int | None,
    attention: Attention | None,
) -> tuple[SearchOptions, int]:
    """Fills in what is None and refuses what makes no sense."""
    options = options or SearchOptions()
    n_best = beam_size if n_best is None else n_best
    options.check(beam_size)
    if options.coverage_penalty and attention is None:
        raise UserError("coverage_penalty needs a model with attention")
    check_n_best(n_best, beam_size)
    return options, n_best


def _uniform(
    options: SearchOptions, keys: tf.Tensor | None, shape: list[Any]
) -> tf.Tensor | None:
    if not options.sample:
        return None
    batch, size, beam_size = shape
    keys = tf.range(batch) if keys is None else keys
    return uniform_numbers(keys, options.seed, size, beam_size)
