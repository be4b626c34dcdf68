"""Targets declared by the BUILD files of a Bazel workspace, with macros expanded."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from crawler.builds.bazel import starlark_values
from crawler.builds.bazel.glob_patterns import matches_glob
from crawler.builds.bazel.starlark_interpreter import (
    MACRO_PREFIX,
    Budget,
    BudgetExceeded,
    Call,
    Interpreter,
    parse_starlark,
)
from crawler.builds.bazel.starlark_values import Unknown, Unsupported
from crawler.builds.checkout.source_tree import SourceTree
from crawler.model import Dialect

BUILD_FILES: Final = ("BUILD.bazel", "BUILD")
WORKSPACE_FILES: Final = (
    "MODULE.bazel",
    "WORKSPACE.bazel",
    "WORKSPACE",
    "WORKSPACE.bzlmod",
)
_STEPS: Final = 60_000
_STEPS_IN_ALL: Final = 1_500_000
_MOST_PACKAGES: Final = 5000
_MOST_TARGETS: Final = 20_000
_SCALARS: Final = {"True": True, "False": False, "None": None}
_SOURCES: Final = re.compile(
    r"(?:\w+_)?(?:srcs|hdrs|deps|actual|files|includes|defines)"
)
_CONDITIONS: Final = {
    Dialect.CUDA: re.compile(r"(?i)cuda|nvcc|nvidia|(?<![a-z])gpu"),
    Dialect.HIP: re.compile(r"(?i)rocm|(?<![a-z])hip|amdgpu|(?<![a-z])gpu"),
}
_NOT: Final = re.compile(
    r"(?i)(?<![a-z])(?:not|no|non|without|disable[ds]?|cpu)(?![a-z])"
)
_HERE: Final = re.compile(r"(?i)linux|x86_64|k8|opt|release")
_DEFAULT: Final = "//conditions:default"


@dataclass(frozen=True, slots=True)
class Label:
    """A target or a file: the folder of its package, relative to the workspace, and its name
    there.
    """

    package: str
    name: str

    @property
    def path(self) -> str:
        """The file that it would be."""
        return posixpath.normpath(posixpath.join(self.package, self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A call that has sources, headers or dependencies, whatever its rule."""

    rule: str
    package: str
    attributes: Mapping[str, Any]

    def list_strings(self, *endings: str) -> list[str]:
        """Return the strings of every attribute whose name is, or ends with `_` and, one of
        these.
        """
        names = [name for name in self.attributes if _ends(name, endings)]
        found = (one for name in names for one in _strings(self.attributes[name]))
        return list(dict.fromkeys(found))


def parse_label(text: str, package: str) -> Label:
    """Read a label; the name of a repository counts for nothing, since it may be this one's own."""
    text = text.rpartition("//")[2] if "//" in text else f"{package}:{text.lstrip(':')}"
    folder, colon, name = text.partition(":")
    return Label(folder.strip("/"), name if colon else posixpath.basename(folder))


def select_branch(branches: Mapping[Any, Any], dialect: Dialect) -> Any:
    """Return the branch of a `select` that a build for this dialect's device takes."""

    def rank(key: Any) -> tuple[int, int]:
        text = " ".join(_strings(key) if isinstance(key, tuple) else [str(key)])
        asks = bool(_CONDITIONS[dialect].search(text)) and not _NOT.search(text)
        return (
            -asks,
            0
            if asks
            else 1
            if text.endswith(_DEFAULT)
            else 2 - 2 * bool(_HERE.search(text)),
        )

    return branches[min(branches, key=rank)] if branches else Unknown()


class Workspace:
    """A Bazel workspace: the packages at and below `root`, a folder of the tree."""

    def __init__(self, tree: SourceTree, root: str, dialect: Dialect) -> None:
        self.root = root
        prefix = f"{root}/" if root else ""
        self.files = tuple(_below(tree.files, prefix))
        self.targets: dict[Label, Target] = {}
        self.problems: list[str] = []
        self._tree, self._prefix, self._dialect = tree, prefix, dialect
        self._known = frozenset(self.files)
        self._modules: dict[str, dict[str, Any]] = {}
        self._taken: set[tuple[str, str]] = set()
        self._left = _STEPS_IN_ALL
        self._packages = frozenset(
            posixpath.dirname(path) for path in self.files if _named(path, BUILD_FILES)
        )

    def __contains__(self, path: str) -> bool:
        return path in self._known

    def read_packages(self) -> None:
        """Read every package's BUILD file; workspaces inside this one are not part of it."""
        inner = {
            posixpath.dirname(path)
            for path in self.files
            if _named(path, WORKSPACE_FILES)
        } - {""}
        own = [
            package for package in sorted(self._packages) if not _is_in(package, inner)
        ]
        for package in own[:_MOST_PACKAGES]:
            name = next(
                name for name in BUILD_FILES if posixpath.join(package, name) in self
            )
            self._read(posixpath.join(package, name), package)

    def _read(self, path: str, package: str) -> dict[str, Any]:
        budget = Budget(min(_STEPS, self._left))
        given = budget.steps
        scope: dict[str, Any] = {}
        try:
            reading = _Reading(self, package, scope, budget)
            reading.interpreter.run_module(
                parse_starlark(self._tree.read_text(self._prefix + path)),
                ChainMap(scope, dict(_SCALARS)),
            )
        except (Unsupported, BudgetExceeded) as error:
            self.problems.append(
                f"{path}: {'too much to walk' if isinstance(error, BudgetExceeded) else 'not understood'}"
            )
        self._left -= given - max(budget.steps, 0)
        return scope

    def load_module(self, path: str) -> Mapping[str, Any]:
        """Return what a `.bzl` file defines, each file read once; nothing for one that is read
        already.
        """
        if path not in self._modules:
            self._modules[path] = {}
            if path in self:
                self._modules[path] = self._read(path, posixpath.dirname(path))
        return self._modules[path]

    def declare_target(self, target: Target, *, by_macro: bool) -> None:
        """Keep a target, the first of a name; of a macro's call only what the rules in it did
        not take.
        """
        sources = {(target.package, name) for name in target.list_strings("srcs")}
        if by_macro and sources <= self._taken:
            return
        self._taken |= sources
        if len(self.targets) < _MOST_TARGETS:
            name = target.attributes.get("name")
            named = name if isinstance(name, str) else f"?{len(self.targets)}"
            self.targets.setdefault(Label(target.package, named), target)

    def match_files(
        self, package: str, patterns: list[str], budget: Budget
    ) -> list[str]:
        """Return the files of a package, not of those below it, that a pattern matches."""
        prefix = f"{package}/" if package else ""
        found = []
        split = [
            tuple(pattern.split("/")) for pattern in patterns if len(pattern) < 400
        ]
        for inner in _below(self.files, prefix):
            parts = tuple(inner.split("/"))
            budget.spend(1 + len(split) * len(parts) // 4)
            if any(
                matches_glob(parts, pattern) for pattern in split
            ) and not self._elsewhere(package, parts):
                found.append(inner)
        return found

    def _elsewhere(self, package: str, parts: tuple[str, ...]) -> bool:
        folders = (
            posixpath.join(package, *parts[:end]) for end in range(1, len(parts))
        )
        return any(folder in self._packages for folder in folders)

    def choose_branch(self, branches: Mapping[Any, Any]) -> Any:
        """Choose the branch of a `select`."""
        return select_branch(branches, self._dialect)

    def is_device_condition(self, name: str) -> bool:
        """Tell whether a function called `if_…` answers with its first argument."""
        return bool(_CONDITIONS[self._dialect].search(name)) != bool(
            _NOT.search(name.replace("_", " "))
        )


@dataclass(slots=True)
class _Reading:
    """One file being read: answers the calls in it."""

    workspace: Workspace
    package: str
    scope: dict[str, Any]
    budget: Budget
    interpreter: Interpreter = field(init=False)

    def __post_init__(self) -> None:
        self.interpreter = Interpreter(self._called, self.budget)

    def _called(self, call: Call) -> Any:
        self.budget.spend()
        name = call.name.rpartition(".")[2]
        answer = getattr(self, f"_call_{name}", None)
        if answer is not None:
            return answer(call)
        if any(map(_SOURCES.fullmatch, call.named)):
            target = Target(
                rule=name.removeprefix(MACRO_PREFIX),
                package=self.package,
                attributes=call.named,
            )
            self.workspace.declare_target(
                target, by_macro=name.startswith(MACRO_PREFIX)
            )
        return self._conditional(name, call)

    def _conditional(self, name: str, call: Call) -> Any:
        """Answer `if_cuda([…], […])` and the like; of another function, what it was given."""
        lists = [
            one
            for one in (*call.positional, *call.named.values())
            if isinstance(one, list)
        ]
        if name.startswith("if_"):
            wanted = lists if self.workspace.is_device_condition(name) else lists[1:]
            return wanted[0] if wanted else []
        return lists[0] if lists and not call.named else Unknown(name)

    def _call_load(self, call: Call) -> Any:
        words = [one for one in call.positional if isinstance(one, str)]
        if words:
            module = self.workspace.load_module(
                parse_label(words[0], self.package).path
            )
            names = {one: one for one in words[1:]} | {
                to: one for to, one in call.named.items() if isinstance(one, str)
            }
            self.scope.update(
                {to: module.get(one, Unknown(one)) for to, one in names.items()}
            )

    def _call_select(self, call: Call) -> Any:
        branches = call.positional[0] if call.positional else None
        return (
            self.workspace.choose_branch(branches)
            if isinstance(branches, dict)
            else Unknown()
        )

    _call_with_or = _call_select

    def _call_glob(self, call: Call) -> Any:
        given = (
            dict(zip(("include", "exclude"), call.positional, strict=False))
            | call.named
        )
        found = self.workspace.match_files(
            self.package, _strings(given.get("include")), self.budget
        )
        left_out = _strings(given.get("exclude"))
        if not left_out:
            return found
        excluded = set(self.workspace.match_files(self.package, left_out, self.budget))
        return [path for path in found if path not in excluded]

    def _call_package_name(self, _: Call) -> str:
        return self.package

    def _call_len(self, call: Call) -> Any:
        return (
            len(call.positional[0])
            if call.positional and isinstance(call.positional[0], str | list | dict)
            else 0
        )

    def _call_str(self, call: Call) -> Any:
        return starlark_values.to_text(call.positional[0]) if call.positional else ""

    def _call_range(self, call: Call) -> Any:
        if (
            not all(isinstance(one, int) for one in call.positional)
            or not 1 <= len(call.positional) <= 3
        ):
            raise Unsupported
        made = range(*call.positional) if 0 not in call.positional[2:] else range(0)
        self.budget.spend(len(made[: 1 << 20]))
        return list(made[: 1 << 20])

    def _call_dict(self, call: Call) -> Any:
        return {
            **(
                call.positional[0]
                if call.positional and isinstance(call.positional[0], dict)
                else {}
            ),
            **call.named,
        }

    def _call_sorted(self, call: Call) -> Any:
        return sorted(_strings(call.positional[0])) if call.positional else []

    def _call_list(self, call: Call) -> Any:
        return (
            list(starlark_values.iter_items(call.positional[0]))
            if call.positional
            else []
        )

    def _call_zip(self, call: Call) -> Any:
        return list(
            zip(*map(starlark_values.iter_items, call.positional), strict=False)
        )

    def _call_enumerate(self, call: Call) -> Any:
        return (
            list(enumerate(starlark_values.iter_items(call.positional[0])))
            if call.positional
            else []
        )


def _ends(name: str, endings: tuple[str, ...]) -> bool:
    return any(name == ending or name.endswith(f"_{ending}") for ending in endings)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [one for one in starlark_values.iter_items(value) if isinstance(one, str)]


def _below(files: tuple[str, ...], prefix: str) -> Iterator[str]:
    """Yield the files whose path begins so, without that beginning; `files` are sorted."""
    for position in range(bisect_left(files, prefix), len(files)):
        if not files[position].startswith(prefix):
            return
        yield files[position][len(prefix) :]


def _named(path: str, names: tuple[str, ...]) -> bool:
    return posixpath.basename(path) in names


def _is_in(package: str, folders: set[str]) -> bool:
    parts = package.split("/")
    return any("/".join(parts[:end]) in folders for end in range(1, len(parts) + 1))
