"""Functions of PyTorch that our stand-in for it does not have."""

from __future__ import annotations

from pathlib import Path

from crawler import process
from crawler.toolchains import discovery
from crawler.validate.programs.host_build.missing_torch_functions import (
    list_missing_torch_functions,
    render_throwing_definitions,
)

GNU = """source0.o: in function `main':
source0.cu:3: undefined reference to `_ZN2at6einsumIJRNS_6TensorEEEES1_DpOT_'
source0.cu:4: undefined reference to `_ZNK2at6Tensor4sortIJEEES0_DpOT_'
source0.cu:9: undefined reference to `_ZNK2at6Tensor4sortIJEEES0_DpOT_'
source0.cu:9: undefined reference to `_Z6lookupi'
"""
LLD = (
    "ld.lld: error: undefined symbol: _ZN5torch4permERKN2at6TensorE\n>>> referenced by"
)


def test_each_function_of_pytorch_is_listed_once() -> None:
    assert list_missing_torch_functions(GNU) == (
        "_ZN2at6einsumIJRNS_6TensorEEEES1_DpOT_",
        "_ZNK2at6Tensor4sortIJEEES0_DpOT_",
    )
    assert list_missing_torch_functions(LLD) == ("_ZN5torch4permERKN2at6TensorE",)
    assert (
        list_missing_torch_functions("collect2: error: ld returned 1 exit status") == ()
    )


def test_whoever_calls_one_gets_an_exception(tmp_path: Path) -> None:
    clang = discovery.find_clang()
    assert clang is not None
    source = """
namespace at { int roll(int); }
extern "C" [[noreturn]] void kernelset_refuse_missing() { throw 7; }
int main() { try { return at::roll(1); } catch (int code) { return code; } }
"""
    (tmp_path / "main.cpp").write_text(source)
    (tmp_path / "missing.cpp").write_text(
        render_throwing_definitions(["_ZN2at4rollEi"])
    )

    argv = (str(clang.path), "main.cpp", "missing.cpp", "-o", "program")
    built = process.run(argv, cwd=tmp_path)
    assert built.exit_code == 0, built.text

    assert process.run(("./program",), cwd=tmp_path).exit_code == 7
