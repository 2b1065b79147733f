"""Drop-in commands with the arguments and output of the official scorers."""
