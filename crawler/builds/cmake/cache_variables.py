"""CMake cache variables that a project sets in presets, `pyproject.toml` or `setup.py`."""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from crawler.builds.build_files.build_hints import is_device_switch
from crawler.builds.checkout.source_tree import SourceTree
from crawler.model import Dialect

_MOST: Final = 200
_DEEPEST: Final = 20
_PRESETS: Final = ("CMakePresets.json", "CMakeUserPresets.json")
_WORD: Final = re.compile(
    r"""["']-D([A-Za-z]\w{1,60})(?::[A-Z]+)?=([^"'{}%\n$]{0,200})["']"""
)
_NAME: Final = re.compile(r"[A-Za-z_]\w{0,80}")
# ours to say, or a program or a folder of the machine that they were written on
_REFUSED: Final = re.compile(
    r".*_(?:COMPILER|LAUNCHER|ARCHITECTURES|ARCH|EXECUTABLE|PATH|PREFIX|ROOT|DIR|TOOLCHAIN_FILE|PROGRAM)"
    r"|CMAKE_(?:BUILD_TYPE|JOB_POOL.*|VERBOSE_MAKEFILE|GENERATOR.*|EXPORT_COMPILE_COMMANDS|.*_OUTPUT_DIRECTORY|.*UNITY.*|PROJECT_.*INCLUDE.*)"
    r"|FETCHCONTENT_.*",
    re.IGNORECASE,
)


def find_source_folder(tree: SourceTree) -> str | None:
    """Return the folder that scikit-build is told to configure, where it is told."""
    given = _scikit(tree).get("cmake")
    folder = given.get("source-dir") if isinstance(given, dict) else None
    return (
        posixpath.normpath(folder)
        if isinstance(folder, str) and not folder.startswith(("/", ".."))
        else None
    )


def read_cache_variables(
    tree: SourceTree, folder: str, dialect: Dialect, source_mount: str
) -> dict[str, str]:
    """Return the cache variables that the project asks for where it builds for a dialect.

    `folder` is the one that is configured, `source_mount` what the tree's root is called there.
    """
    given = dict(_given_by_setup(tree))
    given |= dict(_given_by_scikit(_scikit(tree)))
    given |= _preset(tree, folder, dialect, source_mount)
    kept = {
        name: value
        for name, value in given.items()
        if _NAME.fullmatch(name) and not _REFUSED.fullmatch(name)
    }
    return dict(list(kept.items())[:_MOST])


def _given_by_setup(tree: SourceTree) -> Iterator[tuple[str, str]]:
    for path in tree.find_named("setup.py")[:4]:
        for name, value in _WORD.findall(tree.read_text(path)):
            # a device that is off is what this one argument says in one of its branches
            if value.upper() not in ("OFF", "0", "FALSE", "NO"):
                yield name, value


def _scikit(tree: SourceTree) -> dict[str, Any]:
    if "pyproject.toml" not in tree.files:
        return {}
    try:
        tools = tomllib.loads(tree.read_text("pyproject.toml")).get("tool")
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    table = tools.get("scikit-build") if isinstance(tools, dict) else None
    return table if isinstance(table, dict) else {}


def _given_by_scikit(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    cmake = table.get("cmake")
    if not isinstance(cmake, dict):
        return
    words = cmake.get("args")
    for word in words if isinstance(words, list) else ():
        name, equals, value = str(word).removeprefix("-D").partition("=")
        if str(word).startswith("-D") and equals:
            yield name.partition(":")[0], value
    defines = cmake.get("define")
    for name, value in (defines if isinstance(defines, dict) else {}).items():
        if (text := _plain(value)) is not None:
            yield name, text


def _preset(
    tree: SourceTree, folder: str, dialect: Dialect, source: str
) -> dict[str, str]:
    """Return what the preset sets that is most about the dialect; the first where none is."""
    presets = dict(_presets(tree, folder))
    best: dict[str, str] = {}
    mark = -1
    for name, preset in presets.items():
        if not preset.get("hidden"):
            variables = dict(_inherited(presets, name, 0))
            about = is_device_switch(name.replace("-", "_"), dialect) and bool(
                re.search("cuda|hip|rocm|gpu", name, re.I)
            )
            score = 2 * about + any(
                is_device_switch(one, dialect) and value != "OFF"
                for one, value in variables.items()
            )
            if score > mark:
                mark, best = score, variables
    root = posixpath.normpath(posixpath.join(source, folder))
    return {
        name: value.replace("${sourceDir}", root)
        for name, value in best.items()
        if "$env" not in value
    }


def _presets(tree: SourceTree, folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in _PRESETS:
        path = posixpath.normpath(posixpath.join(folder, name))
        if path in tree.files:
            try:
                given = json.loads(tree.read_text(path))
            except (ValueError, RecursionError):
                continue
            listed = given.get("configurePresets") if isinstance(given, dict) else None
            for preset in listed if isinstance(listed, list) else ():
                if isinstance(preset, dict) and isinstance(preset.get("name"), str):
                    yield preset["name"], preset


def _inherited(
    presets: Mapping[str, dict[str, Any]], name: str, depth: int
) -> Iterable[tuple[str, str]]:
    preset = presets.get(name, {})
    parents = preset.get("inherits", [])
    for parent in reversed(
        [parents]
        if isinstance(parents, str)
        else parents
        if isinstance(parents, list)
        else []
    ):
        if depth < _DEEPEST and isinstance(parent, str):
            yield from _inherited(presets, parent, depth + 1)
    variables = preset.get("cacheVariables")
    for variable, value in (variables if isinstance(variables, dict) else {}).items():
        text = _plain(value.get("value") if isinstance(value, dict) else value)
        if text is not None:
            yield variable, text


def _plain(value: object) -> str | None:
    if isinstance(value, bool):
        return "ON" if value else "OFF"
    if isinstance(value, list):
        return ";".join(map(str, value))
    return str(value) if isinstance(value, str | int) else None
