"""I-measure."""
