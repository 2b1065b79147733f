"""Files: parallel text, JSON Lines and M2, one reader and one writer each."""
