"""Metrics: each computes a matrix of counts per sentence (references × counts), and a value from their totals."""
