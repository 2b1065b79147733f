"""Files: one reader for each of parallel text, JSON Lines, M2, I-measure XML, scores and judgments, and writers."""
