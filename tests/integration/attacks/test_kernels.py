"""Every kernel of the list is held where it runs, with the files that a compiled one may see."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from crawler import sandbox
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.sandbox.work_folder import open_work_folder
from crawler.toolchains import discovery, system_files
from crawler.validate.emulator.compile_program import PROGRAM_NAME, run_in_work_folder
from tests.integration.attacks.backends import open_reachable_folder
from tests.integration.attacks.kernels import KERNELS, PREAMBLE

pytestmark = pytest.mark.apt("bwrap", "clang++-19")
SECRET = "hunter2-secret"
KILLED_FOR_A_CALL = 128 + signal.SIGSYS
LIMITS = Limits(seconds=20, processes=8, file_bytes=64 << 20)
MAIN = """
static bool attack{number}() {{ errno = 0; {body} }}"""


def compile_all(work: Path, bodies: list[str]) -> None:
    """Compile one program of all: its argument says which one runs."""
    functions = [MAIN.format(number=n, body=body) for n, body in enumerate(bodies)]
    names = ", ".join(f"attack{number}" for number in range(len(bodies)))
    ending = (
        f"\nstatic bool (*const all[])() = {{{names}}};\n"
        "int main(int, char** words) {\n"
        '  puts(all[atoi(words[1])]() ? "escaped" : "held");\n}\n'
    )
    text = "#include <cerrno>\n#include <cstdlib>\n" + PREAMBLE
    (work / "all.cpp").write_text(text + "".join(functions) + ending)
    clang = discovery.find_clang()
    assert clang is not None
    words = (str(clang.path), "-w", "all.cpp", "-o", PROGRAM_NAME)
    ended = run_in_work_folder(words, work, LIMITS)
    assert ended.exit_code == 0, ended.text
    # as `run_program` does: a linker may change no modes everywhere
    (work / PROGRAM_NAME).chmod(0o755)


def run_one(work: Path, number: int) -> str:
    """Return what a program says of itself, also where the kernel ended it for a call."""
    target = sandbox.choose_target(work, "/work")
    ended = sandbox.run(
        [f"{target}/{PROGRAM_NAME}", str(number)],
        mounts=(Mount(source=work, target=target),),
        limits=LIMITS,
        system=system_files.list_runtime_files(),
    )
    return "held" if ended.exit_code == KILLED_FOR_A_CALL else ended.text.strip()


def test_every_one_is_held(backend: str) -> None:
    with open_reachable_folder() as folder, open_work_folder("build") as work:
        victim = folder / "private"
        victim.write_text(SECRET)
        victim.chmod(0o755)
        values = {"VICTIM": f'"{victim}"', "WORKER": str(os.getpid())}
        bodies = []
        for body in (*KERNELS.values(), f'return reads("{work}/all.cpp");'):
            for name, value in values.items():
                body = body.replace(name, value)
            bodies.append(body.replace(str(work), sandbox.choose_target(work, "/work")))
        compile_all(work, bodies)

        answers = {name: run_one(work, number) for number, name in enumerate(KERNELS)}
        assert {name: word for name, word in answers.items() if word != "held"} == {}
        # else a program that does nothing would be held, too
        assert run_one(work, len(KERNELS)) == "escaped"
        assert victim.read_text() == SECRET
