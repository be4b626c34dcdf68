"""Objects that were made of a source before, found without preprocessing it again."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from crawler import cache, headers
from crawler.checkout.source_scan import scan_source
from crawler.checkout.source_tree import SourceTree
from crawler.model import CompileCommand
from crawler.validate.emulator.version import VERSION
from crawler.validate.programs import host_build
from crawler.validate.programs.host_build.host_compiler import CHECKOUT, KernelNumbers
from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.programs.host_build.line_markers import list_files

OBJECT: Final = "object.o"
_RECORD: Final = "record.json"
_PREFIX: Final = f"{cache.OBJECT_PREFIX}of-"


class _Record(msgspec.Struct, frozen=True):
    """What a source became."""

    object_folder: str
    kernels: tuple[tuple[str, int, int], ...]
    """Path, line and number of each kernel in it, in their order."""


class SourceNumbers(KernelNumbers):
    """Numbers of the kernels of one source among those of all."""

    def __init__(self, numbers: KernelNumbers) -> None:
        super().__init__()
        self._all_numbers = numbers
        self.kernels: dict[KernelPlace, int] = {}

    def number_kernel(self, place: KernelPlace) -> int:
        """Return the number of the kernel at `place`, and keep it."""
        number = self._all_numbers.number_kernel(place)
        return self.kernels.setdefault(place, number)


class KnownObjects:
    """What was made of the sources of one checkout.

    A source is known by its command, by all that it may include, and by the versions of what
    compiles it: a file of the project counts if anything that is included has its name.
    """

    def __init__(self, tree: SourceTree, identity: str) -> None:
        """`identity` names the compiler, and what sources are compiled against beside our own
        headers.
        """
        self._tree = tree
        self._paths_by_name: dict[str, list[str]] = {}
        for path in tree.files:
            name = path.rpartition("/")[2]
            self._paths_by_name.setdefault(name, []).append(path)
        self._digests: dict[str, str] = {}
        self._included_names: dict[str, frozenset[str]] = {}
        self._identity = (
            identity,
            VERSION,
            headers.headers_digest(),
            _digest_files(_list_own_files()),
            # a header that is new may be found before another one, or by `__has_include`
            hashlib.sha256(repr(tree.files).encode("utf-8", "replace")).hexdigest(),
        )

    def name_source(self, command: CompileCommand, flags: tuple[str, ...]) -> str:
        """Return the name under which the object of a source is kept."""
        files = [
            (path, self._digest(path)) for path in self._list_reachable(command.file)
        ]
        identity = headers.drop_place(repr((command, flags, files, self._identity)))
        digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{_PREFIX}{digest}"

    def find(self, name: str, numbers: KernelNumbers) -> Path | None:
        """Return the object that is kept under a name; `None` where there is none, or one whose
        kernels have other numbers.
        """
        folder = _find_folder(name, _RECORD)
        if folder is None:
            return None

        record = msgspec.json.decode((folder / _RECORD).read_bytes(), type=_Record)
        object_folder = _find_folder(record.object_folder, OBJECT)
        if object_folder is None:
            return None

        # a source that is preprocessed after all gives them the same numbers
        for path, line, number in record.kernels:
            if numbers.number_kernel(KernelPlace(path=path, line=line)) != number:
                return None

        return object_folder / OBJECT

    def keep(
        self,
        name: str,
        command: CompileCommand,
        text: str,
        object_folder: str,
        kernels: Mapping[KernelPlace, int],
    ) -> None:
        """Keep the object that a source with the preprocessed `text` has become.

        One that includes what nobody could know it to include is not kept.
        """
        reachable_files = set(self._list_reachable(command.file))
        if not reachable_files.issuperset(_list_project_files(text, command)):
            return

        record = _Record(
            object_folder=object_folder,
            kernels=tuple(
                (place.path, place.line, number) for place, number in kernels.items()
            ),
        )

        def write_record(folder: Path) -> bool:
            (folder / _RECORD).write_bytes(msgspec.json.encode(record))
            return True

        cache.get_or_build(name, write_record, required_file=_RECORD)

    def _list_reachable(self, file: str) -> list[str]:
        """Return the files of the project that a source may include, itself among them."""
        reachable_files = {file}
        pending = [file]
        while pending:
            for name in self._list_included_names(pending.pop()):
                paths = self._paths_by_name.get(name, ())
                new_paths = [path for path in paths if path not in reachable_files]
                reachable_files.update(new_paths)
                pending += new_paths

        return sorted(reachable_files)

    def _list_included_names(self, path: str) -> frozenset[str]:
        if path not in self._included_names:
            includes = scan_source(self._tree.read_bytes(path)).includes
            names = (include.name.rpartition("/")[2] for include in includes)
            self._included_names[path] = frozenset(names)

        return self._included_names[path]

    def _digest(self, path: str) -> str:
        if path not in self._digests:
            self._digests[path] = _digest_files([self._tree.root / path])

        return self._digests[path]


def _list_project_files(text: str, command: CompileCommand) -> Iterator[str]:
    """Yield the files of the checkout that are in a preprocessed source."""
    folder = f"{CHECKOUT}/{command.directory}"
    for path in list_files(text):
        absolute_path = posixpath.normpath(posixpath.join(folder, path))
        is_file = not path.startswith("<") and not path.endswith("//")
        if is_file and absolute_path.startswith(f"{CHECKOUT}/"):
            yield absolute_path.removeprefix(f"{CHECKOUT}/")


def _find_folder(name: str, required_file: str) -> Path | None:
    return cache.get_or_build(name, lambda _: False, required_file=required_file)


def _list_own_files() -> Iterator[Path]:
    """Yield the files of ours that decide what a source becomes."""
    yield from sorted(Path(next(iter(host_build.__path__))).glob("*.py"))
    yield from sorted(path for path in headers.HELPERS.iterdir() if path.is_file())


def _digest_files(paths: Iterable[Path]) -> str:
    """Return a digest of files' names and contents; one that cannot be read has neither."""
    state = hashlib.sha256()
    for path in paths:
        with suppress(OSError), path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
            state.update(f"{path.name}\0{content}\0".encode("utf-8", "replace"))

    return state.hexdigest()
