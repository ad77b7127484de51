"""The encoder, the decoder and their sequence-to-sequence model."""

from nmt.models.build import build_model, parameter_count
from nmt.models.decoder import Decoder
from nmt.models.encoder import Encoder
from nmt.models.seq2seq import LossSum, Seq2Seq

__all__ = [
    "Decoder",
    "Encoder",
    "LossSum",
    "Seq2Seq",
    "build_model",
    "parameter_count",
]
