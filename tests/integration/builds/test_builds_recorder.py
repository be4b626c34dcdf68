from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler import sandbox
from crawler.builds.stub_toolchain import cuda_toolkit
from crawler.builds.stub_toolchain.stub_compilers import (
    StubToolchain,
    write_stub_toolchain,
)
from crawler.builds.stub_toolchain.stub_programs import Phase
from crawler.process import CompletedProcess
from crawler.sandbox import Mount

pytestmark = pytest.mark.apt("bwrap", "g++")
Shell = Callable[..., CompletedProcess]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "k.cu").write_text("__global__ void k() {}\n")
    (folder / "main.cpp").write_text("this is no C++\n")
    for path in folder.iterdir():
        os.utime(path, (1e9, 1e9))
    return folder


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> StubToolchain:
    return write_stub_toolchain(tmp_path_factory.mktemp("stubs") / "stubs", Phase.BOTH)


@pytest.fixture
def stubs(laid_out: StubToolchain) -> StubToolchain:
    for path in laid_out.record_folder.iterdir():
        path.unlink()
    return laid_out


def sh(script: str, stubs: StubToolchain, source: Path) -> str:
    mounts = (Mount(source=source, target="/src", writable=True), *stubs.mounts)
    ended = sandbox.run(
        ["/bin/sh", "-ec", script], mounts=mounts, cwd="/src", env=stubs.environment
    )
    assert ended.exit_code == 0, ended.text
    return ended.text


def files(stubs: StubToolchain) -> list[str]:
    return [entry.file for entry in stubs.read_calls().entries]


@pytest.mark.parametrize(
    "compiler",
    [
        *(
            "nvcc",
            "/usr/local/cuda/bin/nvcc",
            "/usr/local/cuda-11.8/bin/nvcc",
            "/opt/cuda/bin/nvcc",
            "hipcc",
        ),
        *(
            "/opt/rocm/bin/hipcc",
            "/opt/rocm/bin/amdclang++",
            "/opt/rocm/llvm/bin/clang++",
            "clang++",
            "mpicxx",
        ),
        *(
            "g++",
            "/usr/bin/g++",
            "/usr/bin/c++",
            "cc",
            "ccache g++",
            "$CUDA_HOME/bin/nvcc",
            "$ROCM_PATH/bin/hipcc",
        ),
    ],
)
def test_a_compiler_is_recorded_wherever_it_is_looked_for(
    compiler: str, stubs: StubToolchain, source: Path
) -> None:
    sh(
        f"{compiler} -DA='two words' -c main.cpp -o main.o -MD -MF main.d; test -f main.o -a -f main.d",
        stubs,
        source,
    )
    (entry,) = stubs.read_calls().entries
    assert (entry.directory, entry.file) == ("/src", "main.cpp")
    assert entry.split_words()[1] == "-DA=two words"


@pytest.mark.parametrize(
    ("call", "output"),
    [
        ("nvcc -c k.cu", "k.o"),
        ("nvcc -odir out -dc k.cu", "out/k.o"),
        ("nvcc --ptx k.cu", "k.ptx"),
        ("nvcc -cubin k.cu -ox.cubin", "x.cubin"),
        ("g++ -shared main.cpp -o libx.so", "libx.so"),
        ("g++ -S main.cpp", "main.s"),
        ("g++ -c -MMD main.cpp -o out/main.o", "out/main.d"),
        ("g++ -c main.cpp -Wp,-MD,out/x.d", "out/x.d"),
        ("nvcc --options-file args", "from-args.o"),
        ("nvcc @args", "from-args.o"),
    ],
)
def test_what_a_compiler_would_leave_is_there(
    call: str, output: str, stubs: StubToolchain, source: Path
) -> None:
    sh(
        f"mkdir out; echo '-c k.cu -o from-args.o' > args; {call}; test -f {output}",
        stubs,
        source,
    )
    assert len(files(stubs)) == 1


@pytest.mark.parametrize(
    "link",
    ["nvcc k.cu", "nvcc k.cu -o a.out", "g++ main.o -o a.out", "ld main.o -o a.out"],
)
def test_an_executable_can_be_run(
    link: str, stubs: StubToolchain, source: Path
) -> None:
    assert "it ran" in sh(
        f"g++ -c main.cpp; {link} && ./a.out && echo it ran", stubs, source
    )


@pytest.mark.parametrize(
    ("probe", "answer"),
    [
        ("nvcc --version", f"release {cuda_toolkit.RELEASE}"),
        ("hipcc --version", "HIP version: 6.2"),
        ("hipconfig --platform", "amd"),
        ("nvidia-smi --query-gpu=compute_cap --format=csv,noheader", "8.0"),
        ("g++ -dumpmachine", "linux"),
        ("/usr/bin/gcc -print-prog-name=cc1", "/cc1"),
        ("cc --version", "Free Software"),
        ("clang++ --version", "clang version"),
        ("ar --version", "GNU ar"),
        ("echo __GNUC__ | g++ -E -x c++ -", "\n1"),
        (
            "echo 'int main(){return 7;}' > /tmp/t.cpp; g++ /tmp/t.cpp -o /tmp/t; /tmp/t || echo got $?",
            "got 7",
        ),
        (
            "echo 'int main(){return 7;}' > conftest.c; cc conftest.c -o conftest; ./conftest || echo got $?",
            "got 7",
        ),
        (
            "echo 'int main(){return 7;}' > try.c; gcc -c try.c; test -s try.o && echo compiled",
            "compiled",
        ),
        (
            "mkdir CMakeTmp; cd CMakeTmp; echo 'int x;' > x.cu; nvcc -c x.cu; test -s x.o && echo compiled",
            "compiled",
        ),
    ],
)
def test_a_question_is_answered_by_the_real_compiler(
    probe: str, answer: str, stubs: StubToolchain, source: Path
) -> None:
    assert answer in sh(probe, stubs, source)
    assert files(stubs) == []


def test_while_building_even_generated_sources_are_not_compiled(
    source: Path, scratch: Path
) -> None:
    stubs = write_stub_toolchain(scratch / "building", Phase.BUILD)
    script = "echo 'int main() {}' > made.cpp; g++ -c made.cpp; test -f made.o -a ! -s made.o && echo empty"
    assert "empty" in sh(script, stubs, source)


def test_while_configuring_what_was_compiled_is_linked(
    source: Path, scratch: Path
) -> None:
    stubs = write_stub_toolchain(scratch / "configuring", Phase.CONFIGURE)
    script = "echo 'int main() {return 7;}' > try.cpp; g++ -c try.cpp; g++ try.o -o try; ./try || echo got $?"
    assert "got 7" in sh(script, stubs, source)


def test_the_stubs_cannot_be_written(stubs: StubToolchain, source: Path) -> None:
    for place in (
        "/stubs/compiler",
        "/stubs/bin/nvcc",
        "/usr/bin/g++",
        "/usr/local/cuda/bin/nvcc",
        "/opt/rocm/bin/hipcc",
    ):
        sh(
            f"! echo evil 2>/dev/null > {place}; ! rm -f {place} 2>/dev/null; ! chmod 777 {place} 2>/dev/null",
            stubs,
            source,
        )
    sh("nvcc -c k.cu", stubs, source)
    assert files(stubs) == ["k.cu"]


def test_a_call_costs_little(stubs: StubToolchain, source: Path) -> None:
    flags = " ".join(f"-DNAME{number}={number} -Iinc{number}" for number in range(50))
    looped = f"i=0; while [ $i -lt 100 ]; do nvcc {flags} -c k.cu -o k.o; i=$((i+1)); done; times"
    *_, children = sh(looped, stubs, source).splitlines()
    spent = sum(
        60 * float(minutes) + float(seconds)
        for minutes, seconds in re.findall(r"(\d+)m([\d.]+)s", children)
    )
    assert 0 < spent / 100 < 0.1
    assert stubs.read_calls().call_count == 100


def test_it_works_where_make_is_dash_or_bash(
    stubs: StubToolchain, source: Path
) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    sh("bash /stubs/bin/nvcc -c k.cu && test -f k.o", stubs, source)
    assert files(stubs) == ["k.cu"]
