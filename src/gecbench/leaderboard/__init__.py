"""The leaderboard: records of submissions, their storage, and the board's page."""
