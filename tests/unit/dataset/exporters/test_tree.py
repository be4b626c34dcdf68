"""A folder of sources: a folder for each kernel, in which its instantiations share one unit."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import crawler.dataset
from crawler import process
from crawler.codec import decode
from crawler.dataset.exporters.tree import PLUGIN
from crawler.dataset.interface import RowContext
from crawler.dataset.texts.file_names import (
    UniqueFileNames,
    format_instantiation_name,
    sanitize_name,
)
from crawler.dataset.trees.instantiation_file import build_instantiation_schema
from crawler.dataset.trees.kernel_file import build_kernel_schema
from crawler.dataset.trees.kernel_folder import read_taken_names, write_kernel
from crawler.dataset.views.kernels import PLUGIN as KERNELS
from crawler.model import KernelRecord
from crawler.toolchains import discovery

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
BY_NAME = {record.kernel.name: record for record in RECORDS}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    PLUGIN.write(KERNELS, RECORDS, tmp_path / "out", RowContext())
    return tmp_path / "out"


@pytest.fixture
def folder(root: Path) -> Path:
    (only,) = [
        path for path in root.iterdir() if path.is_dir() and path.name != "include"
    ]
    return only


LABELS = ("double_256", "float_256", "int_256")


def read_json(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text())
    return content


def test_the_instantiations_of_a_kernel_share_one_source_and_one_port(
    folder: Path,
) -> None:
    kernel = folder / "block_sum"
    assert sorted(path.name for path in kernel.iterdir()) == [
        "block_sum.cu",
        "block_sum.hip",
        "block_sum.json",
        "instantiations",
    ]
    lines = [
        line
        for line in (kernel / "block_sum.cu").read_text().splitlines()
        if line.startswith("template __global__")
    ]
    assert len(lines) == 3
    assert {"float, 256" in line for line in lines} == {True, False}


def test_each_instantiation_has_a_text_without_a_template(folder: Path) -> None:
    instantiations = folder / "block_sum/instantiations"
    names = sorted(path.name for path in instantiations.iterdir())
    assert names == [
        f"block_sum_{label}{suffix}" for label in LABELS for suffix in (".cu", ".json")
    ]
    text = (instantiations / "block_sum_double_256.cu").read_text()
    assert "void block_sum_double_256(" in text.replace("\n", " ")
    assert "template" not in text
    described = read_json(instantiations / "block_sum_double_256.json")
    assert described["instantiation"]["arguments"] == ["double", "256"]
    assert described["files"] == ["block_sum_double_256.cu"]
    assert described["is_in_unit"]
    kernel = read_json(instantiations / described["kernel"])
    (launch,) = (kernel["launches"][position] for position in described["launches"])
    assert launch["block"] == "ROLLERS_BLOCK"


def test_a_plain_kernel_has_no_instantiations(folder: Path) -> None:
    kernel = folder / "axpy_kernel"
    assert not (kernel / "instantiations").exists()
    flat = read_json(kernel / "axpy_kernel.json")["flat"]
    assert flat["source"].startswith("__global__ void axpy_kernel(")


@pytest.mark.parametrize(
    ("name", "pattern", "schema"),
    [
        ("kernel", "*/*.json", build_kernel_schema()),
        ("instantiation", "*/instantiations/*.json", build_instantiation_schema()),
    ],
)
def test_every_json_fits_the_published_schema(
    folder: Path, name: str, pattern: str, schema: dict[str, Any]
) -> None:
    trees = Path(str(crawler.dataset.__file__)).parent / "trees"
    published = read_json(trees / f"{name}.schema.json")
    assert published == json.loads(json.dumps(schema))
    validator = jsonschema.Draft202012Validator(published)
    described = [read_json(path) for path in sorted(folder.glob(pattern))]
    assert len(described) >= 3
    for description in described:
        validator.validate(description)
        assert list(validator.iter_errors({**description, "flat": "no text"}))
        del description["files"]
        assert list(validator.iter_errors(description))


def test_the_metadata_measures_the_kernel(folder: Path) -> None:
    metadata = read_json(folder / "block_sum/block_sum.json")
    assert metadata["measures"]["lines"] == 13
    assert metadata["measures"]["parameters"] == 3
    assert metadata["measures"]["cyclomatic_complexity"] > 1
    assert metadata["measures"]["dependencies"] == len(
        metadata["units"]["cuda"]["dependencies"]
    )
    assert metadata["computation"]["kind"] == "reduction"
    assert metadata["computation"]["evidence"]
    assert metadata["operators"] == []


def test_the_metadata_says_what_the_instantiations_share(folder: Path) -> None:
    metadata = read_json(folder / "block_sum/block_sum.json")
    launch = metadata["launches"][0]
    assert (
        launch["grid"],
        launch["block"],
        launch["shared_bytes"],
        launch["stream"],
    ) == (
        "blocks",
        "ROLLERS_BLOCK",
        "0",
        "stream",
    )
    assert [parameter["name"] for parameter in metadata["parameters"]] == [
        "in",
        "out",
        "n",
    ]
    assert sorted(entry["label"] for entry in metadata["instantiations"]) == [*LABELS]
    assert metadata["files"] == [
        "block_sum.cu",
        "block_sum.hip",
        *(
            f"instantiations/block_sum_{label}{suffix}"
            for label in LABELS
            for suffix in (".cu", ".json")
        ),
    ]
    assert metadata["flat"] is None
    assert metadata["licence"]["spdx"] == "MIT"
    assert metadata["pass_call"] == {"gfx90a": "pass", "sm_80": "pass"}
    assert metadata["repo"]["name"] == "rollers"


def test_two_kernels_of_one_name_keep_both(folder: Path) -> None:
    texts = {path.name: path.read_text() for path in folder.glob("*/scale_kernel*.cu")}
    assert sorted(texts) == ["scale_kernel.cu", "scale_kernel__scale_rows.cu"]
    assert "factors[threadIdx.x]" in texts["scale_kernel.cu"]
    assert "factors[blockIdx.x]" in texts["scale_kernel__scale_rows.cu"]


def test_a_port_that_does_not_compile_is_not_put_beside(folder: Path) -> None:
    assert (folder / "stamp_kernel/stamp_kernel.cu").exists()
    assert not (folder / "stamp_kernel/stamp_kernel.hip").exists()
    assert (folder / "wave_kernel/wave_kernel.hip").exists()
    assert not (folder / "wave_kernel/wave_kernel.cu").exists()


def test_a_kernel_without_a_unit_still_has_its_metadata(tmp_path: Path) -> None:
    kernel = replace(
        BY_NAME["axpy_kernel"].kernel, unit=None, unit_problem="unresolved:f"
    )
    written = write_kernel(
        replace(BY_NAME["axpy_kernel"], kernel=kernel, ports=(), builds=()),
        tmp_path,
        UniqueFileNames(),
    )
    assert written == ("axpy_kernel/axpy_kernel.json",)
    assert read_json(tmp_path / written[0])["unit_problem"] == "unresolved:f"


def test_a_second_writing_takes_the_same_names(tmp_path: Path) -> None:
    both = [record for record in RECORDS if record.kernel.name == "scale_kernel"]
    first = [
        write_kernel(record, tmp_path, names)
        for names in [UniqueFileNames()]
        for record in both
    ]
    again = [
        write_kernel(record, tmp_path, read_taken_names(tmp_path))
        for record in reversed(both)
    ]
    assert again == first[::-1]


def test_a_kernel_takes_no_name_of_what_lies_there_already(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "block_sum").write_text("mine")
    record = BY_NAME["axpy_kernel"]
    kernel = replace(record.kernel, name="include")
    names = read_taken_names(tmp_path)
    written = [
        *write_kernel(replace(record, kernel=kernel), tmp_path, names),
        *write_kernel(BY_NAME["block_sum"], tmp_path, names),
    ]
    assert "include__axpy/include__axpy.cu" in written
    assert not list((tmp_path / "include").iterdir())
    assert (tmp_path / "block_sum").read_text() == "mine"


@pytest.mark.apt
def test_the_sources_compile_as_the_readme_says(root: Path, folder: Path) -> None:
    page = (root / "README.md").read_text()
    commands = re.findall(r"^ {4}(\S.+)$", page, re.MULTILINE)
    compiler = discovery.find_clang()
    assert compiler
    for source in (
        folder / "block_sum/block_sum.cu",
        folder / "block_sum/block_sum.hip",
        folder / "wave_kernel/wave_kernel.hip",
    ):
        (command,) = [line for line in commands if f"$KERNEL{source.suffix} " in line]
        kernel = shlex.quote(str(source.with_suffix("")))
        ended = process.run(
            ["sh", "-c", f"CXX={compiler.path}\nKERNEL={kernel}\n{command}"], cwd=root
        )
        assert ended.exit_code == 0, ended.text
        written = command.split()[-1]
        content = (root / written).read_bytes()
        assert b"block_sum" in content or source.name.startswith("wave")


def test_names_are_safe_unique_and_blind_to_case() -> None:
    names = UniqueFileNames()
    assert names.claim("Kernel", "a") == "Kernel"
    assert names.claim("kernel", "b", "file") == "kernel__file"
    third = names.claim("KERNEL", "c", "file")
    assert third.startswith("KERNEL__")
    assert third.casefold() not in ("kernel", "kernel__file")
    assert names.claim("Kernel", "a") == "Kernel"
    assert format_instantiation_name("ns::k<T>", "half") == "ns_k_T__half"
    assert sanitize_name("../..") == "unnamed"
    assert len(sanitize_name("x" * 300)) < 140
    assert sanitize_name("x" * 300) != sanitize_name("x" * 301)
