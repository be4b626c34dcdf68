"""A program of the list, run by the backend that is chosen, and what it says of itself."""

from __future__ import annotations

import json
import os
import platform
import socket
import sys
import textwrap
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.sandbox.system_calls import seccomp
from crawler.sandbox_choice import choose_sandbox
from tests.integration.attacks import running
from tests.integration.attacks.backends import open_reachable_folder

LIMITS: Final = Limits(seconds=30, processes=16, scratch_bytes=16 << 20)
_SOURCE: Final = "__global__ void k();\n"
_SECRET: Final = "hunter2-secret"
_ENDING: Final = """
try:
    print("escaped" if attack() else "held", flush=True)
except OSError as error:
    print("held", flush=True)
"""


def make_program(body: str, port: int = 0, victim: Path = Path("/etc/passwd")) -> str:
    numbers = dict(seccomp.ARCHITECTURES[platform.machine()].call_numbers)
    values = {
        "{numbers}": repr(numbers),
        "{victim}": repr(str(victim)),
        "{worker}": str(os.getpid()),
        "{port}": str(port),
        # a name in a network of its own is nobody's
        "{is_shared}": str(not sandbox.find_backend().can_move_folders),
    }
    function = "def attack():\n" + textwrap.indent(body, "    ")
    program = running.PREAMBLE + function + _ENDING
    for placeholder, value in values.items():
        program = program.replace(placeholder, value)
    return program


def attack(body: str) -> CompletedProcess:
    """Run a program of the list beside a file of ours, and look that both file and tree stay."""
    with open_reachable_folder() as folder:
        (folder / "tree").mkdir()
        (folder / "tree/source.cu").write_text(_SOURCE)
        victim = folder / "private"
        victim.write_text(_SECRET)
        victim.chmod(0o644)
        target = sandbox.choose_target(folder / "tree", "/tree")
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            ended = sandbox.run(
                ["python3", "-c", make_program(body, port, victim)],
                mounts=(Mount(source=folder / "tree", target=target),),
                cwd=target,
                limits=LIMITS,
            )
        assert (folder / "tree/source.cu").read_text() == _SOURCE
        assert victim.read_text() == _SECRET
        assert victim.stat().st_mode & 0o777 == 0o644
        return ended


if __name__ == "__main__":
    choose_sandbox(sys.argv[1])
    assert sandbox.run_self_test().works, sandbox.run_self_test()
    said = {name: attack(body).text for name, body in running.ALL.items()}
    sys.stdout.write(json.dumps(said))
