"""The encoder, the decoders and their sequence-to-sequence model."""

from nmt.models.attention_decoder import AttentionDecoder
from nmt.models.bridge import Bridge
from nmt.models.build import build_model
from nmt.models.decoder import Decoder
from nmt.models.deep_output import DeepOutput
from nmt.models.encoder import DecoderOutputs, DecoderStart, Encoder, Encoding
from nmt.models.fixed_context import FixedContext
from nmt.models.parameters import parameter_count
from nmt.models.seq2seq import LossSum, Seq2Seq
from nmt.models.softmax import WordLogits

__all__ = [
    "AttentionDecoder",
    "Bridge",
    "Decoder",
    "DecoderOutputs",
    "DecoderStart",
    "DeepOutput",
    "Encoder",
    "Encoding",
    "FixedContext",
    "LossSum",
    "Seq2Seq",
    "WordLogits",
    "build_model",
    "parameter_count",
]
