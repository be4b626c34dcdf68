"""CMake cache variables that a project sets in presets, `pyproject.toml` or `setup.py`."""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from crawler.builds.build_files.build_hints import is_device_switch
from crawler.builds.build_files.toml_documents import parse_toml
from crawler.checkout.source_tree import SourceTree
from crawler.model import Dialect

_MAX_VARIABLES: Final = 200
_MAX_SETUP_FILES: Final = 4
_MAX_PRESET_DEPTH: Final = 20
_MAX_VALUE_BYTES: Final = 8 << 10
_MAX_NUMBER: Final = 1 << 64
_PRESET_FILES: Final = ("CMakePresets.json", "CMakeUserPresets.json")
_OFF_VALUES: Final = ("OFF", "0", "FALSE", "NO")
# A cache entry in a string of a `setup.py`, e.g. "-DUSE_CUDA:BOOL=ON". A value that is
# formatted at run time (`{cuda}`, `%s`) is not matched: it cannot be known here.
_SETUP_ARGUMENT: Final = re.compile(
    r"""["']-D([A-Za-z]\w{1,60})(?::[A-Z]+)?=([^"'{}%\n$]{0,200})["']"""
)
_VARIABLE_NAME: Final = re.compile(r"[A-Za-z_]\w{0,80}")
_GPU_PRESET: Final = re.compile("cuda|hip|rocm|gpu", re.IGNORECASE)
# Variables that the configure run sets itself, and programs or folders of the machine that
# the project was written on.
_REFUSED_NAME: Final = re.compile(
    r".*_(?:COMPILER|LAUNCHER|ARCHITECTURES|ARCH|EXECUTABLE|PATH|PREFIX|ROOT|DIR"
    r"|TOOLCHAIN_FILE|PROGRAM)"
    r"|CMAKE_(?:BUILD_TYPE|JOB_POOL.*|VERBOSE_MAKEFILE|GENERATOR.*|EXPORT_COMPILE_COMMANDS"
    r"|.*_OUTPUT_DIRECTORY|.*UNITY.*|PROJECT_.*INCLUDE.*)"
    r"|FETCHCONTENT_.*",
    re.IGNORECASE,
)


def find_source_folder(tree: SourceTree) -> str | None:
    """Return the folder that `cmake.source-dir` of scikit-build names, or `None`."""
    cmake_table = _read_scikit_build_table(tree).get("cmake")
    if not isinstance(cmake_table, dict):
        return None

    folder = cmake_table.get("source-dir")
    if not isinstance(folder, str) or folder.startswith(("/", "..")):
        return None

    return posixpath.normpath(folder)


def read_cache_variables(
    tree: SourceTree, folder: str, dialect: Dialect, source_mount: str
) -> dict[str, str]:
    """Return the cache variables that the project sets where it builds for a dialect.

    `folder` is the folder that is configured, `source_mount` where the checkout is mounted.
    A preset wins over `pyproject.toml`, and that over `setup.py`.
    """
    variables = dict(_iter_setup_variables(tree))
    variables.update(_iter_scikit_build_variables(_read_scikit_build_table(tree)))
    variables.update(_choose_preset_variables(tree, folder, dialect, source_mount))

    accepted = {
        name: value
        for name, value in variables.items()
        if _is_accepted_name(name) and _fits_command_line(value)
    }

    return dict(islice(accepted.items(), _MAX_VARIABLES))


def _is_accepted_name(name: str) -> bool:
    return bool(_VARIABLE_NAME.fullmatch(name)) and not _REFUSED_NAME.fullmatch(name)


def _fits_command_line(value: str) -> bool:
    """Tell whether a program can be given a value: JSON may write NUL and half characters."""
    try:
        encoded_value = os.fsencode(value)
    except UnicodeEncodeError:
        return False

    return b"\0" not in encoded_value and len(encoded_value) <= _MAX_VALUE_BYTES


def _iter_setup_variables(tree: SourceTree) -> Iterator[tuple[str, str]]:
    for path in tree.find_named("setup.py")[:_MAX_SETUP_FILES]:
        for name, value in _SETUP_ARGUMENT.findall(tree.read_text(path)):
            # A `setup.py` often has both "-DUSE_CUDA=ON" and "-DUSE_CUDA=OFF" in branches.
            if value.upper() not in _OFF_VALUES:
                yield name, value


def _read_scikit_build_table(tree: SourceTree) -> dict[str, Any]:
    if "pyproject.toml" not in tree.files:
        return {}

    document = parse_toml(tree.read_text("pyproject.toml"))
    tools = document.get("tool")
    table = tools.get("scikit-build") if isinstance(tools, dict) else None

    return table if isinstance(table, dict) else {}


def _iter_scikit_build_variables(
    table: Mapping[str, Any],
) -> Iterator[tuple[str, str]]:
    cmake_table = table.get("cmake")
    if not isinstance(cmake_table, dict):
        return

    arguments = cmake_table.get("args")

    for text in arguments if isinstance(arguments, list) else ():
        if not isinstance(text, str):
            continue

        name, equals, value = text.removeprefix("-D").partition("=")
        if text.startswith("-D") and equals:
            # The name may carry a type: `-DUSE_CUDA:BOOL=ON`.
            yield name.partition(":")[0], value

    yield from _iter_plain_values(cmake_table.get("define"))


def _iter_plain_values(definitions: object) -> Iterator[tuple[str, str]]:
    if not isinstance(definitions, dict):
        return

    for name, value in definitions.items():
        text = _format_cache_value(value)
        if text is not None:
            yield name, text


def _choose_preset_variables(
    tree: SourceTree, folder: str, dialect: Dialect, source_mount: str
) -> dict[str, str]:
    """Return the variables of the preset that is most about the dialect.

    The first preset wins where none is about it.
    """
    presets = dict(_iter_presets(tree, folder))
    best_variables: dict[str, str] = {}
    best_score = -1
    resolver = _PresetResolver(presets)

    for name, preset in presets.items():
        if preset.get("hidden"):
            continue

        variables = resolver.resolve(name)
        score = _score_preset(name, variables, dialect)
        if score > best_score:
            best_score = score
            best_variables = variables

    # The other macros of presets, such as ${presetName}, are rare in values.
    source_folder = posixpath.normpath(posixpath.join(source_mount, folder))

    return {
        name: value.replace("${sourceDir}", source_folder)
        for name, value in best_variables.items()
        if "$env" not in value
    }


def _score_preset(name: str, variables: Mapping[str, str], dialect: Dialect) -> int:
    """Count 2 for a preset named for the dialect, and 1 for one that switches it on."""
    # Names of presets are words with hyphens: `linux-cuda-release`.
    is_switch_name = is_device_switch(name.replace("-", "_"), dialect)
    is_named_for_dialect = is_switch_name and _GPU_PRESET.search(name) is not None

    switches_on = any(
        is_device_switch(variable, dialect) and value != "OFF"
        for variable, value in variables.items()
    )

    return 2 * is_named_for_dialect + switches_on


def _iter_presets(
    tree: SourceTree, folder: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    for file_name in _PRESET_FILES:
        path = posixpath.normpath(posixpath.join(folder, file_name))
        if path not in tree.files:
            continue

        try:
            document = json.loads(tree.read_text(path))
        except (ValueError, RecursionError):
            continue

        if not isinstance(document, dict):
            continue

        presets = document.get("configurePresets")

        for preset in presets if isinstance(presets, list) else ():
            if isinstance(preset, dict) and isinstance(preset.get("name"), str):
                yield preset["name"], preset


class _PresetResolver:
    """Resolves what presets inherit, each preset once: they may name each other at will."""

    def __init__(self, presets: Mapping[str, dict[str, Any]]) -> None:
        self._presets = presets
        self._resolved: dict[str, dict[str, str]] = {}

    def resolve(self, name: str, depth: int = 0) -> dict[str, str]:
        """Return the variables of a preset over those that it inherits."""
        if name in self._resolved:
            return self._resolved[name]

        # in case that it inherits itself
        self._resolved[name] = {}
        preset = self._presets.get(name, {})
        variables: dict[str, str] = {}

        # cmake-presets(7): of two parents the one named first has precedence.
        for parent in reversed(_list_parents(preset)):
            if depth < _MAX_PRESET_DEPTH:
                variables.update(self.resolve(parent, depth + 1))

        variables.update(_iter_own_variables(preset))
        self._resolved[name] = variables

        return variables


def _list_parents(preset: Mapping[str, Any]) -> list[str]:
    parents = preset.get("inherits")
    if isinstance(parents, str):
        return [parents]
    if not isinstance(parents, list):
        return []

    return [parent for parent in parents if isinstance(parent, str)]


def _iter_own_variables(preset: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    variables = preset.get("cacheVariables")
    if not isinstance(variables, dict):
        return

    for variable, definition in variables.items():
        value = definition
        # {"type": "BOOL", "value": "ON"}
        if isinstance(definition, dict):
            value = definition.get("value")

        text = _format_cache_value(value)
        if text is not None:
            yield variable, text


def _format_cache_value(value: object) -> str | None:
    """Return a value as CMake's command line has it; `None` for what is no cache value."""
    if isinstance(value, bool):
        return "ON" if value else "OFF"
    # a number of thousands of digits has no text in Python
    if isinstance(value, int):
        return str(value) if abs(value) < _MAX_NUMBER else None
    if isinstance(value, list):
        return _format_list(value)

    return value if isinstance(value, str) else None


def _format_list(items: list[Any]) -> str | None:
    try:
        return ";".join(map(str, items))
    except (ValueError, RecursionError):
        return None
