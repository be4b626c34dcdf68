"""Targets declared by the BUILD files of a Bazel workspace, with macros expanded."""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from collections import ChainMap
from collections.abc import Iterator, Mapping
from typing import Any, Final

from crawler.builds.bazel.build_file_calls import BuildFileCalls
from crawler.builds.bazel.glob_patterns import matches_glob
from crawler.builds.bazel.starlark_interpreter import Interpreter
from crawler.builds.bazel.starlark_syntax import parse_starlark
from crawler.builds.bazel.starlark_values import (
    Budget,
    BudgetExceeded,
    Unsupported,
)
from crawler.builds.bazel.targets import (
    Label,
    Target,
    is_device_condition,
    parse_label,
    select_branch,
)
from crawler.checkout.source_tree import SourceTree
from crawler.model import Dialect

__all__ = [
    "BUILD_FILES",
    "WORKSPACE_FILES",
    "Label",
    "Target",
    "Workspace",
    "parse_label",
    "select_branch",
]

BUILD_FILES: Final = ("BUILD.bazel", "BUILD")
"""Names of a package's BUILD file, the first that exists counts."""
WORKSPACE_FILES: Final = (
    "MODULE.bazel",
    "WORKSPACE.bazel",
    "WORKSPACE",
    "WORKSPACE.bzlmod",
)
_MAX_FILE_STEPS: Final = 60_000
_MAX_STEPS: Final = 1_500_000
_MAX_PACKAGES: Final = 5000
_MAX_TARGETS: Final = 20_000
_MAX_PATTERN_CHARS: Final = 400
_PARTS_A_STEP: Final = 4
_CONSTANTS: Final = {"True": True, "False": False, "None": None}


class Workspace:
    """A Bazel workspace: the packages at and below `root`, a folder of the tree."""

    def __init__(self, tree: SourceTree, root: str, dialect: Dialect) -> None:
        self._tree = tree
        self._dialect = dialect
        self._prefix = f"{root}/" if root else ""

        self.root = root
        self.files = tuple(_iter_paths_below(tree.files, self._prefix))
        self._file_set = frozenset(self.files)
        self._packages = _list_folders_with(self.files, BUILD_FILES)

        self.targets: dict[Label, Target] = {}
        self.problems: list[str] = []
        # what each `.bzl` file defines
        self._modules: dict[str, dict[str, Any]] = {}
        # packages and names of the sources that a rule compiles
        self._taken_sources: set[tuple[str, str]] = set()
        self._steps_left = _MAX_STEPS

    def __contains__(self, path: str) -> bool:
        return path in self._file_set

    def read_packages(self) -> None:
        """Read every package's BUILD file; workspaces inside this one are not part of it."""
        # the root's own WORKSPACE stands in the folder ""
        inner_workspaces = _list_folders_with(self.files, WORKSPACE_FILES) - {""}
        packages = [
            package
            for package in sorted(self._packages)
            if not _is_below(package, inner_workspaces)
        ]

        for package in packages[:_MAX_PACKAGES]:
            build_files = [posixpath.join(package, name) for name in BUILD_FILES]
            build_file = next(path for path in build_files if path in self)
            self._run_file(build_file, package)

    def load_module(self, path: str) -> Mapping[str, Any]:
        """Return what a `.bzl` file defines; each file is run once.

        Empty for a file that is not there, and while the file itself is run.
        """
        if path not in self._modules:
            # in case that it loads itself
            self._modules[path] = {}
            if path in self:
                self._modules[path] = self._run_file(path, posixpath.dirname(path))

        return self._modules[path]

    def declare_target(self, target: Target, *, by_macro: bool) -> None:
        """Keep a target, the first of a name.

        A macro's call only counts for sources that no rule in the macro compiles.
        """
        sources = {(target.package, name) for name in target.list_strings("srcs")}
        # its sources are those of a rule that the macro calls
        if by_macro and sources <= self._taken_sources:
            return

        self._taken_sources |= sources
        if len(self.targets) >= _MAX_TARGETS:
            return

        name = target.attributes.get("name")
        if not isinstance(name, str):
            name = f"?{len(self.targets)}"

        self.targets.setdefault(Label(target.package, name), target)

    def match_files(
        self, package: str, patterns: list[str], budget: Budget
    ) -> list[str]:
        """Return the files of a package, not of those below it, that a pattern matches."""
        split_patterns = [
            tuple(pattern.split("/"))
            for pattern in patterns
            if len(pattern) < _MAX_PATTERN_CHARS
        ]

        matching_files = []
        prefix = f"{package}/" if package else ""

        for path in _iter_paths_below(self.files, prefix):
            parts = tuple(path.split("/"))
            budget.spend(1 + len(split_patterns) * len(parts) // _PARTS_A_STEP)
            if not any(matches_glob(parts, pattern) for pattern in split_patterns):
                continue

            if not self._is_in_inner_package(package, parts):
                matching_files.append(path)

        return matching_files

    def choose_branch(self, branches: Mapping[Any, Any]) -> Any:
        """Choose the branch of a `select`."""
        return select_branch(branches, self._dialect)

    def is_device_condition(self, name: str) -> bool:
        """Tell whether a function called `if_…` answers with its first argument."""
        return is_device_condition(name, self._dialect)

    def _run_file(self, path: str, package: str) -> dict[str, Any]:
        """Run a file and return what it defines, as far as it can be run."""
        scope: dict[str, Any] = {}
        # a `load` in the file runs another file, which has a budget of its own
        initial_steps = min(_MAX_FILE_STEPS, self._steps_left)
        budget = Budget(initial_steps)

        calls = BuildFileCalls(self, package, scope, budget)
        interpreter = Interpreter(calls.answer, budget)
        globals_scope = ChainMap(scope, dict(_CONSTANTS))

        try:
            text = self._tree.read_text(self._prefix + path)
            module = parse_starlark(text)
            interpreter.run_module(module, globals_scope)
        except BudgetExceeded:
            self.problems.append(f"{path}: too much to walk")
        except Unsupported:
            self.problems.append(f"{path}: not understood")

        self._steps_left -= initial_steps - max(budget.steps, 0)

        return scope

    def _is_in_inner_package(self, package: str, parts: tuple[str, ...]) -> bool:
        folders = [
            posixpath.join(package, *parts[:end]) for end in range(1, len(parts))
        ]
        return not self._packages.isdisjoint(folders)


def _list_folders_with(
    files: tuple[str, ...], names: tuple[str, ...]
) -> frozenset[str]:
    return frozenset(
        posixpath.dirname(path) for path in files if posixpath.basename(path) in names
    )


def _iter_paths_below(files: tuple[str, ...], prefix: str) -> Iterator[str]:
    """Yield the files whose path begins so, without that beginning; `files` are sorted."""
    first = bisect_left(files, prefix)

    for position in range(first, len(files)):
        path = files[position]
        if not path.startswith(prefix):
            return

        yield path[len(prefix) :]


def _is_below(package: str, folders: frozenset[str]) -> bool:
    """Tell whether a package is one of `folders`, or in one of them."""
    folder = package
    while folder not in folders:
        parent, slash, _ = folder.rpartition("/")
        if not slash:
            return False

        folder = parent

    return True
