"""From models to text: beam search, ensembles and the translator."""

from nmt.decoding.beam_search import beam_search
from nmt.decoding.ensemble import Ensemble, ForcedDecoding
from nmt.decoding.files import decode_file
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.prefix_tree import PrefixTree
from nmt.decoding.report import DecodingReport
from nmt.decoding.request import DecodingRequest
from nmt.decoding.scorer import ListScores, Scorer
from nmt.decoding.search_loop import Attention
from nmt.decoding.search_options import SearchOptions
from nmt.decoding.translation import Hypothesis, Translation
from nmt.decoding.translation_options import TranslationOptions
from nmt.decoding.translator import Translator

__all__ = [
    "Attention",
    "DecodingReport",
    "DecodingRequest",
    "Ensemble",
    "ForcedDecoding",
    "Hypotheses",
    "Hypothesis",
    "ListScores",
    "PrefixTree",
    "Scorer",
    "SearchOptions",
    "Translation",
    "TranslationOptions",
    "Translator",
    "beam_search",
    "decode_file",
]
