"""A disk that fills up is the operator's to mend; then the same command goes on."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt

SCRIPT = """
mount -t tmpfs -o mode=755,size={size} tmpfs {home} || exit 77
{command}
echo "exit $?" >&2
cp -a {home} {full}
mount -o remount,size=400m {home}
{command}
code=$?
cp -a {home} {mended}
exit $code
"""


@pytest.mark.parametrize(
    ("size", "free_bytes"), [("256k", "0"), ("800k", "0"), ("2m", "268435456")]
)
def test_it_is_said_and_nothing_is_lost(
    kernelset: Kernelset, project: Path, size: str, free_bytes: str
) -> None:
    kernelset.home.mkdir()
    program = Path(sys.executable).parent / "kernelset"
    command = shlex.join(
        map(str, [program, "crawl", project, "--targets", "sm_80", "--workers", "1"])
    )
    full, mended = (
        replace(kernelset, home=kernelset.home.with_name(name))
        for name in ("full", "mended")
    )
    script = SCRIPT.format(
        size=size,
        home=kernelset.home,
        full=full.home,
        mended=mended.home,
        command=command,
    )
    own_mounts = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    ended = subprocess.run(
        [*own_mounts, "sh", "-c", script],
        env={**kernelset.environment, "KERNELSET_FREE_BYTES": free_bytes},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    if ended.returncode == 77:
        pytest.skip("no file system can be mounted here")
    assert "exit 2\n" in ended.stderr, ended.stderr
    assert "disk-full" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.returncode == 0, ended.stderr
    assert "6 (ast 6)" in ended.stdout
    # there may be no room to put a task back, either: the next run takes it over
    full.sound(may_have_leases=True)
    mended.sound()
