"""Repositories that Meson's wrap files name."""

from __future__ import annotations

import configparser
from collections.abc import Iterable
from typing import Final

from crawler.checkout.source_tree import SourceTree
from crawler.sources.dependencies.interface import (
    DeclaredDependency,
    DependencyDeclarer,
)

_MAX_FILES: Final = 200
_HEAD: Final = "HEAD"


class Meson:
    """Reads `subprojects/NAME.wrap`."""

    name = "meson"
    order = 40
    example: Final = {
        "subprojects/library.wrap": "[wrap-git]\n"
        "url = https://github.com/owner/library.git\nrevision = v1.2\n"
    }

    def find_declared(self, tree: SourceTree) -> Iterable[DeclaredDependency]:
        """Yield the repository, or the archive, of each wrap file."""
        paths = [path for path in tree.files if path.endswith(".wrap")]
        for path in paths[:_MAX_FILES]:
            wrap = configparser.ConfigParser(interpolation=None, strict=False)
            try:
                wrap.read_string(tree.read_text(path))
            except configparser.Error:
                continue

            for section in wrap.sections():
                values = wrap[section]
                url = values.get("url") or values.get("source_url") or ""
                if section.startswith("wrap-") and "://" in url:
                    ref = values.get("revision", "")
                    yield DeclaredDependency(
                        name=path.rpartition("/")[2].removesuffix(".wrap"),
                        url=url,
                        ref="" if ref == _HEAD else ref,
                        path=path,
                    )


PLUGIN: Final[DependencyDeclarer] = Meson()
