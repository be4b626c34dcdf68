"""Write the host harness programs of many kernels into one buildable folder."""

from __future__ import annotations

from pathlib import Path

from crawler.dataset.programs.harness_programs import ContentReader, build_programs
from crawler.model import KernelRecord
from crawler.validate.harness.program import Harness, to_identifier
from crawler.validate.harness.project_folder import (
    ProjectTarget,
    collect_cpu_headers,
    describe_target,
    render_project_files,
)


class ProgramFolder:
    """A folder of tests that there is only once there is a test."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._listed: list[ProjectTarget] = []
        self._units: dict[str, str] = {}
        self._written: set[str] = set()

    def add(
        self, record: KernelRecord, folder: str, read_content: ContentReader
    ) -> tuple[Harness, ...]:
        """Write the tests of a kernel and return them; a unit that stands at two places has
        them once.
        """
        unit = record.kernel.unit.digest if record.kernel.unit else ""
        found = list(
            build_programs(
                record, read_content, self._name(f"{folder}_{record.kernel.name}", unit)
            )
        )
        for each, test in found:
            if test.name not in self._written:
                self._write(test)
                self._listed.append(describe_target(each, test))
        return tuple(test for _, test in found)

    def close(self) -> None:
        """Write what builds and runs them all, and the headers that they need on a CPU."""
        if not self._listed:
            return
        for name, content in {
            **render_project_files(self._listed),
            **collect_cpu_headers(),
        }.items():
            (self._root / name).parent.mkdir(parents=True, exist_ok=True)
            (self._root / name).write_bytes(content)

    def _write(self, test: Harness) -> None:
        self._root.mkdir(exist_ok=True)
        (self._root / test.file).write_bytes(
            test.source.encode("utf-8", "surrogateescape")
        )
        if test.beside:
            (self._root / test.beside_file).write_bytes(test.beside)
        self._written.add(test.name)

    def _name(self, wanted: str, unit: str) -> str:
        """Return the name of a unit's tests, which no other unit's have."""
        name = to_identifier(wanted)
        return (
            name
            if self._units.setdefault(name, unit) == unit
            else f"{name}_{unit[:12]}"
        )
