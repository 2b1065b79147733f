"""Named corpora.

Download the files of their owners, and turn them into typed rows, datasets and corpora for scoring.
"""
