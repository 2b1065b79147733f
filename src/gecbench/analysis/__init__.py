"""Analysis of scores: significance, breakdowns, reports and tables."""
