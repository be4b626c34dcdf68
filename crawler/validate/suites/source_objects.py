"""Sources of an extension module that are being compiled, and what comes of them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from crawler.model import CompileCommand
from crawler.validate.programs.host_build.build_failure import (
    COMPILE_ERROR,
    BuildFailed,
)
from crawler.validate.programs.host_build.host_compiler import HostCompiler
from crawler.validate.programs.host_build.host_source import KernelPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class PreprocessedSource:
    """A source that is ready to be compiled."""

    command: CompileCommand
    compiler: HostCompiler
    name: str
    """Of its object in the work folder, without a suffix."""
    key: str
    """The name under which its object is kept."""
    text: str
    kernels: dict[KernelPlace, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFailure:
    """A source of a module that did not compile."""

    file: str
    code: str
    message: str


class SourceFailed(BuildFailed):
    """A source that did not compile."""

    def __init__(self, failure: SourceFailure) -> None:
        super().__init__(failure.code, failure.message)
        self.failure = failure


@dataclass(slots=True, kw_only=True)
class SourceObject:
    """A source that is being compiled."""

    file: str
    name: str
    is_device_code: bool
    future: Future[str] | None = None
    error: BuildFailed | None = None

    def wait(self) -> str:
        """Return the object's name in the work folder; raise `SourceFailed` without one."""
        try:
            if self.future is None:
                raise self.error or BuildFailed(COMPILE_ERROR, "it was not compiled")
            return self.future.result()
        except BuildFailed as error:
            raise SourceFailed(
                SourceFailure(file=self.file, code=error.code, message=str(error))
            ) from error


def wait_for_all(
    objects: Sequence[SourceObject],
) -> tuple[list[str], list[SourceFailure]]:
    """Return the objects of a module, and the sources that it has to do without.

    Raises `SourceFailed` where none of its kernels would be there.
    """
    names: list[str] = []
    failures: list[SourceFailed] = []
    has_kernels = False

    for compilation in objects:
        try:
            names.append(compilation.wait())
            has_kernels |= compilation.is_device_code
        except SourceFailed as error:
            failures.append(error)

    if failures and not has_kernels:
        raise failures[0]

    return names, [error.failure for error in failures]
