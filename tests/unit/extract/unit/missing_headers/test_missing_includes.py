"""Headers that nothing includes and that leave includes to others: their project says which
they need.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.extract.unit.missing_headers.missing_includes import add_missing_includes
from crawler.model import CompileCommand, Dialect, FlagsOrigin
from tests.unit.extract.builders import unit_of

_KERNEL = "namespace lib { template <class T> __global__ void fill(Spread by, T* out) { out[0] = by.mean; } }\n"
_SPREAD = "#pragma once\nnamespace lib {\nstruct Spread {\n  float mean;\n};\nstruct Spread;\n}\n"


def _command(file: str, directory: str = ".") -> CompileCommand:
    return CompileCommand(
        directory=directory,
        file=file,
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )


def test_a_header_that_knows_too_little_is_read_with_the_one_that_tells(
    project: Callable[..., Any],
) -> None:
    files = {
        "lib/device/kernel/fill.h": _KERNEL,
        "lib/spread.h": _SPREAD,
        "other/spread.h": _SPREAD,
    }
    planted = project(files)
    facts = extract_unit_facts(planted.root, _command("lib/device/kernel/fill.h"))
    assert facts.diagnostics == ()
    assert facts.command.arguments == ()
    (kernel,) = link_kernels([facts])
    assert "struct Spread {" in unit_of(kernel).source
    assert [parameter.type for parameter in kernel.parameters] == ["Spread", "T *"]


def test_only_a_header_is_completed_and_only_where_one_other_tells(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").mkdir()
    for name in ("one.h", "two.h"):
        (tmp_path / "a" / name).write_text("struct Twice { int x; };\n")
    (tmp_path / "three.h").write_text(
        "enum class Once : int { kA };\nstruct Named;\nvoid f(struct Named* x) {}\n"
    )
    messages = [
        "unknown type name 'Twice'",
        "use of undeclared identifier 'Once'",
        "no template named 'Named'",
    ]
    assert add_missing_includes(_command("a/k.cuh"), messages, tmp_path).arguments == (
        "-include",
        "three.h",
    )
    assert add_missing_includes(
        _command("a/k.cuh", "a"), messages, tmp_path
    ).arguments == (
        "-include",
        "../three.h",
    )
    assert add_missing_includes(_command("a/k.cu"), messages, tmp_path).arguments == ()
