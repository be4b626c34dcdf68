"""Extract the facts of a tree, one file a unit, resuming an interrupted extraction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks.kernel_units.process_meter import ProcessMeter
from benchmarks.kernel_units.unit_cover import UnitCover
from crawler import codec
from crawler.builds.database.compile_database import build_compile_database
from crawler.checkout.generated_files import write_generated_files
from crawler.checkout.source_tree import open_tree
from crawler.checkout.tree_copies import make_linked_copy
from crawler.extract.parser_process.parent import extract_batch_facts
from crawler.extract.unit.orphan_files import find_orphan_commands
from crawler.model import (
    CompileCommand,
    CompileDatabase,
    InstantiationOrigin,
    KernelFacts,
    UnitFacts,
)

_MORE: Final = 2
"""Units that are looked at besides, for a file with a kernel that none so far uses."""


def extract_resumably(
    root: Path,
    folder: Path,
    kernels: Collection[tuple[str, str]] = (),
    units_per_file: int = 0,
) -> list[UnitFacts]:
    """Return what the units of a tree show; what lies in `folder` of the same tree is not
    looked for again.

    Where `units_per_file` is not 0, only so many units are looked at for each file of
    `kernels`, its path and its name, and two
    more where none of those uses one of them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    database = _load_database(root, folder / "database.json")
    if database.generated:
        root = _write_generated_tree(root, database, folder / "tree")
    commands = [database.entries[index] for group in database.groups for index in group]
    if not units_per_file:
        facts = _extract_facts(root, folder, commands)
        return facts + _extract_facts(
            root,
            folder,
            tuple(find_orphan_commands(root, database, _list_read_files(facts))),
        )
    cover = UnitCover(root, commands)
    chosen = cover.choose_commands({path for path, _ in kernels}, units_per_file)
    unused = _find_unused_kernels(_extract_facts(root, folder, chosen), kernels)
    further_commands = cover.choose_further_commands(
        unused, _MORE, {command.file for command in chosen}
    )
    files = {command.file for command in (*chosen, *further_commands)}
    facts = _extract_facts(
        root, folder, [command for command in commands if command.file in files]
    )
    kernel_files = {path for path, _ in kernels}
    database = replace(
        database,
        commands=tuple(
            command for command in database.commands if command.file in kernel_files
        ),
    )
    return facts + _extract_facts(
        root,
        folder,
        tuple(find_orphan_commands(root, database, _list_read_files(facts))),
    )


def _list_read_files(facts: Sequence[UnitFacts]) -> set[str]:
    return {path for unit in facts for path in unit.files}


def _extract_facts(
    root: Path, folder: Path, commands: Sequence[CompileCommand]
) -> list[UnitFacts]:
    meter, before = ProcessMeter(), 0.0
    missing = [
        command for command in commands if not _get_facts_file(folder, command).exists()
    ]
    with (folder / "costs.jsonl").open("a") as costs:
        for facts in extract_batch_facts(
            root, missing, on_unit=lambda _: meter.sample_processes()
        ):
            _get_facts_file(folder, facts.command).write_bytes(codec.encode(facts))
            costs.write(
                json.dumps([meter.total_seconds - before, meter.peak_bytes]) + "\n"
            )
            costs.flush()
            before = meter.total_seconds
    return [
        codec.decode(_get_facts_file(folder, command).read_bytes(), UnitFacts)
        for command in commands
    ]


def _find_unused_kernels(
    facts: Sequence[UnitFacts], kernels: Collection[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Return those kernels that need arguments of templates, and get none from any unit."""
    kernel_facts = (kernel for unit in facts for kernel in unit.kernels)
    used = {
        (kernel.span.path, kernel.name)
        for kernel in kernel_facts
        if not kernel.template_parameters or _is_used(kernel)
    }
    return set(kernels) - used


def _is_used(kernel: KernelFacts) -> bool:
    return any(
        instantiation.origin is not InstantiationOrigin.DEFAULT
        for instantiation in kernel.instantiations
    )


def read_cost(folder: Path) -> tuple[float, int]:
    """Return the seconds of a processor that the facts in a folder took, and the bytes of the
    largest process.
    """
    lines = [
        json.loads(line) for line in (folder / "costs.jsonl").read_text().splitlines()
    ]
    return sum(seconds for seconds, _ in lines), max(
        (peak for _, peak in lines), default=0
    )


def _load_database(root: Path, file: Path) -> CompileDatabase:
    if not file.exists():
        file.write_bytes(codec.encode(build_compile_database(root)))
    return codec.decode(file.read_bytes(), CompileDatabase)


def _write_generated_tree(root: Path, database: CompileDatabase, folder: Path) -> Path:
    if not folder.exists():
        write_generated_files(
            make_linked_copy(open_tree(root), folder), database.generated
        )
    return folder


def _get_facts_file(folder: Path, command: CompileCommand) -> Path:
    return folder / f"{hashlib.sha256(codec.encode(command)).hexdigest()[:16]}.facts"
