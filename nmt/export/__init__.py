"""Trained models as SavedModels, for serving."""

from nmt.export.export import export_model
from nmt.export.options import ServingOptions
from nmt.export.request import ExportRequest
from nmt.export.serving_module import ServingModule

__all__ = ["ExportRequest", "ServingModule", "ServingOptions", "export_model"]
