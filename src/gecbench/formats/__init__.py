"""Read and write files: parallel text, tables, JSON Lines, M2, I-measure XML, scores and judgments."""
