"""Named corpora: pinned upstream files, turned into typed rows, datasets and corpora ready to score."""
