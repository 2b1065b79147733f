"""Metrics for grammatical error correction.

Each metric computes a matrix of counts (references × counts) for each sentence, then a score from the corpus totals.
"""
