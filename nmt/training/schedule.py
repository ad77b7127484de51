"""How far training is, and the learning rate that belongs there."""

import dataclasses

from nmt.config import TrainingConfig
from nmt.errors import UserError


@dataclasses.dataclass(frozen=True)
class Position:
    """A point in training, before an update.

    Attributes:
        update: Optimizer updates made so far.
        examples: Sentence pairs read so far, over all epochs.
        corpus_size: Sentence pairs an epoch.
    """

    update: int
    examples: int
    corpus_size: int

    @property
    def epoch(self) -> float:
        """Epochs done, with the fraction of the one at hand."""
        return self.examples / self.corpus_size


def progress(config: TrainingConfig, position: Position) -> float:
    """Returns the share of training that is done, from 0 to 1.

    Epochs are counted in examples and not in updates, whose number an epoch depends on
    how batches are cut. Of `max_epochs` and `max_updates`, the limit that is nearer
    counts.
    """
    shares = [position.examples / round(config.max_epochs * position.corpus_size)]
    if config.max_updates:
        shares.append(position.update / config.max_updates)
    return min(max(shares), 1.0)


def learning_rate(config: TrainingConfig, position: Position) -> float:
    """Returns the learning rate of the update that starts at `position`.

    With rate r, e epochs done and p = `progress`:

        constant   r
        halving    r / 2^k, k = 0 before epoch e_0, floor(2 (e - e_0)) + 1 from it on
        linear     r (1 - p)

    each times min(1, (u + 1) / w) for update u of w `warmup_updates`. Halving is
    Sutskever et al. (2014), section 3.4, r = 0.7 and e_0 = 5: "after 5 epochs, we began
    halving the learning rate every half epoch", read as 0.35 during epochs 5.0 to 5.5.
    Half epochs are counted in whole examples, so that the change points are exact.

    Args:
        config: Rate, schedule and limits.
        position: Where training is.

    Raises:
        UserError: no such schedule.

    Example:
        >>> paper = TrainingConfig(
        ...     learning_rate=0.7, schedule="halving", warmup_updates=0)
        >>> learning_rate(paper, Position(update=1, examples=549, corpus_size=100))
        0.35
        >>> learning_rate(paper, Position(update=1, examples=550, corpus_size=100))
        0.175
    """
    rate = config.learning_rate
    if config.schedule == "halving":
        begin = round(config.halve_from_epoch * position.corpus_size)
        beyond = position.examples - begin
        if beyond >= 0:
            rate *= 0.5 ** (2 * beyond // position.corpus_size + 1)
    elif config.schedule == "linear":
        rate *= 1.0 - progress(config, position)
    elif config.schedule != "constant":
        raise UserError(
            f"training.schedule={config.schedule!r}: choose 'constant', 'halving' "
            "(the LSTM paper) or 'linear'"
        )
    if config.warmup_updates:
        rate *= min(1.0, (position.update + 1) / config.warmup_updates)
    return rate
