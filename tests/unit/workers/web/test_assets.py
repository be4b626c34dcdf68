"""The page is in the wheel, whole: who installs it builds nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[4]


def test_a_wheel_holds_all_that_the_page_is_made_of(tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "hatchling"
    words = [str(program), "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    members = set(ZipFile(wheel).namelist())
    assets = {
        str(path.relative_to(ROOT))
        for folder in ("static", "templates")
        for path in (ROOT / "workers/web" / folder).iterdir()
    }
    assert len(assets) > 10
    assert assets <= members
