"""N-best lists of other systems: scored by models, mixed, re-ranked and measured."""

from nmt.rescoring.columns import Columns
from nmt.rescoring.files import rescore_file
from nmt.rescoring.mix import Mix
from nmt.rescoring.report import RescoringReport
from nmt.rescoring.request import RescoringRequest

__all__ = ["Columns", "Mix", "RescoringReport", "RescoringRequest", "rescore_file"]
