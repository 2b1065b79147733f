"""The I-measure's kernel: count references, and choose among them, listed or mixed (Felice & Briscoe 2015)."""
