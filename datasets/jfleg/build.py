"""Build and verify the Parquet files of this folder.

Usage: `python build.py [configuration …]`.
"""

import sys
from pathlib import Path

from gecbench.cli import main

if __name__ == "__main__":
    folder = ["-o", str(Path(__file__).resolve().parent)]
    built = main(["data", "build", "jfleg", *sys.argv[1:], *folder])
    sys.exit(built or main(["data", "verify", "jfleg", *folder]))
