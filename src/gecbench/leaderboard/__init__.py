"""The leaderboard: records of submissions, a folder or Hub repository of them, and the page that shows them."""

from gecbench.leaderboard.corpora import resolve_corpus
from gecbench.leaderboard.records import Record
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.submission import Submission, score_submission

__all__ = ["FolderStore", "Record", "Submission", "resolve_corpus", "score_submission"]
