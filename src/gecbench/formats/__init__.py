"""Read and write the files of corpora, predictions, scores and judgments.

Corpora are stored as parallel text, tables, JSON Lines, M2 or I-measure XML.
"""
