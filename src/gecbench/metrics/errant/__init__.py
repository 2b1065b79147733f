"""ERRANT: F-beta of typed edits."""
