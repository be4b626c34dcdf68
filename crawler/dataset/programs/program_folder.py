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
        self._targets: list[ProjectTarget] = []
        self._unit_by_name: dict[str, str] = {}
        self._written_names: set[str] = set()

    def add(
        self, record: KernelRecord, folder: str, read_content: ContentReader
    ) -> tuple[Harness, ...]:
        """Write the tests of a kernel and return them; a unit that stands at two places has
        them once.
        """
        unit = record.kernel.unit
        unit_digest = unit.digest if unit else ""
        preferred = f"{folder}_{record.kernel.name}"
        name = self._claim_name(preferred, unit_digest)
        harnesses: list[Harness] = []

        for narrow_unit, harness in build_programs(record, read_content, name):
            harnesses.append(harness)
            if harness.name in self._written_names:
                continue

            self._write(harness)
            target = describe_target(narrow_unit, harness)
            self._targets.append(target)

        return tuple(harnesses)

    def close(self) -> None:
        """Write what builds and runs them all, and the headers that they need on a CPU."""
        if not self._targets:
            return

        project_files = render_project_files(self._targets)
        cpu_headers = collect_cpu_headers()
        files = {**project_files, **cpu_headers}

        for name, content in files.items():
            path = self._root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def _write(self, harness: Harness) -> None:
        self._root.mkdir(exist_ok=True)
        # a source of no valid UTF-8 keeps its bytes
        source = harness.source.encode("utf-8", "surrogateescape")
        source_path = self._root / harness.file
        source_path.write_bytes(source)

        if harness.beside:
            beside_path = self._root / harness.beside_file
            beside_path.write_bytes(harness.beside)

        self._written_names.add(harness.name)

    def _claim_name(self, preferred: str, unit_digest: str) -> str:
        """Return the name of a unit's tests, which no other unit's have."""
        name = to_identifier(preferred)
        owner = self._unit_by_name.setdefault(name, unit_digest)
        if owner == unit_digest:
            return name

        return f"{name}_{unit_digest[:12]}"
