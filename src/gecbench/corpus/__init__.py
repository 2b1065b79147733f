"""Corpora and predictions.

The modules cover sources, references, edits, error groups, tokenization and input checks.
"""
