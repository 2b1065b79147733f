"""The leaderboard: records of submissions, the folder or Hub repository that stores them, and the page of the board."""
