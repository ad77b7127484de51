"""From a model to text: beam search and the translator."""

from nmt.decoding.beam_search import Attention, beam_search
from nmt.decoding.files import DecodingRequest, decode_file
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.search_options import SearchOptions
from nmt.decoding.translation import DecodingReport, Hypothesis, Translation
from nmt.decoding.translator import Translator

__all__ = [
    "Attention",
    "DecodingReport",
    "DecodingRequest",
    "Hypotheses",
    "Hypothesis",
    "SearchOptions",
    "Translation",
    "Translator",
    "beam_search",
    "decode_file",
]
