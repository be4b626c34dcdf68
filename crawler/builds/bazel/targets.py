"""Labels and targets of Bazel, and the branches of a `select` that a device's build takes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from crawler.builds.bazel.starlark_values import Unknown, iter_items
from crawler.model import Dialect

# labels that are conditions of a `select`: `@local_config_cuda//:is_cuda_enabled`
_DEVICE_CONDITIONS: Final = {
    Dialect.CUDA: re.compile(r"(?i)cuda|nvcc|nvidia|(?<![a-z])gpu"),
    Dialect.HIP: re.compile(r"(?i)rocm|(?<![a-z])hip|amdgpu|(?<![a-z])gpu"),
}
# words of such a label: `//:no_gpu`
_NEGATION: Final = re.compile(
    r"(?i)(?<![a-z])(?:not|no|non|without|disable[ds]?|cpu)(?![a-z])"
)
_THIS_PLATFORM: Final = re.compile(r"(?i)linux|x86_64|k8|opt|release")
_MAX_CONDITION_CHARS: Final = 4000
_DEFAULT_CONDITION: Final = "//conditions:default"


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
        """Return the strings of every attribute whose name is one of `endings`.

        Also of those that end with `_` and one of them: `gpu_srcs` for `srcs`.
        """
        suffixes = tuple(f"_{ending}" for ending in endings)
        strings: dict[str, None] = {}

        for name, value in self.attributes.items():
            if name not in endings and not name.endswith(suffixes):
                continue

            for string in list_strings(value):
                strings[string] = None

        return list(strings)


def parse_label(text: str, package: str) -> Label:
    """Read a label; the name of a repository is ignored, since it may be this one's own.

    In package `a`, `:k.cu` and `k.cu` are of `a`, `//b:k.cu` and `@repo//b:k.cu` of `b`, and
    `//b` is `//b:b`.
    """
    if "//" not in text:
        text = f"//{package}:{text.lstrip(':')}"

    # `@repo//lib:k.cu` without its repository
    folder, colon, name = text.rpartition("//")[2].partition(":")
    if not colon:
        name = posixpath.basename(folder)

    return Label(folder.strip("/"), name)


def list_strings(value: Any) -> list[str]:
    """Return a string by itself, or the strings of a list."""
    if isinstance(value, str):
        return [value]

    return [item for item in iter_items(value) if isinstance(item, str)]


def select_branch(branches: Mapping[Any, Any], dialect: Dialect) -> Any:
    """Return the branch of a `select` that a build for this dialect's device takes.

    That is one whose condition asks for the device, else one for this platform, else the
    default.
    """

    def rank(key: Any) -> int:
        # a key of `selects.with_or` is a tuple of conditions
        conditions = list_strings(key) if isinstance(key, tuple) else [str(key)]
        # of an endless one only its end, which names the setting
        text = " ".join(condition[-_MAX_CONDITION_CHARS:] for condition in conditions)

        asks_for_device = _DEVICE_CONDITIONS[dialect].search(text)
        if asks_for_device and not _NEGATION.search(text):
            return 0

        if text.endswith(_DEFAULT_CONDITION):
            return 2

        if _THIS_PLATFORM.search(text):
            return 1

        return 3

    if not branches:
        return Unknown()

    return branches[min(branches, key=rank)]


def is_device_condition(name: str, dialect: Dialect) -> bool:
    """Tell whether a function such as `if_cuda` or `if_not_rocm` is true for a dialect."""
    asks_for_device = bool(_DEVICE_CONDITIONS[dialect].search(name))
    is_negated = bool(_NEGATION.search(name.replace("_", " ")))
    return asks_for_device != is_negated
