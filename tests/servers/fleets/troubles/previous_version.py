"""A host that still has the previous version."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.servers.fleets.host import ROOT, Host
from tests.servers.fleets.trial import Trouble

if TYPE_CHECKING:
    from tests.servers.fleets.fleet import Fleet


class PreviousVersion(Trouble):
    """Workers of the version before ours, and a crawl that asked for what they make."""

    name = "worker of the previous version"

    @contextmanager
    def open_host(self, fleet: Fleet) -> Iterator[Host]:
        tree = fleet.home.with_name("previous tree")
        copy_version(tree, -1)
        environment = {**fleet.environment, "PYTHONPATH": f"{tree}:{ROOT}"}
        yield Host(fleet.home.with_name("previous"), environment)

    def begin(self, fleet: Fleet) -> None:
        """It is there from the start."""


def copy_version(tree: Path, step: int) -> str:
    """Copy the installation, and move the version of its stage `extract`; return ours."""
    for package in ("crawler", "storage", "workers"):
        # with what was compiled of it, since times are copied, too
        shutil.copytree(ROOT / package, tree / package)
    file = tree / "crawler/extract/version.py"
    (now,) = re.findall(r'VERSION: Final = "(\d+)"', file.read_text())
    file.write_text(file.read_text().replace(f'"{now}"', f'"{int(now) + step}"'))
    return str(now)
