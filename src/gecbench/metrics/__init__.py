"""Metrics: each turns a sentence into a matrix of counts, references × counts, and totals into a value."""
