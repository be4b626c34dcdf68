"""Projects, options, commands and targets named by the CMake files of a tree; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from crawler.builds.build_files.build_hints import is_device_switch
from crawler.builds.checkout.source_tree import SourceTree, is_vendored
from crawler.model import Dialect

_MOST_FILES: Final = 4000
_MOST_NAMES: Final = 2000
_MOST_SWITCHES: Final = 40
_COMMENT: Final = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_CALL: Final = re.compile(r"^[ \t]*([A-Za-z_]\w{0,99})[ \t]*\(", re.MULTILINE)
_DEFINED: Final = re.compile(
    r"^[ \t]*(?:function|macro)[ \t]*\([ \t]*([A-Za-z_]\w{0,99})",
    re.MULTILINE | re.IGNORECASE,
)
_TARGET: Final = re.compile(
    r"(?<![\w:.+-])[A-Za-z][\w.+-]{0,60}::[A-Za-z][\w:.+-]{0,80}(?![\w:.+-])"
)
_PROJECT: Final = re.compile(r"^[ \t]*project[ \t]*\(", re.MULTILINE | re.IGNORECASE)
_OPTION: Final = re.compile(
    r"(?:\boption|\bcmake_dependent_option)\s*\(\s*([A-Za-z]\w{1,60})\b"
    r"|\bset\s*\(\s*([A-Za-z]\w{1,60})\s+\"?(?:OFF|FALSE|NO|0)\"?\s+CACHE\s+BOOL\b",
    re.IGNORECASE,
)
_CACHED: Final = re.compile(
    r'\bset\s*\(\s*([A-Za-z]\w{1,60})\s+"?[\w+-]{0,40}"?\s+CACHE\s+STRING\b',
    re.IGNORECASE,
)
_COMPARED: Final = re.compile(
    r'\b([A-Za-z]\w{1,60})\}?"?\s+(?:STREQUAL|MATCHES|PROPERTY\s+STRINGS[^)\n]{0,80}?)\s*"?\^?([A-Za-z]{2,10})\b'
)
_PYTHON: Final = re.compile(
    r"\b([A-Z]\w{0,40}_PYTHON3?_EXECUTABLE|PYTHON3?_(?:EXECUTABLE|PATH)|Python3?_EXECUTABLE)\b"
)
_NEWER: Final = re.compile(
    r"(\bcmake_minimum_required\s*\(\s*VERSION\s+)(?:3\.(?:2[4-9]|[3-9]\d)|[4-9])[.\d]*",
    re.IGNORECASE,
)
_HOST: Final = re.compile(r"(?:^|_)(?:AVX|AMX|SSE|NEON|SVE|RVV|VNNI)")
_SPEAKS: Final = {
    Dialect.CUDA: re.compile(r"CUDA|\.cu\b|nvcc", re.IGNORECASE),
    Dialect.HIP: re.compile(
        r"\bHIP\b|_HIP\b|\bHIP_|hip_add|hipcc|ROCM|\.hip\b|find_package\s*\(\s*hip\b",
        re.IGNORECASE,
    ),
}
_VALUES: Final = {
    Dialect.CUDA: ("cuda", "nvidia", "nvcc", "gpu"),
    Dialect.HIP: ("hip", "rocm", "amd", "hipcc"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CMakeFacts:
    """Names that the CMake files of a tree speak of."""

    project_folders: tuple[str, ...]
    """Folders whose `CMakeLists.txt` calls `project`, nearest to the root first."""
    folders: tuple[str, ...]
    """All folders with a `CMakeLists.txt`."""
    defined_commands: frozenset[str]
    """Commands that the tree defines, in lower case."""
    undefined_commands: tuple[str, ...]
    """Commands that it calls and does not define: CMake's own among them."""
    imported_targets: tuple[str, ...]
    options: tuple[str, ...]
    choices: Mapping[str, tuple[str, ...]]
    """Cache variables and the words that they are compared with."""
    python_variables: tuple[str, ...]
    dialects: tuple[Dialect, ...]

    def choose_switches(self, dialect: Dialect) -> dict[str, str]:
        """Return values for the options that, by their name, switch a dialect on: many projects
        leave it off.
        """
        other = Dialect.HIP if dialect is Dialect.CUDA else Dialect.CUDA
        wanted = [
            name
            for name in self.options
            if is_device_switch(name, dialect) and not _HOST.search(name.upper())
        ]
        refused = [
            name for name in self.options if name not in wanted and _only(name, other)
        ]
        chosen = {
            name: value
            for name, values in self.choices.items()
            if (value := _value(values, dialect))
        }
        return {
            **dict.fromkeys(wanted[:_MOST_SWITCHES], "ON"),
            **dict.fromkeys(refused[:_MOST_SWITCHES], "OFF"),
            **chosen,
        }


@lru_cache(maxsize=1)
def read_cmake_facts(tree: SourceTree) -> CMakeFacts:
    """Read the CMake files of `tree`; nothing is run."""
    texts = {path: _COMMENT.sub("", tree.read_text(path)) for path in _files(tree)}
    every = "\n".join(texts.values())
    own = frozenset(name.lower() for name in _DEFINED.findall(every))
    called = dict.fromkeys(name.lower() for name in _CALL.findall(every))
    mine = (
        "\n".join(text for path, text in texts.items() if not is_vendored(path))
        or every
    )
    lists = [
        path
        for path in sorted(texts, key=_depth)
        if path.rpartition("/")[2] == "CMakeLists.txt"
    ]
    return CMakeFacts(
        project_folders=tuple(
            _folder(path) for path in lists if _PROJECT.search(texts[path])
        ),
        folders=tuple(map(_folder, lists)),
        defined_commands=own,
        undefined_commands=_few(name for name in called if name not in own),
        imported_targets=_few(_TARGET.findall(every)),
        options=_few(one or other for one, other in _OPTION.findall(every)),
        choices=_choices(every),
        python_variables=_few(_PYTHON.findall(every)),
        dialects=tuple(
            dialect for dialect, words in _SPEAKS.items() if words.search(mine)
        ),
    )


def relax_minimum_version(tree: SourceTree) -> dict[str, str]:
    """Return the files that ask for a CMake newer than what is sure to be here, with a text
    that does not.
    """
    newer = ((path, tree.read_text(path)) for path in _files(tree))
    return {
        path: _NEWER.sub(r"\g<1>3.18", text)
        for path, text in newer
        if _NEWER.search(text)
    }


def _files(tree: SourceTree) -> list[str]:
    return [path for path in tree.files if path.endswith(("CMakeLists.txt", ".cmake"))][
        :_MOST_FILES
    ]


def _choices(text: str) -> dict[str, tuple[str, ...]]:
    cached = set(_CACHED.findall(text))
    found: dict[str, dict[str, None]] = {}
    for name, value in _COMPARED.findall(text):
        if name in cached:
            found.setdefault(name, {})[value] = None
    return {name: tuple(values) for name, values in found.items()}


def _value(values: Iterable[str], dialect: Dialect) -> str:
    return next(
        (
            value
            for word in _VALUES[dialect]
            for value in values
            if value.lower() == word
        ),
        "",
    )


def _only(option: str, dialect: Dialect) -> bool:
    """Tell whether an option is of one vendor: on beside the other's it would only be refused."""
    vendors = {"HIP", "ROCM"} if dialect is Dialect.HIP else {"CUDA"}
    return is_device_switch(option, dialect) and bool(
        vendors.intersection(option.upper().split("_"))
    )


def _few(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))[:_MOST_NAMES]


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or "."


def _depth(path: str) -> tuple[bool, int, str]:
    return (is_vendored(path), path.count("/"), path)
