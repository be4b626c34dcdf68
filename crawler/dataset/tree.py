"""A folder of sources: each instantiation a `.cu` that compiles alone, its HIP twin, and a `.json` beside them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from crawler import headers
from crawler.codec import plain
from crawler.dataset.depth import Depth, with_host, with_origins
from crawler.dataset.destination import MARKER, new_folder
from crawler.dataset.flatten import Flat, flat
from crawler.dataset.instantiated import launches_of, source_for
from crawler.dataset.instantiation_schema import ABSENT, ABSENT_IN_UNIT
from crawler.dataset.interface import Exporter
from crawler.dataset.names import Names, of_file, of_instantiation, safe
from crawler.dataset.program_folder import ProgramFolder
from crawler.dataset.record import SCHEMA, Row, row_of
from crawler.dataset.tests import ContentOf
from crawler.dataset.unit_row import UnitRow
from crawler.headers.flags import compile_flags
from crawler.model import Dialect, Instantiation, KernelRecord, Repo, Status
from crawler.validate.harness.program import Harness

TREES: Final = ("common", "cuda", "hip", "torch")
"""The parts of our headers that a unit is compiled with."""
TESTS: Final = "tests"
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
        content_of: ContentOf | None = None,
    ) -> int:
        """Fill the folder `destination` and return how many kernels are in it."""
        folders, within, count = Names(), dict[str, Names](), 0
        with new_folder(destination) as root:
            copy_headers(root)
            tests = ProgramFolder(root / TESTS)
            for record in records:
                repo = record.provenance.repo
                folder = folders.claim(_title(repo), f"{repo.source}\0{repo.url}\0{repo.commit}", repo.commit[-12:])
                (root / folder).mkdir(exist_ok=True)
                shown = tests.add(record, folder, content_of) if content_of and depth is Depth.FULL else ()
                write_kernel(record, root / folder, within.setdefault(folder, Names()), depth, shown)
                count += 1
            tests.close()
            _write_json(root / MARKER, {"schema": SCHEMA, "kernels": count, "headers": headers.digest()})
        return count


def write_kernel(
    record: KernelRecord, folder: Path, names: Names, depth: Depth = Depth.UNIT, tests: Sequence[Harness] = ()
) -> tuple[str, ...]:
    """Write the files of one kernel into `folder` and return their names; only a `.json` where `depth` has no text.

    Its `tests` lie elsewhere, and the `.json` names them.
    """
    row = row_of(record, depth, tuple(tests))
    written: list[str] = []
    # a unit may hold fewer than the project uses: the first ones
    known = row.instantiations[: len(row.unit.instantiations)] if row.unit else row.instantiations
    for position, instantiation in enumerate(known or (None,)):
        label = instantiation.label if instantiation else ""
        plain_name = of_instantiation(row.name, label)
        name = names.claim(plain_name, _owner(row, label), of_file(row.span.path))
        alone = flat(record.kernel, instantiation)
        sources = _sources(row, position if instantiation else 0, name, alone)
        for file, text in sources.items():
            (folder / file).write_bytes(text.encode("utf-8", "surrogatepass"))
        _write_json(folder / f"{name}.json", _described(row, instantiation, alone, sorted(sources)))
        written += [*sources, f"{name}.json"]
    return tuple(written)


def names_in(folder: Path) -> Names:
    """Return the names that kernels have in a folder which was written before."""
    taken: dict[str, str] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            taken[path.stem] = str(json.loads(path.read_bytes())["owner"])
        except (ValueError, KeyError, TypeError):
            taken[path.stem] = f"not ours: {path.name}"
    return Names(taken)


def copy_headers(root: Path) -> None:
    """Put what the sources `#include` under `include/`, and say in `README.md` how they compile."""
    for path in headers.files():
        relative = path.relative_to(headers.ROOT)
        if relative.parts[0] in TREES:
            target = root / "include" / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    (root / "README.md").write_text(_readme(), "utf-8")


def _sources(row: Row, position: int, name: str, alone: Flat) -> dict[str, str]:
    if row.depth == Depth.PURE:
        return {name + _SUFFIXES[row.dialect]: alone.source + "\n"} if alone.source else {}
    found = {name + _SUFFIXES[unit.dialect]: source_for(unit, position) for unit in _units(row)}
    own = name + _SUFFIXES[row.dialect]
    if row.unit is not None:
        found[own] = with_origins(found[own], row.origins)
        if row.depth == Depth.FULL:
            found[own] = with_host(found[own], row.host, row.absent)
    return found


def _units(row: Row) -> Iterator[UnitRow]:
    """Yield the kernel's own unit, then its port where that compiles."""
    if row.unit is None:
        return
    yield row.unit
    passing = {build.unit for build in row.builds if build.status == Status.PASS}
    yield from [port for port in row.ports if port.digest in passing and port.dialect != row.unit.dialect][:1]


def _described(row: Row, instantiation: Instantiation | None, alone: Flat, files: Sequence[str]) -> dict[str, Any]:
    launches = launches_of(instantiation, row.launches) if instantiation else row.launches
    narrowed: dict[str, Any] = plain(replace(row, launches=launches, unit=None, ports=(), pure=(), tests=()))
    for absent in ABSENT:
        del narrowed[absent]
    label = instantiation.label if instantiation else ""
    units = {unit.dialect: {**plain(unit), "source": None} for unit in (row.unit, *row.ports) if unit}
    for unit in units.values():
        for absent in ABSENT_IN_UNIT:
            del unit[absent]
    return {
        **narrowed,
        "owner": _owner(row, label),
        "files": list(files),
        "test_files": [f"{TESTS}/{test.file}" for test in row.tests],
        "flat": plain(alone),
        "instantiation": plain(instantiation) if instantiation else None,
        "units": units,
    }


def _owner(row: Row, label: str) -> str:
    # not the offset: the same kernel after an edit above it takes its old name again
    return f"{row.span.path}:{row.qualified_name}:{row.mangled or row.template_head}:{label}"


def _title(repo: Repo) -> str:
    name = f"{repo.owner}-{repo.name}" if repo.owner else repo.name
    version = repo.ref or repo.commit.removeprefix("sha256:")[:12]
    return f"{safe(name)}-{'.'.join(map(safe, version.split('.')))}"


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", "utf-8")


def _readme() -> str:
    lines = [
        f"{_SUFFIXES[dialect]}: clang++ {' '.join(_portable_flags(dialect))} KERNEL{_SUFFIXES[dialect]} -o KERNEL.o"
        for dialect in Dialect
    ]
    return (
        "\n\n    ".join(["Each source here compiles alone, from this folder, with clang 18 or newer:", *lines])
        + "\n\nWhere clang does not find ROCm by itself, give it --rocm-device-lib-path=FOLDER.\n"
    )


def _portable_flags(dialect: Dialect) -> list[str]:
    flags = [word.replace(str(headers.ROOT), "include") for word in compile_flags(dialect, _TARGETS[dialect])]
    return [word for word in flags if "/include" not in word and "rocm-device-lib-path" not in word]


PLUGIN: Final[Exporter] = Tree()
