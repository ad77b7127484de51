"""Scores of hypotheses against references."""
