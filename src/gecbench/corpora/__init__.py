"""Named corpora: download upstream files and turn them into typed rows, datasets and scorable corpora."""
