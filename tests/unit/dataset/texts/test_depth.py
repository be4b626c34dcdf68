"""Three depths: the kernel alone, what compiles, and what uses it; each says what is not there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

import crawler.dataset
from crawler.codec import decode
from crawler.dataset.exporters.jsonl import PLUGIN as JSONL
from crawler.dataset.interface import RowContext
from crawler.dataset.rows.row import to_row
from crawler.dataset.texts.depth import (
    MAX_FLAT_TEXTS,
    Depth,
    add_origin_comments,
    append_host_code,
)
from crawler.dataset.texts.file_names import UniqueFileNames
from crawler.dataset.trees.kernel_folder import write_kernel
from crawler.dataset.views.kernels import PLUGIN as KERNELS
from crawler.model import (
    HostCode,
    Instantiation,
    KernelRecord,
    OperatorRole,
    Origin,
    Span,
)

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
SUM = next(record for record in RECORDS if record.kernel.name == "block_sum")


def code(role: OperatorRole, source: str) -> HostCode:
    return HostCode(
        role=role,
        name="f",
        span=Span(path="a", line=3, end_line=9, offset=0, end_offset=9),
        source=source,
    )


LAUNCHED = replace(
    SUM,
    kernel=replace(
        SUM.kernel, host=(code(OperatorRole.LAUNCHER, "void f() {\n  g();\n}"),)
    ),
)


def test_each_depth_holds_what_those_before_it_hold() -> None:
    pure, unit, full = (to_row(LAUNCHED, depth) for depth in Depth)
    assert pure.unit
    assert unit.unit
    assert (pure.unit.source, pure.ports[0].source, pure.host) == ("", "", ())
    assert unit.unit.source == full.unit.source if full.unit else False
    assert pure.pure == unit.pure == full.pure
    assert unit.host == ()
    assert full.host == LAUNCHED.kernel.host
    assert {flat.name for flat in pure.pure} == {
        f"block_sum_{label}_256" for label in ("float", "double", "int")
    }


def test_what_a_depth_lacks_is_said() -> None:
    assert to_row(LAUNCHED, Depth.UNIT).absent == ()
    assert to_row(LAUNCHED, Depth.FULL).absent == (
        "python",
        "binding",
        "cpu",
        "wrapper",
        "harness",
        "tests",
    )
    alone = replace(SUM, kernel=replace(SUM.kernel, unit=None))
    assert to_row(alone, Depth.UNIT).absent == ("unit",)
    assert to_row(alone, Depth.PURE).absent == ()


def test_a_kernel_of_a_thousand_instantiations_shows_the_first_texts() -> None:
    many = tuple(
        Instantiation(arguments=("float", str(n)), label=f"float_{n}")
        for n in range(1000)
    )
    row = to_row(replace(SUM, kernel=replace(SUM.kernel, instantiations=many)))
    assert len(row.pure) == MAX_FLAT_TEXTS
    assert len(row.instantiations) == 1000


@pytest.mark.parametrize("depth", list(Depth))
def test_the_sources_of_a_folder_are_of_the_depth_that_was_asked_for(
    tmp_path: Path, depth: Depth
) -> None:
    names = write_kernel(LAUNCHED, tmp_path, UniqueFileNames(), depth)
    metadata = json.loads((tmp_path / "block_sum/block_sum.json").read_text())
    assert metadata["depth"] == depth
    flat = tmp_path / "block_sum/instantiations/block_sum_float_256.cu"
    assert flat.read_text().startswith("__global__ void")
    assert ("block_sum/block_sum.cu" in names) == (depth is not Depth.PURE)
    if depth is not Depth.PURE:
        text = (tmp_path / "block_sum/block_sum.cu").read_text()
        assert text.startswith("#include")
        assert ("void f() {\n  g();\n}" in text) == (depth is Depth.FULL)


def test_a_plain_kernel_alone_is_the_source_of_its_folder(tmp_path: Path) -> None:
    record = next(entry for entry in RECORDS if entry.kernel.name == "axpy_kernel")
    written = write_kernel(record, tmp_path, UniqueFileNames(), Depth.PURE)
    assert written == ("axpy_kernel/axpy_kernel.cu", "axpy_kernel/axpy_kernel.json")
    text = (tmp_path / written[0]).read_text()
    assert text == record.kernel.source + "\n"


def test_a_text_that_cannot_be_had_leaves_the_metadata_with_the_reason(
    tmp_path: Path,
) -> None:
    kernel = replace(SUM.kernel, template_head="template <typename... T>")
    written = write_kernel(
        replace(SUM, kernel=kernel), tmp_path, UniqueFileNames(), Depth.PURE
    )
    assert all(name.endswith(".json") for name in written)
    description = json.loads((tmp_path / written[0]).read_text())
    assert description["flat"]["problem"].startswith("template-pack: ")
    assert description["files"] == []


def test_host_code_that_a_preprocessor_would_stumble_over_is_commented_out() -> None:
    python = code(OperatorRole.PYTHON, "def f():\n    # if so\n    return 1")
    cut = code(OperatorRole.DISPATCHER, "#endif\nvoid f();")
    whole = code(OperatorRole.LAUNCHER, "#if A\nvoid f();\n#endif")
    text = append_host_code("int u;\n", (python, cut, whole), ("tests",))
    assert "//     # if so\n" in text
    assert "// #endif\n" in text
    assert "\n#if A\nvoid f();\n#endif\n" in text
    assert "// not known: tests" in text


def test_lines_of_a_dataset_have_the_depth(tmp_path: Path) -> None:
    JSONL.write(
        KERNELS, [LAUNCHED], tmp_path / "rows.jsonl", RowContext(depth=Depth.FULL)
    )
    (row,) = map(json.loads, (tmp_path / "rows.jsonl").read_text().splitlines())
    assert row["host"][0]["role"] == "launcher"
    published = json.loads(
        (
            Path(str(crawler.dataset.__file__)).parent / "schemas/kernels.json"
        ).read_text()
    )
    jsonschema.Draft202012Validator(published).validate(row)


def origin(line: int, path: str, first_line: int, last_line: int) -> Origin:
    return Origin(line=line, path=path, first_line=first_line, last_line=last_line)


def test_a_unit_says_where_its_parts_stand() -> None:
    source = "#include <a>\n\nint one;\n\nint two;\n\nint three;\n"
    parts = (origin(3, "a.h", 9, 9), origin(5, "a.h", 10, 10), origin(7, "b.cu", 4, 4))
    text = add_origin_comments(source, parts)
    assert (
        text
        == "#include <a>\n\n// a.h:9\nint one;\n\nint two;\n\n// b.cu:4\nint three;\n"
    )
    assert add_origin_comments(source, ()) == source


def test_a_path_stays_in_its_comment() -> None:
    hostile = "a\n#error here\\\r\u2028??/"
    text = add_origin_comments("int one;\n", (origin(1, hostile, 1, 1),)).splitlines()
    assert text == ["// a?#error here\\???/:1".replace("???/", "????/"), "int one;"]


def test_the_file_of_a_unit_says_where_its_parts_stand_and_that_of_a_port_does_not(
    tmp_path: Path,
) -> None:
    unit = SUM.kernel.unit
    assert unit
    line = (
        unit.source.splitlines().index(
            next(line for line in unit.source.splitlines() if "__global__" in line)
        )
        + 1
    )
    kernel = replace(SUM.kernel, origins=(origin(line, "include/reduce.cuh", 40, 60),))
    write_kernel(replace(SUM, kernel=kernel), tmp_path, UniqueFileNames())
    folder = tmp_path / "block_sum"
    assert "// include/reduce.cuh:40\n" in (folder / "block_sum.cu").read_text()
    assert "reduce.cuh:40" not in (folder / "block_sum.hip").read_text()
    metadata = json.loads((folder / "block_sum.json").read_text())
    assert metadata["origins"] == [
        {"line": line, "path": "include/reduce.cuh", "first_line": 40, "last_line": 60}
    ]
    assert to_row(replace(SUM, kernel=kernel), Depth.PURE).origins == ()
