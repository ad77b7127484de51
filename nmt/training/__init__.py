"""Training: recipe, loop, checkpoints and everything that a run writes."""
