"""Sources that name files of the host, and what of them stands in the object."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import Dialect, KernelUnit, Status
from crawler.process_limits import Limits
from crawler.validate.build import build_unit
from crawler.validate.emulator.compile_program import run_in_work_folder
from tests.small_units import make_small_unit

KERNEL = "__global__ void k(float *a) { g(); *a = 1; }\n"
TEXT_OF_THE_HOST = "/usr/share/common-licenses/GPL-3"
PROGRAM_OF_THE_HOST = "/usr/bin/env"
WAYS = {
    "embed": 'const unsigned char t[] = {{\n#embed "{path}"\n}};',
    "include": '#include "{path}"',
    "incbin": 'asm(".pushsection .rodata\\n.incbin \\"{path}\\"\\n.popsection");',
}


def make_unit(text: str) -> KernelUnit:
    source = f"#include <kernelset/hip.h>\n{text}\n{KERNEL}"
    return make_small_unit(source, Dialect.HIP)


@pytest.mark.parametrize("way", sorted(WAYS))
@pytest.mark.parametrize("path", [TEXT_OF_THE_HOST, PROGRAM_OF_THE_HOST])
def test_a_unit_finds_no_file_of_the_host(way: str, path: str) -> None:
    assert Path(path).is_file()
    text = WAYS[way].format(path=path)
    if way == "incbin":
        # assembly outside of functions is the host's
        text = f"__device__ void g() {{ {text} }}"
    else:
        text += "\n__device__ void g() {}"

    refused = build_unit(make_unit(text), "gfx90a")
    assert refused.build.pass_call.status is Status.FAIL
    log = str(refused.build.diagnostics) + refused.build.pass_call.message
    assert "not found" in log or "Could not find" in log or "No such file" in log
    assert refused.object == b""


@pytest.mark.parametrize("way", ["embed", "incbin"])
def test_a_program_for_the_processor_finds_none_either(
    way: str, tmp_path: Path
) -> None:
    text = WAYS[way].format(path=PROGRAM_OF_THE_HOST)
    (tmp_path / "a.cpp").write_text(f"{text}\nint main() {{ return 0; }}\n")
    tmp_path.chmod(0o755)
    argv = ("clang++-19", "a.cpp", "-o", "program")
    failed = run_in_work_folder(argv, tmp_path, Limits(seconds=60))
    assert failed.exit_code != 0
    assert PROGRAM_OF_THE_HOST in failed.text
    # what a compiler itself needs is there
    (tmp_path / "a.cpp").write_text("#include <cmath>\nint main() { return 0; }\n")
    assert run_in_work_folder(argv, tmp_path, Limits(seconds=60)).exit_code == 0
