"""Scores looked into: significance, breakdowns, reports and tables."""
