"""Run the command line with `python -m gecbench`."""

import sys

from gecbench.cli import main

sys.exit(main())
