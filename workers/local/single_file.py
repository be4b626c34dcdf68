"""Extract the kernels of one file, without a crawl or storage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crawler.builds.database.file_command import find_file_command
from crawler.extract.companions.attachment import attach_companions
from crawler.extract.companions.function_comments import attach_comments
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
    further_units: tuple[str, ...]
    """For a header: what it was read through beside the unit that lends the command."""
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
    """Parse a file as its compile command says, a header through the units that include it."""
    compiled = find_file_command(file, database)
    command, root = compiled.command, compiled.root
    path = file.resolve().relative_to(root.resolve()).as_posix()

    facts, *further_facts = _extract_facts(root, [command, *compiled.further_commands])
    # of a unit beside the first one only what it says of the file counts
    facts_of_file = [
        _select_facts_of(path, further_file_facts)
        for further_file_facts in further_facts
    ]

    linked_kernels = link_kernels([facts, *facts_of_file])
    launched_kernels = attach_host_code(root, linked_kernels)
    kernels = assign_licences(
        attach_comments(root, attach_companions(root, launched_kernels)),
        root,
        detect_repository_licence(root),
    )
    return SingleFile(
        root=root,
        path=path,
        command=command,
        further_units=tuple(
            further.borrowed_from for further in compiled.further_commands
        ),
        facts=facts,
        kernels=kernels,
    )


def _extract_facts(root: Path, commands: Sequence[CompileCommand]) -> list[UnitFacts]:
    """Return what the units of commands show, as if each were of the file that borrows it."""
    # a header is not compiled by itself: units that include it lend their commands
    parsed_commands = [
        replace(command, file=command.borrowed_from or command.file)
        for command in commands
    ]
    parsed_facts = extract_batch_facts(root, parsed_commands)

    return [
        replace(facts, command=command)
        for facts, command in zip(parsed_facts, commands, strict=True)
    ]


def _select_facts_of(path: str, facts: UnitFacts) -> UnitFacts:
    """Return facts without the kernels of other files, and without the launches of those."""
    kernels = [kernel for kernel in facts.kernels if kernel.span.path == path]
    other_names = {kernel.name for kernel in facts.kernels if kernel not in kernels}
    launches = [
        launch
        for launch in facts.launches
        if launch.target_path == path
        # joined by its name where the unit does not see what it launches
        or (not launch.target_path and launch.launch.kernel_name not in other_names)
    ]
    return replace(facts, kernels=tuple(kernels), launches=tuple(launches))


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
