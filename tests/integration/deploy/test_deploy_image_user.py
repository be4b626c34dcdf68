"""An image used like the program: whatever its caller's user is, what is written belongs to the
caller.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ENTRYPOINT = Path(__file__).resolve().parents[3] / "deploy" / "entrypoint"
KERNEL = "__global__ void k(float* x) { x[threadIdx.x] = 1; }\nvoid run(float* x) { k<<<1, 32>>>(x); }\n"
UNKNOWN = ["unshare", "--user", "--map-user=4321", "--map-group=4322"]
"""Starts a program as a user whom nothing here knows, as `docker run --user 4321:4322` does."""


def is_possible() -> bool:
    return (
        subprocess.run([*UNKNOWN, "true"], capture_output=True, check=False).returncode
        == 0
    )


@pytest.mark.apt
def test_what_is_written_belongs_to_the_caller(tmp_path: Path) -> None:
    if not is_possible():
        pytest.skip("no user namespaces here")
    (tmp_path / "a.cu").write_text(KERNEL)
    (tmp_path / "state").mkdir(mode=0o777)
    extract = f"sh {ENTRYPOINT} extract --input-file a.cu --output-dir out"
    listed = "find out -exec stat --format '%u:%g %n' {} +; echo home $(id --user)"
    ended = subprocess.run(
        [*UNKNOWN, "sh", "-c", f"{extract} >&2 && {listed}"],
        cwd=tmp_path,
        env={
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": "/nonexistent",
            "TMPDIR": str(tmp_path),
            "KERNELSET_HOME": str(tmp_path / "state"),
            # as in a container under Docker's defaults no sandbox works in there
            "KERNELSET_UNSANDBOXED_PARSING": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    *files, user = ended.stdout.splitlines()
    assert user == "home 4321"
    assert "4321:4322 out/k/k.cu" in files
    assert {listing.split()[0] for listing in files} == {"4321:4322"}
