"""Human performance and human judgments.

This covers the human bound, rankings, agreement, extent of change and meta-evaluation.
"""
