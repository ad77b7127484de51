"""Keras layers that stand alone: the LSTM, its deep stack, the loss."""
