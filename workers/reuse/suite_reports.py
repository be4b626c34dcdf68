"""What the own tests of a commit show of its kernels, run once."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from crawler import cache, sandbox
from crawler.checkout.source_tree import open_tree
from crawler.codec import encode
from crawler.model import Kernel
from crawler.toolchains import discovery
from crawler.validate.suites.instance_tests import InstanceTests
from crawler.validate.suites.interface import NATIVE_SUITES, choose_suite_kind
from crawler.validate.suites.suite_evidence import find_suite_evidence
from crawler.validate.suites.suite_report import SuiteReport, observe_suite
from crawler.validate.suites.torch_environment import (
    TorchEnvironment,
    open_torch_environment,
)
from storage.ledger.interface import Stage
from workers.reuse.kept_reports import recall_or_make
from workers.reuse.program_reports import ProgramReports
from workers.tasks.task_specs import stage_version

if TYPE_CHECKING:
    from storage.open import Storage


@dataclass(kw_only=True)
class SuiteReports:
    """The tests of a commit; what an earlier task saw of them is taken from storage."""

    storage: Storage
    programs: ProgramReports
    """Whose commit it is."""
    python: str
    """The interpreter with PyTorch; `native` where only tests are run that need none, empty where
    no tests are run.
    """

    def find_evidence(self, kernel: Kernel) -> tuple[InstanceTests, ...]:
        """Return what the commit's tests showed of `kernel`, for each instantiation."""
        if not self.python or not kernel.launches:
            return ()
        if sandbox.explain_missing_builds():
            return ()

        return find_suite_evidence(kernel, self._report)

    @cached_property
    def _report(self) -> SuiteReport:
        tree = open_tree(self.programs.root)
        environment = None
        if self.python != NATIVE_SUITES and choose_suite_kind(tree).needs_torch:
            environment = open_torch_environment(self.python)
        key = self._make_key(environment)
        # a suite takes minutes: whoever else on this machine wants it waits for it
        with _lock(self.programs.snapshot):
            return recall_or_make(
                self.storage,
                key,
                SuiteReport,
                lambda: observe_suite(tree, environment),
                lambda message: SuiteReport(
                    code="internal", message=message, outcomes={}, broken={}
                ),
            )

    def _make_key(self, environment: TorchEnvironment | None) -> str:
        version = stage_version(Stage.VALIDATE_CPU)
        toolchain = discovery.toolchain_digest()
        snapshot = self.programs.snapshot
        # what was not there to import may be there now
        packages = environment.packages if environment else ()
        digest = hashlib.sha256(encode(packages)).hexdigest()
        return f"suite {version} {toolchain} {digest} {snapshot}"


@contextmanager
def _lock(snapshot: str) -> Iterator[None]:
    path: Path = cache.ensure_cache_folder() / f"suite-{snapshot[:64]}.lock"
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
