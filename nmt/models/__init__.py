"""The encoder, the decoder and their sequence-to-sequence model."""
