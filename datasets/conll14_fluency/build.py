"""Write the Parquet files of this folder: `python build.py [configuration …]`."""

import sys
from pathlib import Path

from gecbench.corpora.parquet import main

if __name__ == "__main__":
    sys.exit(main("conll14_fluency", Path(__file__).resolve().parent))
