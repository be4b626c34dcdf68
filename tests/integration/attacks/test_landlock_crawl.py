"""Without bubblewrap a whole crawl, kernels on the CPU with it, is isolated by Landlock."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from crawler import process
from crawler.process_limits import Limits
from crawler.sandbox.landlock import holder
from tests.integration.attacks.backends import open_reachable_folder
from tests.integration.attacks.ordinary_user import ROOT, as_ordinary_user

pytestmark = pytest.mark.apt("setpriv", "clang++-19")
START = ("-c", "from workers.cli import main; main()")
NEEDED = ("sh", "ldd", "git", "setpriv", "clang++-19", "ld", "ld.gold", "rm", "chmod")
SOURCE = """#include "{secret}"
__global__ void scaled(float* y, const float* x, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2;
}}
void run(float* y, const float* x, int n) {{ scaled<<<(n + 127) / 128, 128>>>(y, x, n); }}
"""


def make_programs(folder: Path) -> Path:
    """Make a folder with all programs that a crawl needs, and without bubblewrap."""
    folder.mkdir()
    for name in NEEDED:
        path = shutil.which(name)
        if path:
            (folder / name).symlink_to(path)
    return folder


def test_a_crawl_ends_with_a_kernel_that_ran_and_no_file_of_the_host() -> None:
    if not holder.is_supported():
        pytest.skip("this kernel's Landlock is too old")

    with open_reachable_folder() as folder:
        command, environment = [sys.executable, *START], dict(os.environ)
        if os.geteuid() == 0:
            command, environment = as_ordinary_user(folder, *START)

        (folder / "project").mkdir()
        secret = folder / "secret.h"
        secret.write_text("#define SECRET hunter2\n")
        (folder / "project/k.cu").write_text(SOURCE.format(secret=secret))
        # what a build would say is not asked, since none can be run
        (folder / "project/CMakeLists.txt").write_text("project(k CXX)\n")
        home = folder / "home"
        home.mkdir()
        home.chmod(0o777)
        environment |= {
            "PATH": str(make_programs(folder / "programs")),
            "HOME": str(home),
            "TMPDIR": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "KERNELSET_HOME": str(home / "kernelset"),
            "KERNELSET_SANDBOX": "landlock",
            "KERNELSET_STRENGTH_SECONDS": "0",
            "KERNELSET_TARGETS": "gfx90a",
        }

        def run(*words: str) -> str:
            ended = process.run(
                [*command, *words],
                cwd=ROOT,
                env=environment,
                limits=Limits(seconds=250),
            )
            assert ended.exit_code == 0, ended.text
            return ended.output.decode()

        run("crawl", str(folder / "project"), "--device", "cpu")
        (kernel,) = map(json.loads, run("query", "", "--json").splitlines())
        assert kernel["pass_call"] == {"gfx90a": "pass"}
        assert kernel["pass_exe"] == {"cpu": "consistent"}
        assert "hunter2" not in json.dumps(kernel)
