"""The leaderboard: records of submissions, a folder or Hub repository of them, and the page that shows them."""
