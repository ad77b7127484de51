"""What trained models look at and know, and what they are good at, in pictures."""

from nmt.analysis.heat_maps import AlignmentsRequest, draw_alignments
from nmt.analysis.quality import LengthsRequest, draw_quality
from nmt.analysis.sentences import SentencesRequest, draw_sentences

__all__ = [
    "AlignmentsRequest",
    "LengthsRequest",
    "SentencesRequest",
    "draw_alignments",
    "draw_quality",
    "draw_sentences",
]
