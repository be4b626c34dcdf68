"""Repositories that Bazel fetches: `http_archive`, `git_repository`, and what is like them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from crawler.checkout.source_tree import SourceTree
from crawler.sources.dependencies.declaring_texts import iter_texts
from crawler.sources.dependencies.interface import (
    DeclaredDependency,
    DependencyDeclarer,
)

_MAX_FILES: Final = 100
_MAX_ARGUMENTS: Final = 8_000
"""Characters of one call."""
# Starlark of any state and of many files: calls with their arguments, one level of brackets in
# them
_CALL: Final = re.compile(
    r"\b(?:\w*http_archive|\w*git_repository|git_override|archive_override)\s*\("
    r"((?:[^()]|\([^()]*\)){0,8000})\)"
)
_VALUE: Final = r"\b{}\s*=\s*(?:\[\s*)?[\"']([^\"']+)[\"']"
# the arguments of one such call
_NAME: Final = re.compile(_VALUE.format("(?:name|module_name)"))
_ADDRESS: Final = re.compile(_VALUE.format("(?:remote|urls?)"))
_REF: Final = re.compile(_VALUE.format("(?:commit|tag|branch)"))


class Bazel:
    """Reads the arguments of the rules that fetch, wherever they are called."""

    name = "bazel"
    order = 30
    example: Final = {
        "WORKSPACE": 'git_repository(name = "library", tag = "v1.2",\n'
        '    remote = "https://github.com/owner/library.git")\n'
    }

    def find_declared(self, tree: SourceTree) -> Iterable[DeclaredDependency]:
        """Yield what such rules name; nothing of them is evaluated."""
        paths = tree.find_named("WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel")
        if not paths:
            return

        paths += tuple(path for path in tree.files if path.endswith(".bzl"))
        for path, text in iter_texts(tree, paths, max_files=_MAX_FILES):
            for call in _CALL.finditer(text):
                arguments = call[1][:_MAX_ARGUMENTS]
                name, address = _NAME.search(arguments), _ADDRESS.search(arguments)
                ref = _REF.search(arguments)
                if name and address and "://" in address[1]:
                    yield DeclaredDependency(
                        name=name[1],
                        url=address[1],
                        ref=ref[1] if ref else "",
                        path=path,
                    )


PLUGIN: Final[DependencyDeclarer] = Bazel()
