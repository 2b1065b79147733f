"""MaxMatch, the kernel of M2 (Dahlmeier & Ng 2012), with the official scorer's counts (docs/m2.md, B.3-B.8)."""
