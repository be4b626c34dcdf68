"""What programs of a commit show of their kernels, each looked at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from crawler import sandbox
from crawler.codec import decode, encode
from crawler.model import CompileDatabase, Kernel
from crawler.toolchains import discovery
from crawler.validate.launchers.author_code import (
    AuthorCode,
    find_author_code,
    get_file,
    observe_author_code,
)
from crawler.validate.programs.author_launches import ProgramReport
from crawler.validate.programs.program_evidence import ProgramEvidence, find_evidence
from storage.ledger.interface import Stage
from workers.reuse.kept_reports import recall_or_make
from workers.tasks.task_specs import stage_version
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


@dataclass(kw_only=True)
class ProgramReports:
    """The programs of a commit; what an earlier task saw of one is taken from storage."""

    storage: Storage
    workspace: Workspace
    snapshot: str
    database: str
    """Digest of the commit's stored compile database; empty where there is none."""
    _seen: dict[str, ProgramReport] = field(default_factory=dict)

    def find_evidence(self, kernel: Kernel) -> tuple[ProgramEvidence, ...]:
        """Return what the commit's programs showed of `kernel`."""
        if not self.database or not kernel.launches:
            return ()
        if sandbox.explain_missing_builds():
            return ()

        codes = find_author_code(self.root, self._database.commands, kernel)
        reports = [(get_file(code), self._observe(code)) for code in codes]
        return find_evidence(kernel, reports)

    @property
    def root(self) -> Path:
        """The checkout, with what builds have written."""
        return self.workspace.checkout(
            self.snapshot, self.storage.blobs, self._database.generated
        )

    @cached_property
    def _database(self) -> CompileDatabase:
        if not self.database:
            return CompileDatabase(commands=(), strategies=())
        return decode(self.storage.blobs.get(self.database), CompileDatabase)

    def _observe(self, code: AuthorCode) -> ProgramReport:
        key = self._make_key(code)
        if key in self._seen:
            return self._seen[key]

        report = recall_or_make(
            self.storage,
            key,
            ProgramReport,
            lambda: observe_author_code(self.root, code),
            lambda message: ProgramReport(code="internal", message=message),
        )
        self._seen[key] = report
        return report

    def _make_key(self, code: AuthorCode) -> str:
        content = hashlib.sha256(encode(code)).hexdigest()
        version = stage_version(Stage.VALIDATE_CPU)
        toolchain = discovery.toolchain_digest()
        return f"program {version} {toolchain} {self.snapshot} {content}"
