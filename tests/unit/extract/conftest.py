"""Small projects, parsed once a module: a parse costs a fifth of a second."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import CompileCommand, Dialect, FlagsOrigin, Kernel, UnitFacts

Files = Mapping[str, str | bytes]


class Project:
    """A folder of sources, and what extraction says of it."""

    def __init__(self, root: Path, files: Files, *flags: str) -> None:
        self.root = root
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(text.encode() if isinstance(text, str) else text)
        units = [name for name in files if name.endswith((".cu", ".cpp", ".hip"))]
        self.commands = [command(name, *flags) for name in units]

    def facts(self) -> tuple[UnitFacts, ...]:
        return tuple(
            extract_unit_facts(self.root, command) for command in self.commands
        )

    def kernels(self) -> tuple[Kernel, ...]:
        return link_kernels(self.facts())


def command(file: str, *flags: str) -> CompileCommand:
    return CompileCommand(
        directory=".",
        file=file,
        arguments=flags,
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Project]:
    """Plant sources in a folder of their own."""

    def plant(files: Files, *flags: str) -> Project:
        return Project(tmp_path_factory.mktemp("project"), files, *flags)

    return plant


@pytest.fixture(scope="session")
def text() -> Callable[[str], SourceText]:
    """Make a file of the project out of its text."""
    return lambda content: SourceText("file.cu", content.encode())


@pytest.fixture(scope="session")
def index_kernels() -> Callable[[Iterable[Kernel]], dict[str, Kernel]]:
    """Index kernels by qualified name, which must be unique."""

    def index(kernels: Iterable[Kernel]) -> dict[str, Kernel]:
        listed = list(kernels)
        by_name = {kernel.qualified_name: kernel for kernel in listed}
        assert len(by_name) == len(listed)
        return by_name

    return index
