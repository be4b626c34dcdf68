"""Every program of the list is held by every way in which this machine bounds a run."""

from __future__ import annotations

import platform
import socket
import textwrap
from pathlib import Path

import pytest

from crawler import sandbox
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.sandbox.limits import cgroups
from crawler.sandbox.system_calls import seccomp
from tests.integration.attacks import running

pytestmark = pytest.mark.apt("bwrap")
LIMITS = Limits(seconds=30, processes=16, scratch_bytes=16 << 20)
ENDING = """
try:
    print("escaped" if attack() else "held", flush=True)
except OSError as error:
    print("held", flush=True)
"""


@pytest.fixture(params=["cgroup", "watchdog"])
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "watchdog":
        monkeypatch.setattr(cgroups, "find_cgroup_parent", lambda: None)
    elif cgroups.find_cgroup_parent() is None:
        pytest.skip("no control group can be made here")
    return str(request.param)


def make_program(body: str, port: int) -> str:
    numbers = dict(seccomp.ARCHITECTURES[platform.machine()].call_numbers)
    preamble = running.PREAMBLE.replace("{numbers}", repr(numbers))
    function = "def attack():\n" + textwrap.indent(body, "    ")
    return preamble + function.replace("{port}", str(port)) + ENDING


@pytest.mark.parametrize("name", sorted(running.ALL))
def test_it_is_held(name: str, backend: str, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/source.cu").write_text("__global__ void k();\n")
    tmp_path.chmod(0o755)
    tree = Mount(source=tmp_path / "tree", target="/tree")
    with socket.create_server(("127.0.0.1", 0)) as server:
        program = make_program(running.ALL[name], server.getsockname()[1])
        ended = sandbox.run(
            ["python3", "-c", program], mounts=(tree,), cwd="/tree", limits=LIMITS
        )
    # neither a mistake in the program, nor an early end, is taken for a refusal
    assert ended.output.decode().split() == ["held"], ended.text
    assert (tmp_path / "tree/source.cu").read_text() == "__global__ void k();\n"


def test_what_is_allowed_is_not_taken_for_held(backend: str) -> None:
    for body in ("return reads('/usr/bin/env')", "return writes('/tmp/own')"):
        ended = sandbox.run(["python3", "-c", make_program(body, 0)], limits=LIMITS)
        assert ended.output.decode().split() == ["escaped"], ended.text
