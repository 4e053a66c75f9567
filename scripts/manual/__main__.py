"""`python scripts/manual`: build the manual into src/trireme/server/manual, strictly."""

from __future__ import annotations

import sys
from pathlib import Path

if __package__ in (None, ""):  # run as a folder: make the folder a package
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from manual.build import build

if __name__ == "__main__":
    sys.exit(build())
