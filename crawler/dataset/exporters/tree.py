"""Source tree exporter: a folder of sources with JSON metadata, one per instantiation."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from crawler import headers
from crawler.codec import to_builtins
from crawler.dataset.destination import MARKER_FILE, create_folder_atomically
from crawler.dataset.interface import Exporter
from crawler.dataset.programs.harness_programs import ContentReader
from crawler.dataset.programs.narrowing import (
    select_instantiation_source,
    select_launches,
)
from crawler.dataset.programs.program_folder import ProgramFolder
from crawler.dataset.rows.instantiation_schema import (
    OMITTED_ROW_FIELDS,
    OMITTED_UNIT_FIELDS,
)
from crawler.dataset.rows.row import SCHEMA_NAME, Row, to_row
from crawler.dataset.rows.unit_row import UnitRow
from crawler.dataset.texts.depth import Depth, add_origin_comments, append_host_code
from crawler.dataset.texts.file_names import (
    UniqueFileNames,
    format_file_stem,
    format_instantiation_name,
    sanitize_name,
)
from crawler.dataset.texts.flatten import Flat, flatten_kernel
from crawler.model import Dialect, Instantiation, KernelRecord, Repo, Status
from crawler.toolchains.clang_flags import get_compile_flags
from crawler.validate.harness.program import Harness

HEADER_TREES: Final = ("common", "cuda", "hip", "torch")
"""The parts of our headers that a unit is compiled with."""
TESTS_FOLDER: Final = "tests"
"""Where the tests of all kernels lie, at the depth `full`."""
_SUFFIXES: Final = {Dialect.CUDA.value: ".cu", Dialect.HIP.value: ".hip"}
_TARGETS: Final = {Dialect.CUDA: "sm_80", Dialect.HIP: "gfx90a"}


class Tree:
    """Writes a folder a repository, and the headers once."""

    name = "tree"

    def write(
        self,
        records: Iterable[KernelRecord],
        destination: Path,
        depth: Depth = Depth.UNIT,
        read_content: ContentReader | None = None,
    ) -> int:
        """Fill the folder `destination` and return how many kernels are in it."""
        folders, within, count = UniqueFileNames(), dict[str, UniqueFileNames](), 0
        with create_folder_atomically(destination) as root:
            copy_headers(root)
            tests = ProgramFolder(root / TESTS_FOLDER)
            for record in records:
                repo = record.provenance.repo
                folder = folders.claim(
                    _title(repo),
                    f"{repo.source}\0{repo.url}\0{repo.commit}",
                    repo.commit[-12:],
                )
                (root / folder).mkdir(exist_ok=True)
                shown = (
                    tests.add(record, folder, read_content)
                    if read_content and depth is Depth.FULL
                    else ()
                )
                write_kernel(
                    record,
                    root / folder,
                    within.setdefault(folder, UniqueFileNames()),
                    depth,
                    shown,
                )
                count += 1
            tests.close()
            _write_json(
                root / MARKER_FILE,
                {
                    "schema": SCHEMA_NAME,
                    "kernels": count,
                    "headers": headers.headers_digest(),
                },
            )
        return count


def write_kernel(
    record: KernelRecord,
    folder: Path,
    file_names: UniqueFileNames,
    depth: Depth = Depth.UNIT,
    tests: Sequence[Harness] = (),
) -> tuple[str, ...]:
    """Write the files of one kernel into `folder` and return their names; only a `.json` where
    `depth` has no text.

    Its `tests` lie elsewhere, and the `.json` names them.
    """
    row = to_row(record, depth, tuple(tests))
    written: list[str] = []
    # a unit may hold fewer than the project uses: the first ones
    known = (
        row.instantiations[: len(row.unit.instantiations)]
        if row.unit
        else row.instantiations
    )
    for position, instantiation in enumerate(known or (None,)):
        label = instantiation.label if instantiation else ""
        plain_name = format_instantiation_name(row.name, label)
        name = file_names.claim(
            plain_name, _owner(row, label), format_file_stem(row.span.path)
        )
        alone = flatten_kernel(record.kernel, instantiation)
        sources = _sources(row, position if instantiation else 0, name, alone)
        for file, text in sources.items():
            (folder / file).write_bytes(text.encode("utf-8", "surrogatepass"))
        _write_json(
            folder / f"{name}.json",
            _described(row, instantiation, alone, sorted(sources)),
        )
        written += [*sources, f"{name}.json"]
    return tuple(written)


def read_taken_names(folder: Path) -> UniqueFileNames:
    """Return the names that kernels have in a folder which was written before."""
    taken: dict[str, str] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            taken[path.stem] = str(json.loads(path.read_bytes())["owner"])
        except (ValueError, KeyError, TypeError):
            taken[path.stem] = f"not ours: {path.name}"
    return UniqueFileNames(taken)


def copy_headers(root: Path) -> None:
    """Put what the sources `#include` under `include/`, and say in `README.md` how they compile."""
    for path in headers.list_header_files():
        relative = path.relative_to(headers.ROOT)
        if relative.parts[0] in HEADER_TREES:
            target = root / "include" / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    (root / "README.md").write_text(_readme(), "utf-8")


def _sources(row: Row, position: int, name: str, alone: Flat) -> dict[str, str]:
    if row.depth == Depth.PURE:
        return (
            {name + _SUFFIXES[row.dialect]: alone.source + "\n"} if alone.source else {}
        )
    found = {
        name + _SUFFIXES[unit.dialect]: select_instantiation_source(unit, position)
        for unit in _units(row)
    }
    own = name + _SUFFIXES[row.dialect]
    if row.unit is not None:
        found[own] = add_origin_comments(found[own], row.origins)
        if row.depth == Depth.FULL:
            found[own] = append_host_code(found[own], row.host, row.absent)
    return found


def _units(row: Row) -> Iterator[UnitRow]:
    """Yield the kernel's own unit, then its port where that compiles."""
    if row.unit is None:
        return
    yield row.unit
    passing = {build.unit for build in row.builds if build.status == Status.PASS}
    yield from [
        port
        for port in row.ports
        if port.digest in passing and port.dialect != row.unit.dialect
    ][:1]


def _described(
    row: Row, instantiation: Instantiation | None, alone: Flat, files: Sequence[str]
) -> dict[str, Any]:
    launches = (
        select_launches(instantiation, row.launches) if instantiation else row.launches
    )
    narrowed: dict[str, Any] = to_builtins(
        replace(row, launches=launches, unit=None, ports=(), pure=(), tests=())
    )
    for absent in OMITTED_ROW_FIELDS:
        del narrowed[absent]
    label = instantiation.label if instantiation else ""
    units = {
        unit.dialect: {**to_builtins(unit), "source": None}
        for unit in (row.unit, *row.ports)
        if unit
    }
    for unit in units.values():
        for absent in OMITTED_UNIT_FIELDS:
            del unit[absent]
    return {
        **narrowed,
        "owner": _owner(row, label),
        "files": list(files),
        "test_files": [f"{TESTS_FOLDER}/{test.file}" for test in row.tests],
        "flat": to_builtins(alone),
        "instantiation": to_builtins(instantiation) if instantiation else None,
        "units": units,
    }


def _owner(row: Row, label: str) -> str:
    # not the offset: the same kernel after an edit above it takes its old name again
    return f"{row.span.path}:{row.qualified_name}:{row.mangled or row.template_head}:{label}"


def _title(repo: Repo) -> str:
    name = f"{repo.owner}-{repo.name}" if repo.owner else repo.name
    version = repo.ref or repo.commit.removeprefix("sha256:")[:12]
    return f"{sanitize_name(name)}-{'.'.join(map(sanitize_name, version.split('.')))}"


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", "utf-8")


def _readme() -> str:
    lines = [
        f"{_SUFFIXES[dialect]}: clang++ {' '.join(_portable_flags(dialect))} KERNEL{_SUFFIXES[dialect]} -o KERNEL.o"
        for dialect in Dialect
    ]
    return (
        "\n\n    ".join(
            [
                "Each source here compiles alone, from this folder, with clang 18 or newer:",
                *lines,
            ]
        )
        + "\n\nWhere clang does not find ROCm by itself, give it --rocm-device-lib-path=FOLDER.\n"
    )


def _portable_flags(dialect: Dialect) -> list[str]:
    flags = [
        word.replace(str(headers.ROOT), "include")
        for word in get_compile_flags(dialect, _TARGETS[dialect])
    ]
    return [
        word
        for word in flags
        if "/include" not in word and "rocm-device-lib-path" not in word
    ]


PLUGIN: Final[Exporter] = Tree()
