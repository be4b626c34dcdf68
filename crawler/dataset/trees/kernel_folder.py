"""Write a kernel as a folder: its unit, its port, and its instantiations below them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from crawler.codec import to_builtins
from crawler.dataset.rows.row import Row, to_row
from crawler.dataset.rows.unit_row import UnitRow
from crawler.dataset.texts.depth import Depth, add_origin_comments, append_host_code
from crawler.dataset.texts.file_names import (
    UniqueFileNames,
    format_file_stem,
    format_instantiation_name,
    sanitize_name,
)
from crawler.dataset.texts.flatten import flatten_kernel
from crawler.dataset.texts.readme import SOURCE_SUFFIXES
from crawler.dataset.trees.instantiation_file import describe_instantiation
from crawler.dataset.trees.kernel_file import describe_kernel
from crawler.model import Instantiation, Kernel, KernelRecord, Status
from crawler.validate.harness.program import Harness

TESTS_FOLDER: Final = "tests"
"""Where the tests of all kernels of a dataset lie, at the depth `full`."""
_INSTANTIATIONS_FOLDER: Final = "instantiations"


def write_kernel(
    record: KernelRecord,
    root: Path,
    folder_names: UniqueFileNames,
    depth: Depth = Depth.UNIT,
    tests: Sequence[Harness] = (),
) -> tuple[str, ...]:
    """Write the folder of one kernel below `root`, and return its files from there.

    Its `tests` lie elsewhere, and its metadata names them.
    """
    row = to_row(record, depth, tuple(tests))
    owner = _describe_owner(row)
    hint = format_file_stem(row.span.path)
    name = folder_names.claim(sanitize_name(row.name), owner, hint)
    folder = root / name
    folder.mkdir(exist_ok=True)

    test_files = tuple(f"{TESTS_FOLDER}/{test.file}" for test in row.tests)
    texts = _render_sources(row, record.kernel, name)
    texts |= _render_instantiations(record, row, name, test_files)
    _write_texts(folder, texts)

    flat = None if is_template(record.kernel) else flatten_kernel(record.kernel, None)
    metadata = describe_kernel(row, flat, owner, sorted(texts), test_files)
    metadata_file = f"{name}.json"
    _write_texts(folder, {metadata_file: format_json(metadata)})

    return tuple(f"{name}/{file}" for file in (*texts, metadata_file))


def is_template(kernel: Kernel) -> bool:
    """Return whether a kernel has texts for instantiations, and none of its own."""
    return bool(kernel.template_head or list_instantiations(kernel))


def list_instantiations(kernel: Kernel) -> tuple[Instantiation, ...]:
    """Return the instantiations of a template; a plain kernel's only one is the kernel itself."""
    return tuple(entry for entry in kernel.instantiations if entry.label)


def read_taken_names(root: Path) -> UniqueFileNames:
    """Return the names that kernels have in a folder which was written before; what else lies
    there keeps its name, too.
    """
    owner_by_name: dict[str, str] = {}
    for path in sorted(root.iterdir()):
        metadata_file = path / f"{path.name}.json"
        try:
            metadata = json.loads(metadata_file.read_bytes())
            owner_by_name[path.name] = str(metadata["owner"])
        except (OSError, ValueError, KeyError, TypeError):
            owner_by_name[path.name] = f"not ours: {path.name}"

    return UniqueFileNames(owner_by_name)


def format_json(value: object) -> str:
    """Return a value as the content of a file that people read, too."""
    return json.dumps(value, indent=2) + "\n"


def _render_sources(row: Row, kernel: Kernel, name: str) -> dict[str, str]:
    """Return the sources that all instantiations share, by their file names."""
    own_file = name + SOURCE_SUFFIXES[row.dialect]
    if row.depth == Depth.PURE:
        flat = flatten_kernel(kernel, None)
        has_text = bool(flat.source) and not is_template(kernel)
        return {own_file: flat.source + "\n"} if has_text else {}

    sources: dict[str, str] = {}
    for unit in _list_published_units(row):
        sources[name + SOURCE_SUFFIXES[unit.dialect]] = unit.source

    if row.unit is None:
        return sources

    own_source = add_origin_comments(sources[own_file], row.origins)
    if row.depth == Depth.FULL:
        own_source = append_host_code(own_source, row.host, row.absent)

    sources[own_file] = own_source
    return sources


def _list_published_units(row: Row) -> list[UnitRow]:
    """Return the kernel's own unit, then its port where that compiles."""
    if row.unit is None:
        return []

    passing = {build.unit for build in row.builds if build.status == Status.PASS}

    for port in row.ports:
        is_other_dialect = port.dialect != row.unit.dialect
        if is_other_dialect and port.digest in passing:
            return [row.unit, port]

    return [row.unit]


def _render_instantiations(
    record: KernelRecord, row: Row, name: str, test_files: tuple[str, ...]
) -> dict[str, str]:
    """Return the template-free text of each instantiation and its metadata, by file names."""
    texts: dict[str, str] = {}
    file_names = UniqueFileNames()

    for instantiation in list_instantiations(record.kernel):
        label = instantiation.label
        preferred = format_instantiation_name(row.name, label)
        stem = file_names.claim(preferred, label)
        path = f"{_INSTANTIATIONS_FOLDER}/{stem}"
        source_file = stem + SOURCE_SUFFIXES[row.dialect]

        flat = flatten_kernel(record.kernel, instantiation)
        files: tuple[str, ...] = ()
        if flat.source:
            files = (source_file,)
            texts[f"{_INSTANTIATIONS_FOLDER}/{source_file}"] = flat.source + "\n"

        description = describe_instantiation(
            record, row, instantiation, flat, f"../{name}.json", files, test_files
        )
        texts[f"{path}.json"] = format_json(to_builtins(description))

    return texts


def _describe_owner(row: Row) -> str:
    """Return what a folder's name is given to."""
    # not the offset: the same kernel after an edit above it takes its old name again
    template = row.mangled or row.template_head
    return f"{row.span.path}:{row.qualified_name}:{template}"


def _write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    for file, text in texts.items():
        path = folder / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
