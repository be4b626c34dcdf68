"""Lay a project out as its tests want it: packages, and extension modules within them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from crawler.checkout.source_tree import SourceTree, is_vendored
from crawler.checkout.tree_copies import make_linked_copy
from crawler.sandbox import Mount
from crawler.sandbox.work_folder import open_work_folder
from crawler.validate.suites.device_libraries import DeviceLibraries
from crawler.validate.suites.extension_build import BuiltExtensions
from crawler.validate.suites.suite_runs import CHECKOUT_MOUNT, SuiteProject
from crawler.validate.suites.torch_environment import TorchEnvironment

_INSIDE: Final = Path(__file__).parent / "inside"
_TOOLS: Final = "/kernelset"
_PYTEST_WORDS: Final = (
    *("-m", "pytest", "-q", "-p", "kernelset_suite", "-p", "no:cacheprovider"),
    "--continue-on-collection-errors",
    # options of plugins that are not here, warnings that newer versions give
    *("-o", "addopts=", "-o", "filterwarnings="),
)
_MODULES: Final = ".kernelset-modules"
"""For modules that are in no package of the project."""
_MAX_TEST_FILES: Final = 500


@contextmanager
def open_suite_project(
    tree: SourceTree,
    extensions: BuiltExtensions,
    environment: TorchEnvironment,
    libraries: DeviceLibraries,
    needed: Sequence[tuple[SourceTree, BuiltExtensions]] = (),
) -> Iterator[SuiteProject]:
    """Make a copy of a checkout with its modules in their places, and of each of the projects
    that its tests need; remove them in the end.
    """
    with open_work_folder("suite") as scratch:
        folder = scratch / "project"
        import_folders = _lay_out(tree, extensions, folder)
        needed_folders: list[Path] = []
        for number, (needed_tree, needed_extensions) in enumerate(needed):
            needed_root = scratch / f"needed{number}"
            folders = _lay_out(needed_tree, needed_extensions, needed_root)
            needed_folders += [needed_root / name for name in folders]

        needed_folders = [path for path in needed_folders if path.is_dir()]
        own_folders = [f"{CHECKOUT_MOUNT}/{name}" for name in import_folders]
        paths = (_TOOLS, *own_folders, *map(str, needed_folders))
        yield SuiteProject(
            folder=folder,
            command=(environment.python, *_PYTEST_WORDS, *find_test_files(tree)),
            mounts=(
                *_list_mounts(environment, libraries),
                Mount(
                    source=folder, target=CHECKOUT_MOUNT, writable=True, copy_back=()
                ),
                *(Mount(source=path, target=str(path)) for path in needed_folders),
            ),
            variables=_make_variables(environment, libraries, paths),
        )


def _list_mounts(
    environment: TorchEnvironment, libraries: DeviceLibraries
) -> Iterator[Mount]:
    yield from environment.list_mounts()
    yield Mount(source=_INSIDE, target=_TOOLS)
    for library in (libraries.runtime, libraries.torch):
        yield Mount(source=library, target=f"/libraries/{library.name}")


def _make_variables(
    environment: TorchEnvironment, libraries: DeviceLibraries, paths: Iterable[str]
) -> dict[str, str]:
    return {
        "PYTHONPATH": ":".join(paths),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "LD_LIBRARY_PATH": f"/libraries:{environment.library_folder}",
        "KERNELSET_RUNTIME": f"/libraries/{libraries.runtime.name}",
        "KERNELSET_TORCH_DEVICE": f"/libraries/{libraries.torch.name}",
    }


def _lay_out(
    tree: SourceTree, extensions: BuiltExtensions, folder: Path
) -> tuple[str, ...]:
    """Copy a checkout to `folder`, with its modules; return where Python imports from there."""
    make_linked_copy(tree, folder)
    import_folders = {"": None, _MODULES: None}

    for name, library in extensions.libraries.items():
        place = find_module_place(name, tree.files)
        import_folders[str(place.import_folder)] = None
        target = folder / place.file
        # a file of the project's may have a folder's name: its tests then lack the module
        with suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
            target.parent.mkdir(parents=True, exist_ok=True)
            # a link to the checkout's own file may stand there
            target.unlink(missing_ok=True)
            target.write_bytes(library)

    return tuple(import_folders)


@dataclass(frozen=True, slots=True)
class ModulePlace:
    """Where an extension module lies, relative to the checkout."""

    import_folder: PurePosixPath
    """The folder from which Python imports it by its dotted name."""
    name: str

    @property
    def file(self) -> PurePosixPath:
        """Its shared library."""
        return self.import_folder / f"{self.name.replace('.', '/')}.so"


def find_module_place(name: str, files: Iterable[str]) -> ModulePlace:
    """Return where the module `name`, with dots, lies among `files`: in the package that its
    name begins with, the one nearest to the root; else in a folder of its own.
    """
    package = name.rpartition(".")[0].replace(".", "/")
    if package:
        beginning = f"{package}/__init__.py"
        folders = [
            PurePosixPath(path.removesuffix(beginning))
            for path in files
            if path == beginning or path.endswith(f"/{beginning}")
        ]
        if folders:
            nearest = min(folders, key=lambda folder: (len(folder.parts), str(folder)))
            return ModulePlace(nearest, name)

    return ModulePlace(PurePosixPath(_MODULES), name)


def find_test_files(tree: SourceTree) -> list[str]:
    """Return the project's own files that pytest would take for tests, at most 500."""
    names = (
        path
        for path in tree.files
        if path.endswith(".py") and not is_vendored(path) and _is_test_file(path)
    )
    return sorted(names)[:_MAX_TEST_FILES]


def _is_test_file(path: str) -> bool:
    stem = PurePosixPath(path).stem
    return stem.startswith("test_") or stem.endswith("_test")
