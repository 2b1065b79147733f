"""What is scored: sources, references, edits and error groups, and the checks of what callers pass."""
