"""Write the host harness programs of many kernels into one buildable folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from crawler.dataset.programs.harness_programs import (
    ContentReader,
    JudgedUnit,
    list_judged_units,
)
from crawler.model import KernelRecord
from crawler.validate.harness.judged_test import JudgedTest
from crawler.validate.harness.program import Harness, to_identifier
from crawler.validate.harness.project_folder import (
    collect_cpu_headers,
    render_project_files,
)


class ProgramFolder:
    """A folder of tests that there is only once there is a test."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._tests: list[JudgedTest] = []
        self._unit_by_name: dict[str, str] = {}
        self._written_names: set[str] = set()

    def add(
        self, record: KernelRecord, folder: str, read_content: ContentReader
    ) -> tuple[Harness, ...]:
        """Write the tests of a kernel for a judge, and return them as programs that test
        themselves; a unit that stands at two places has them once.
        """
        unit = record.kernel.unit
        unit_digest = unit.digest if unit else ""
        preferred = f"{folder}_{record.kernel.name}"
        name = self._claim_name(preferred, unit_digest)
        harnesses: list[Harness] = []

        for subject in list_judged_units(record, read_content, name):
            harnesses.append(subject.build_program())
            if subject.name not in self._written_names:
                self._write(subject)

        return tuple(harnesses)

    def close(self) -> None:
        """Write what builds and runs them all, and the headers that they need on a CPU."""
        if not self._tests:
            return

        project_files = render_project_files(self._tests)
        self._write_files({**project_files, **collect_cpu_headers()})

    def _write(self, subject: JudgedUnit) -> None:
        test = subject.build_judged()
        self._write_files(test.files)
        self._tests.append(test)
        self._written_names.add(test.name)

    def _write_files(self, files: Mapping[str, bytes]) -> None:
        for name, content in files.items():
            path = self._root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def _claim_name(self, preferred: str, unit_digest: str) -> str:
        """Return the name of a unit's tests, which no other unit's have."""
        name = to_identifier(preferred)
        owner = self._unit_by_name.setdefault(name, unit_digest)
        if owner == unit_digest:
            return name

        return f"{name}_{unit_digest[:12]}"
