"""Correct a corpus with commands, functions, transformers or served models."""

from gecbench.models.base import Model, ModelError, make_model
from gecbench.models.correction import correct, default_output, partial_path, written_paths

__all__ = ["Model", "ModelError", "correct", "default_output", "make_model", "partial_path", "written_paths"]
