"""Corpora and predictions: sources, references, edits, error groups, tokenization and input checks."""
