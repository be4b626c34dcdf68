"""Fill templates of headers and sources as a configuration does, where none could be run.

`version.h.in` becomes `version.h`, and so do `version.h.cmake`, `version.h.cmakein` and
`version.h.cmake.in`: CMake's `configure_file` and autoconf write such headers, and a file that
includes one does not parse without it. `scan.cpp.in` becomes `scan.cpp` where device code can be
seen from it: it may be all that includes a header of kernels.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Final

from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HEADER_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    SOURCE_SUFFIXES,
    get_suffix,
    scan_source,
)
from crawler.checkout.source_tree import SourceTree
from crawler.model import GeneratedFile

TEMPLATE_STRATEGY: Final = "template"
"""What is said to have written a file that was filled here."""

# the longer ones first, which end with others
_TEMPLATE_SUFFIXES: Final = (".cmake.in", ".cmakein", ".cmake", ".in")
_MAX_TEMPLATES: Final = 64
_MAX_TEMPLATE_BYTES: Final = 1 << 18
_MAX_BUILD_FILES: Final = 200
# a template's text, which CMake and autoconf search in the same way
_PLACEHOLDER: Final = re.compile(r"@([A-Za-z_]\w*)@|\$\{([A-Za-z_]\w*)\}")
# https://cmake.org/cmake/help/latest/command/configure_file.html
_CMAKE_DEFINE: Final = re.compile(
    r"^([ \t]*)#[ \t]*cmakedefine(01)?[ \t]+(\w+)[^\n]*", re.M
)
# https://www.gnu.org/software/autoconf/manual/autoconf.html#Header-Templates
_AUTOCONF_UNDEF: Final = re.compile(
    r"^([ \t]*)#([ \t]*)undef([ \t]+)(\w+)[ \t]*$"
    # what is forgotten to be defined anew is no switch
    r"(?!\s*#[ \t]*define[ \t]+\4\b)",
    re.M,
)
# a pattern: CMake files are read for these two calls alone
_SET: Final = re.compile(
    r"\bset\s*\(\s*(\w+)\s+\"?([\w.+-]{1,80})\"?\s*\)", re.IGNORECASE
)
_PROJECT_VERSION: Final = re.compile(
    r"\bproject\s*\(\s*([\w-]+)[^()]{0,200}?\bVERSION\s+\"?(\d+(?:\.\d+){0,3})",
    re.IGNORECASE,
)
_VERSION_PARTS: Final = ("MAJOR", "MINOR", "PATCH", "TWEAK")
_UNKNOWN: Final = "0"
"""What stands for a value that no build file says: a number that switches nothing on."""


def fill_templates(
    graph: IncludeGraph, known_names: Collection[str]
) -> tuple[GeneratedFile, ...]:
    """Return the headers, and the sources with device code, that templates stand for.

    `known_names` are those of files that a build has written. Left out are templates of which
    there is a file of that name already, in the tree or among those, and those where a value
    would be code; of sources also those from whose template a build has written some.
    """
    tree = graph.tree
    names = {path.rpartition("/")[2] for path in tree.files} | set(known_names)
    path_by_filled: dict[str, str] = {}
    for path in tree.files:
        filled = _name_filled(path)
        if filled and filled.rpartition("/")[2] not in names:
            # a header may have a template for autoconf and another for CMake
            path_by_filled.setdefault(filled, path)
    if not path_by_filled:
        return ()

    headers = {
        filled: path
        for filled, path in path_by_filled.items()
        if get_suffix(filled) in HEADER_SUFFIXES
    }
    device_files = graph.device_files | graph.files_reaching_device_code
    device_names = {path.rpartition("/")[2] for path in device_files}
    sources = {
        filled: path
        for filled, path in path_by_filled.items()
        if is_source(filled)
        and not _is_stamped_out(filled, known_names)
        and _shows_device_code(tree.read_bytes(path), device_names)
    }
    values = _read_values(tree)
    return (
        *_iter_filled(tree, dict(islice(headers.items(), _MAX_TEMPLATES)), values),
        *_iter_filled(tree, dict(islice(sources.items(), _MAX_TEMPLATES)), values),
    )


def is_source(path: str) -> bool:
    """Tell whether a file is one that a compiler is given, by its name."""
    return get_suffix(path) in DEVICE_SOURCE_SUFFIXES | HOST_SOURCE_SUFFIXES


def _name_filled(path: str) -> str:
    """Return the path of the file that a template stands for; empty where it is none."""
    for suffix in _TEMPLATE_SUFFIXES:
        filled = path.removesuffix(suffix)
        if filled != path and get_suffix(filled) in SOURCE_SUFFIXES:
            return filled
    return ""


def _is_stamped_out(source: str, known_names: Collection[str]) -> bool:
    """Tell whether a build has written `scan_0.cpp` where the source would be `scan.cpp`."""
    stem = source.rpartition("/")[2].partition(".")[0]
    return any(is_source(name) and name.startswith(stem) for name in known_names)


def _shows_device_code(content: bytes, device_names: Collection[str]) -> bool:
    """Tell whether a source has device code, or includes a file of a name that has."""
    scan = scan_source(content)
    if scan.has_kernels or scan.has_launches:
        return True

    return any(
        include.name.rpartition("/")[2] in device_names for include in scan.includes
    )


def _iter_filled(
    tree: SourceTree, path_by_filled: Mapping[str, str], values: Mapping[str, str]
) -> Iterator[GeneratedFile]:
    for filled, path in path_by_filled.items():
        content = tree.read_bytes(path)
        if len(content) > _MAX_TEMPLATE_BYTES:
            continue

        text = _fill(content.decode("utf-8", "replace"), values)
        if text is not None:
            yield GeneratedFile(path=filled, text=text, strategy=TEMPLATE_STRATEGY)


def _fill(template: str, values: Mapping[str, str]) -> str | None:
    """Return a template with its values; `None` where an unknown one would be code."""
    text = _CMAKE_DEFINE.sub(_fill_define, template)
    if text == template:
        # what is off is not mentioned: an `#undef` would undo what a command line sets
        text = _AUTOCONF_UNDEF.sub(r"\1/* #\2undef\3\4 */", template)
    lines = []
    for line in text.split("\n"):
        for placeholder in _PLACEHOLDER.finditer(line):
            is_known = (placeholder[1] or placeholder[2]) in values
            if not is_known and not _is_value(line, placeholder.start()):
                return None

        lines.append(
            _PLACEHOLDER.sub(
                lambda found: values.get(found[1] or found[2], _UNKNOWN), line
            )
        )

    return "\n".join(lines)


def _fill_define(directive: re.Match[str]) -> str:
    indentation, is_number, name = directive.groups()
    if is_number:
        return f"{indentation}#define {name} 0"
    return f"{indentation}/* #undef {name} */"


def _is_value(line: str, offset: int) -> bool:
    """Tell whether a place is what a macro stands for, in a string or in a comment."""
    before = line[:offset]
    is_quoted = before.count('"') % 2 == 1
    is_comment = "//" in before or before.lstrip().startswith(("*", "/*"))
    return before.lstrip().startswith("#") or is_quoted or is_comment


def _read_values(tree: SourceTree) -> dict[str, str]:
    """Return what the CMake files of a tree set, the first of a name, and versions."""
    values: dict[str, str] = {}
    build_files = [
        path
        for path in tree.files
        if path.endswith(".cmake") or path.rpartition("/")[2] == "CMakeLists.txt"
    ]
    # those nearest to the root first
    build_files.sort(key=lambda path: (path.count("/"), path))
    for path in build_files[:_MAX_BUILD_FILES]:
        text = tree.read_bytes(path).decode("utf-8", "replace")
        for name, value in _SET.findall(text):
            values.setdefault(name, value)
        for name, version in _PROJECT_VERSION.findall(text):
            for prefix in (name, "PROJECT"):
                values.setdefault(f"{prefix}_VERSION", version)
                for part, number in zip(
                    _VERSION_PARTS, version.split("."), strict=False
                ):
                    values.setdefault(f"{prefix}_VERSION_{part}", number)

    return values
