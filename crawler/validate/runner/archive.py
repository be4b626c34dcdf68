"""Pack the runner as one file: `python3 runner.pyz BUNDLE RESULTS`."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

_MAIN = "import sys\n\nfrom runner.supervisor import main\n\nraise SystemExit(main(sys.argv[1:]))\n"
_TIME = (1980, 1, 1, 0, 0, 0)


def build_archive() -> bytes:
    """Return the bytes of `runner.pyz`, always the same."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for path in sorted(Path(__file__).parent.glob("*.py")):
            archive.writestr(
                zipfile.ZipInfo(f"runner/{path.name}", _TIME), path.read_bytes()
            )
        archive.writestr(zipfile.ZipInfo("__main__.py", _TIME), _MAIN)
    return file.getvalue()
