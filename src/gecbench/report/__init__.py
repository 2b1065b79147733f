"""Scores of systems shown to people and programs: text, JSON, Markdown, LaTeX, TSV."""

from gecbench.report.report import Report, Scores
from gecbench.report.tables import FORMATS, Table, render_rows, render_table

__all__ = ["FORMATS", "Report", "Scores", "Table", "render_rows", "render_table"]
