"""Find the Meson projects of a tree, and choose their options for CUDA."""

from __future__ import annotations

import posixpath
import re
from typing import Final

from crawler.builds.build_files.build_hints import is_device_switch
from crawler.checkout.source_tree import SourceTree, is_vendored
from crawler.model import Dialect

_MAX_PROJECTS: Final = 4
_MAX_SWITCHES: Final = 40
_OPTION_FILES: Final = ("meson.options", "meson_options.txt")
# a sieve over `meson.build`: Meson itself reads it
_PROJECT_CALL: Final = re.compile(r"^[ \t]*project[ \t]*\(", re.MULTILINE)
# `option('cuda', description: '…', type: 'feature')`
_OPTION: Final = re.compile(
    r"\boption\s*\(\s*'([\w-]{1,60})'\s*,[^()]{0,400}?\btype\s*:\s*'(boolean|feature)'",
    re.DOTALL,
)


def find_meson_projects(tree: SourceTree) -> list[str]:
    """Return the outermost folders whose `meson.build` calls `project`, vendored ones last."""
    folders: list[str] = []
    for path in sorted(tree.find_named("meson.build"), key=_rank_by_depth):
        folder = posixpath.dirname(path)
        is_inside_project = any(
            not outer or folder.startswith(outer + "/") for outer in folders
        )
        if not is_inside_project and _PROJECT_CALL.search(tree.read_text(path)):
            folders.append(folder)

    return folders[:_MAX_PROJECTS]


def _rank_by_depth(path: str) -> tuple[bool, int, str]:
    return (is_vendored(path), path.count("/"), path)


def choose_device_options(tree: SourceTree, folder: str) -> tuple[str, ...]:
    """Return the arguments that switch on the options whose names are about CUDA."""
    switches: list[str] = []
    for file_name in _OPTION_FILES:
        path = posixpath.join(folder, file_name)
        if path not in tree.files:
            continue

        for name, kind in _OPTION.findall(tree.read_text(path)):
            if is_device_switch(name.replace("-", "_"), Dialect.CUDA):
                value = "true" if kind == "boolean" else "enabled"
                switches.append(f"-D{name}={value}")

    return tuple(switches[:_MAX_SWITCHES])
