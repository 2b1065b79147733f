"""Metrics: each computes a matrix of counts per sentence (references × counts), then a value from corpus totals."""
