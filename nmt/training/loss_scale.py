"""The factor that keeps small gradients of float16 from becoming zero."""

from nmt.config import TrainingConfig
from nmt.training.checkpoints import Counters

# Of the first updates; halved until gradients are finite.
INITIAL = 2.0**15
# Updates in a row with finite gradients, after which a larger factor is tried.
_UPDATES_BEFORE_GROWTH = 2000


def loss_scale(config: TrainingConfig, counters: Counters) -> float:
    """Returns what the loss of the next update is multiplied with.

    With `float16` gradients below 6e-8 are zero, and above 65,504 infinite
    (Micikevicius et al., 2018, section 3.2). The other precisions have the range of
    float32, and need no factor.

    Args:
        config: Names the precision.
        counters: `loss_scale` of the training so far; 0 before the first update.
    """
    if config.precision != "float16":
        return 1.0
    return counters.loss_scale or INITIAL


def adjust(config: TrainingConfig, counters: Counters, finite: bool) -> bool:
    """Adjusts the factor to what an update gave.

    Gradients that are not finite halve it, down to 1; 2,000 updates in a row with
    finite ones double it.

    Args:
        config: Names the precision.
        counters: Changed in place.
        finite: Whether the gradients were.

    Returns:
        Whether gradients that were not finite are explained by the factor, so that the
        next update may well have finite ones.
    """
    scale = loss_scale(config, counters)
    if config.precision != "float16":
        return False
    counters.updates_at_scale = counters.updates_at_scale + 1 if finite else 0
    counters.loss_scale = scale
    if not finite:
        counters.loss_scale = max(scale / 2.0, 1.0)
    elif counters.updates_at_scale == _UPDATES_BEFORE_GROWTH:
        counters.loss_scale, counters.updates_at_scale = 2.0 * scale, 0
    return not finite and scale > 1.0
