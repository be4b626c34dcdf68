"""What a kind of test suite does: it builds a project, and says how its tests are run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final, Protocol

from crawler.checkout.source_tree import SourceTree
from crawler.plugins import load_plugins
from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.suites.suite_runs import SuiteProject
from crawler.validate.suites.torch_environment import TorchEnvironment

NATIVE_SUITES: Final = "native"
"""In the place of an interpreter: only suites are run that need none."""
_KINDS: Final = "crawler.validate.suites.kinds"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRequest:
    """A project whose tests are asked for."""

    tree: SourceTree
    environment: TorchEnvironment | None = None
    """Where its tests are to run, where they need PyTorch."""
    needed: Sequence[SourceTree] = ()
    """Other projects whose packages its tests import."""
    report_progress: Callable[[str], None] = lambda line: None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadySuite:
    """A project that was built, and whose tests can be run."""

    project: SuiteProject
    kernels: tuple[KernelPlace, ...]
    """By their numbers; paths are relative to the checkout."""
    modules: tuple[str, ...] = ()
    """Extension modules that were built."""
    broken: dict[str, str] = field(default_factory=dict)
    """Why a part of the project was not built, by its name."""


class SuiteRefused(Exception):
    """A project whose tests cannot be run; `code` is stable."""

    def __init__(
        self, code: str, message: str, broken: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.broken = broken or {}


class SuiteKind(Protocol):
    """A kind of test suite."""

    @property
    def name(self) -> str:
        """A short word."""
        ...

    @property
    def order(self) -> int:
        """Kinds are asked by it, the lowest first."""
        ...

    @property
    def needs_torch(self) -> bool:
        """Whether a request must have an environment."""
        ...

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether a project has such a suite."""
        ...

    def open(self, request: SuiteRequest) -> AbstractContextManager[ReadySuite]:
        """Build a project, and remove what was made in the end.

        Raises `SuiteRefused`.
        """
        ...


def choose_suite_kind(tree: SourceTree) -> SuiteKind:
    """Return the kind of suite that a project has; the first kind where none recognises it."""
    kinds = load_plugins(_KINDS, SuiteKind)
    return next((kind for kind in kinds if kind.recognises(tree)), kinds[0])
