"""Functions that an extension module calls and nothing defines."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from crawler import process
from crawler.toolchains import discovery
from crawler.validate.suites.unbuilt_functions import (
    list_unbuilt_functions,
    render_throwing_functions,
)

CALLER = """
#include <exception>
#include <string>
namespace ops { int scale(int x); }
static std::string message;
extern "C" const char* call() {
  try { ops::scale(1); } catch (const std::exception& error) { message = error.what(); }
  return message.c_str();
}
"""


def test_only_functions_of_cpp_are_listed_and_each_once() -> None:
    messages = "".join(
        f"/usr/bin/ld.bfd: a.o: undefined reference to `{symbol}'\n"
        for symbol in (
            "_ZN3ops5scaleEi",
            "PyErr_SetString",
            "_ZN3ops5tableE",
            "_ZTVN3ops5AdderE",
            "_Z4plusff",
            "_ZN3ops5scaleEi",
        )
    )

    assert list_unbuilt_functions(messages) == ("_ZN3ops5scaleEi", "_Z4plusff")


@pytest.mark.apt
def test_whoever_calls_one_is_told_its_name(tmp_path: Path) -> None:
    clang = discovery.find_clang()
    assert clang is not None
    (tmp_path / "a.cpp").write_text(CALLER)
    (tmp_path / "b.cpp").write_text(render_throwing_functions(("_ZN3ops5scaleEi",)))
    argv = (str(clang.path), "-shared", "-fPIC", "a.cpp", "b.cpp", "-o", "a.so")
    completed = process.run(argv, cwd=tmp_path)
    assert completed.exit_code == 0, completed.text

    library = ctypes.CDLL(str(tmp_path / "a.so"))
    library.call.restype = ctypes.c_char_p

    assert b"no source that was built has ops::scale(int)" in library.call()
