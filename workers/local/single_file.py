"""Extract the kernels of one file, without a crawl or storage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from crawler.builds.database.file_command import find_file_command
from crawler.extract.companions.attachment import attach_companions
from crawler.extract.link import link_kernels
from crawler.extract.operators.host_code import attach_host_code
from crawler.extract.parser_process.parent import extract_batch_facts
from crawler.licences.detection import assign_licences, detect_repository_licence
from crawler.model import (
    CompileCommand,
    Kernel,
    KernelRecord,
    Layer,
    Provenance,
    Repo,
    UnitFacts,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleFile:
    """What one file, and what it includes, showed."""

    root: Path
    path: str
    """Of the file, relative to the root."""
    command: CompileCommand
    facts: UnitFacts
    kernels: tuple[Kernel, ...]

    @property
    def own_kernels(self) -> tuple[Kernel, ...]:
        """The kernels that stand in the very file."""
        return tuple(kernel for kernel in self.kernels if kernel.span.path == self.path)

    @property
    def included_kernels(self) -> tuple[Kernel, ...]:
        """The kernels of the files that it includes."""
        return tuple(kernel for kernel in self.kernels if kernel.span.path != self.path)


def extract_single_file(file: Path, database: Path | None) -> SingleFile:
    """Parse a file as its compile command says, a header through a unit that includes it."""
    command, root = find_file_command(file, database)

    # a header is not compiled by itself: it lends the command of a unit that includes it
    parsed_file = command.borrowed_from or command.file
    (facts,) = extract_batch_facts(root, [replace(command, file=parsed_file)])

    path = file.resolve().relative_to(root.resolve()).as_posix()

    linked_kernels = link_kernels([replace(facts, command=command)])
    kernels = assign_licences(
        attach_companions(root, attach_host_code(root, linked_kernels)),
        root,
        detect_repository_licence(root),
    )
    return SingleFile(
        root=root,
        path=path,
        command=command,
        facts=facts,
        kernels=kernels,
    )


def make_records(
    extracted: SingleFile, kernels: Iterable[Kernel]
) -> tuple[KernelRecord, ...]:
    """Return the kernels as records of a local folder that has no commit."""
    repo = Repo(
        source="local",
        owner="",
        name=extracted.root.name,
        url="",
        ref="",
        commit="",
    )
    records: list[KernelRecord] = []
    for kernel in kernels:
        provenance = Provenance(
            repo=repo,
            span=kernel.span,
            snapshot="",
            flags_origin=kernel.flags_origin,
            borrowed_from=kernel.borrowed_from,
        )
        records.append(KernelRecord(kernel=kernel, provenance=provenance))
    return tuple(records)


def count_by_layer(kernels: Iterable[Kernel]) -> dict[Layer, int]:
    """Return the number of kernels by what found them, in the order of `Layer`, without zeros."""
    counts = dict.fromkeys(Layer, 0)
    for kernel in kernels:
        counts[kernel.found_by] += 1
    return {layer: number for layer, number in counts.items() if number}
