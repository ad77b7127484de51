"""Keras layers and losses of the papers: plain arguments, usable without the rest."""

from nmt.layers.cross_entropy import token_cross_entropy
from nmt.layers.lstm import LSTM
from nmt.layers.lstm_cell import LSTMState, LSTMWeights, lstm_step, pad_columns
from nmt.layers.lstm_kernel import lstm_sequence
from nmt.layers.lstm_stack import LSTMStack

__all__ = [
    "LSTM",
    "LSTMStack",
    "LSTMState",
    "LSTMWeights",
    "lstm_sequence",
    "lstm_step",
    "pad_columns",
    "token_cross_entropy",
]
