"""Pack the runner as one file: `python3 runner.pyz BUNDLE RESULTS`."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

_MAIN = (
    "import sys\n\nfrom runner.supervisor import main\n\n"
    "raise SystemExit(main(sys.argv[1:]))\n"
)
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)


def build_archive() -> bytes:
    """Return the bytes of `runner.pyz`, always the same."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path in sorted(Path(__file__).parent.glob("*.py")):
            # A fixed time: the same sources are the same bytes.
            entry = zipfile.ZipInfo(f"runner/{path.name}", _TIMESTAMP)
            archive.writestr(entry, path.read_bytes())

        archive.writestr(zipfile.ZipInfo("__main__.py", _TIMESTAMP), _MAIN)

    return content.getvalue()
