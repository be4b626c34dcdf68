"""A home that cannot be written is the operator's to mend, and said to be."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.conftest import PROGRAM
from tests.servers.fleets.troubles.full_disk import own_mounts

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset


@pytest.mark.parametrize("verb", ["crawl", "query"])
def test_a_home_that_is_mounted_read_only_is_named(
    kernelset: Kernelset, project: Path, verb: str
) -> None:
    kernelset.home.mkdir()
    words = [PROGRAM, verb, *([project] if verb == "crawl" else [])]
    mount = f"mount -t tmpfs -o ro tmpfs {kernelset.home} || exit 77"
    script = f"{mount}\nexec {shlex.join(map(str, words))}"
    ended = subprocess.run(
        [*own_mounts(), "sh", "-c", script],
        env=kernelset.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode == 77:
        pytest.skip("no file system can be mounted here")
    assert ended.returncode == 2, ended.stderr
    assert "[read-only-home]" in ended.stderr
    assert str(kernelset.home) in ended.stderr
