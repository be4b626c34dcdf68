"""Fill templates of headers as a configuration does, where none could be run.

`version.h.in` becomes `version.h`, and so do `version.h.cmake`, `version.h.cmakein` and
`version.h.cmake.in`: CMake's `configure_file` and autoconf write such headers, and a file that
includes one does not parse without it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Final

from crawler.checkout.source_scan import HEADER_SUFFIXES, get_suffix
from crawler.checkout.source_tree import SourceTree
from crawler.model import GeneratedFile

# the longer ones first, which end with others
_TEMPLATE_SUFFIXES: Final = (".cmake.in", ".cmakein", ".cmake", ".in")
_MAX_TEMPLATES: Final = 64
_MAX_TEMPLATE_BYTES: Final = 1 << 18
_MAX_BUILD_FILES: Final = 200
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


def fill_header_templates(
    tree: SourceTree, known_names: Collection[str]
) -> tuple[GeneratedFile, ...]:
    """Return the headers that the templates of a tree stand for.

    Left out are those of which there is a header of that name already, in the tree or among
    `known_names`, and those where a value would be code.
    """
    names = {path.rpartition("/")[2] for path in tree.files} | set(known_names)
    path_by_header: dict[str, str] = {}
    for path in tree.files:
        header = _name_header(path)
        if header and header.rpartition("/")[2] not in names:
            # a header may have a template for autoconf and another for CMake
            path_by_header.setdefault(header, path)
    if not path_by_header:
        return ()

    values = _read_values(tree)
    first_templates = dict(islice(path_by_header.items(), _MAX_TEMPLATES))
    return tuple(_iter_filled(tree, first_templates, values))


def _name_header(path: str) -> str:
    """Return the path of the header that a template stands for; empty where it is none."""
    for suffix in _TEMPLATE_SUFFIXES:
        header = path.removesuffix(suffix)
        if header != path and get_suffix(header) in HEADER_SUFFIXES:
            return header
    return ""


def _iter_filled(
    tree: SourceTree, path_by_header: Mapping[str, str], values: Mapping[str, str]
) -> Iterator[GeneratedFile]:
    for header, path in path_by_header.items():
        content = tree.read_bytes(path)
        if len(content) > _MAX_TEMPLATE_BYTES:
            continue

        text = _fill(content.decode("utf-8", "replace"), values)
        if text is not None:
            yield GeneratedFile(path=header, text=text, strategy="template")


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
