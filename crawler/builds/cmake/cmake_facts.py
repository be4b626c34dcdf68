"""Projects, options, commands and targets named by the CMake files of a tree; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from crawler.builds.build_files.build_hints import is_device_switch
from crawler.builds.cmake.wrapped_options import find_wrapped_options
from crawler.checkout.source_tree import SourceTree, is_vendored
from crawler.model import Dialect

_MAX_FILES: Final = 4000
_MAX_NAMES: Final = 2000
_MAX_SWITCHES: Final = 40
# CMake's text, line by line, of trees with thousands of such files
_COMMENT: Final = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_CALL: Final = re.compile(r"^[ \t]*([A-Za-z_]\w{0,99})[ \t]*\(", re.MULTILINE)
_COMMAND_DEFINITION: Final = re.compile(
    r"^[ \t]*(?:function|macro)[ \t]*\([ \t]*([A-Za-z_]\w{0,99})",
    re.MULTILINE | re.IGNORECASE,
)
# A target of a package, e.g. `CUDA::cudart` or `Torch::Torch`.
_IMPORTED_TARGET: Final = re.compile(
    r"(?<![\w:.+-])[A-Za-z][\w.+-]{0,60}::[A-Za-z][\w:.+-]{0,80}(?![\w:.+-])"
)
_PROJECT_CALL: Final = re.compile(
    r"^[ \t]*project[ \t]*\(", re.MULTILINE | re.IGNORECASE
)
_OPTION: Final = re.compile(
    r"(?:\boption|\bcmake_dependent_option)\s*\(\s*([A-Za-z]\w{1,60})\b"
    r"|\bset\s*\(\s*([A-Za-z]\w{1,60})\s+\"?(?:OFF|FALSE|NO|0)\"?\s+CACHE\s+BOOL\b",
    re.IGNORECASE,
)
_CACHED_STRING: Final = re.compile(
    r'\bset\s*\(\s*([A-Za-z]\w{1,60})\s++(?:"?[\w+-]{0,40}"?\s+|(?<=\s\s))CACHE\s+STRING\b',
    re.IGNORECASE,
)
# A variable and a word that it is compared with, e.g. `if(GPU_BACKEND STREQUAL "hip")`.
_COMPARISON: Final = re.compile(
    r'\b([A-Za-z]\w{1,60})\}?"?\s+'
    r"(?:STREQUAL|MATCHES|PROPERTY\s+STRINGS[^)\n]{0,80}?)"
    r'\s*"?\^?([A-Za-z]{2,10})\b'
)
_PYTHON_VARIABLE: Final = re.compile(
    r"\b([A-Z]\w{0,40}_PYTHON3?_EXECUTABLE|PYTHON3?_(?:EXECUTABLE|PATH)|Python3?_EXECUTABLE)\b"
)
# A minimum that is newer than 3.23, the oldest CMake that is supported here.
_TOO_NEW_MINIMUM: Final = re.compile(
    r"(\bcmake_minimum_required\s*\(\s*VERSION\s+)(?:3\.(?:2[4-9]|[3-9]\d)|[4-9])[.\d]*",
    re.IGNORECASE,
)
_HOST_INSTRUCTIONS: Final = re.compile(r"(?:^|_)(?:AVX|AMX|SSE|NEON|SVE|RVV|VNNI)")
_DIALECT_WORDS: Final = {
    Dialect.CUDA: re.compile(r"CUDA|\.cu\b|nvcc", re.IGNORECASE),
    Dialect.HIP: re.compile(
        r"\bHIP\b|_HIP\b|\bHIP_|hip_add|hipcc|ROCM|\.hip\b|find_package\s*\(\s*hip\b",
        re.IGNORECASE,
    ),
}
# Values of a choice that mean a dialect, the surest first.
_DIALECT_VALUES: Final = {
    Dialect.CUDA: ("cuda", "nvidia", "nvcc", "gpu"),
    Dialect.HIP: ("hip", "rocm", "amd", "hipcc"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CMakeFacts:
    """Names that the CMake files of a tree mention."""

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
        """Return the values of options and choices that, by their names, switch a dialect on.

        Many projects leave the device code off by default.
        """
        enabled = [name for name in self.options if _enables(name, dialect)]

        # Projects with both refuse both at once: "choose either CUDA or ROCm".
        opposite = Dialect.HIP if dialect is Dialect.CUDA else Dialect.CUDA
        disabled = [
            name
            for name in self.options
            if name not in enabled and _is_vendor_option(name, opposite)
        ]

        switches: dict[str, str] = {}
        switches.update(dict.fromkeys(enabled[:_MAX_SWITCHES], "ON"))
        switches.update(dict.fromkeys(disabled[:_MAX_SWITCHES], "OFF"))

        for name, values in self.choices.items():
            value = _choose_value(values, dialect)
            if value:
                switches[name] = value

        return switches


@lru_cache(maxsize=1)
def read_cmake_facts(tree: SourceTree) -> CMakeFacts:
    """Read the CMake files of `tree`; nothing is run."""
    texts = {
        path: _COMMENT.sub("", tree.read_text(path)) for path in _list_cmake_files(tree)
    }
    # A vendored project counts for what it defines and calls, since the build may enter it.
    all_text = "\n".join(texts.values())
    own_texts = [text for path, text in texts.items() if not is_vendored(path)]
    # For dialects it does not: a vendored fmt mentions CUDA in a CPU project, too.
    own_text = "\n".join(own_texts) or all_text

    # CMake begins at a `CMakeLists.txt`; a `.cmake` file is only included.
    lists_files = [
        path
        for path in sorted(texts, key=_rank_by_depth)
        if path.rpartition("/")[2] == "CMakeLists.txt"
    ]

    project_files = [path for path in lists_files if _PROJECT_CALL.search(texts[path])]

    # Names of commands are the same in any case: `Find_Package` is `find_package`.
    defined = frozenset(name.lower() for name in _COMMAND_DEFINITION.findall(all_text))
    called = dict.fromkeys(name.lower() for name in _CALL.findall(all_text))
    undefined = [name for name in called if name not in defined]

    # `option(NAME …)` matches the first group, `set(NAME OFF CACHE BOOL …)` the second.
    options = [option or cached for option, cached in _OPTION.findall(all_text)]
    options += find_wrapped_options(all_text)
    dialects = [
        dialect for dialect, words in _DIALECT_WORDS.items() if words.search(own_text)
    ]

    return CMakeFacts(
        project_folders=tuple(map(_get_folder, project_files)),
        folders=tuple(map(_get_folder, lists_files)),
        defined_commands=defined,
        undefined_commands=_limit_names(undefined),
        imported_targets=_limit_names(_IMPORTED_TARGET.findall(all_text)),
        options=_limit_names(options),
        choices=_find_choices(all_text),
        python_variables=_limit_names(_PYTHON_VARIABLE.findall(all_text)),
        dialects=tuple(dialects),
    )


def relax_minimum_version(tree: SourceTree) -> dict[str, str]:
    """Return new texts of the files that require a newer CMake than is sure to be installed."""
    relaxed_texts: dict[str, str] = {}
    for path in _list_cmake_files(tree):
        text = tree.read_text(path)
        if _TOO_NEW_MINIMUM.search(text):
            relaxed_texts[path] = _TOO_NEW_MINIMUM.sub(r"\g<1>3.18", text)

    return relaxed_texts


def _list_cmake_files(tree: SourceTree) -> list[str]:
    paths = [path for path in tree.files if path.endswith(("CMakeLists.txt", ".cmake"))]
    return paths[:_MAX_FILES]


def _find_choices(text: str) -> dict[str, tuple[str, ...]]:
    # Other variables are compared too, such as CMAKE_BUILD_TYPE, and are none to choose.
    cached_names = set(_CACHED_STRING.findall(text))
    # The values are keys: each once, in the order of the text.
    values_by_name: dict[str, dict[str, None]] = {}
    for name, value in _COMPARISON.findall(text):
        if name in cached_names:
            values_by_name.setdefault(name, {})[value] = None

    return {name: tuple(values) for name, values in values_by_name.items()}


def _choose_value(values: Iterable[str], dialect: Dialect) -> str:
    """Return the value that means the dialect, empty where none does."""
    for dialect_value in _DIALECT_VALUES[dialect]:
        for value in values:
            if value.lower() == dialect_value:
                return value

    return ""


def _enables(option: str, dialect: Dialect) -> bool:
    """Tell whether an option switches a dialect on, and no instruction set of the host."""
    is_host_option = _HOST_INSTRUCTIONS.search(option.upper()) is not None
    return is_device_switch(option, dialect) and not is_host_option


def _is_vendor_option(option: str, dialect: Dialect) -> bool:
    """Tell whether an option is of one vendor: on beside the other's it would be refused."""
    # `USE_GPU` is of both vendors, `USE_ROCM` of one.
    vendors = {"HIP", "ROCM"} if dialect is Dialect.HIP else {"CUDA"}
    names_vendor = not vendors.isdisjoint(option.upper().split("_"))

    return names_vendor and is_device_switch(option, dialect)


def _limit_names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))[:_MAX_NAMES]


def _get_folder(path: str) -> str:
    return path.rpartition("/")[0] or "."


def _rank_by_depth(path: str) -> tuple[bool, int, str]:
    return (is_vendored(path), path.count("/"), path)
