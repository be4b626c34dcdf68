"""Repositories that Meson's wrap files name."""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterable
from typing import Final

from crawler.checkout.source_tree import SourceTree
from crawler.sources.dependencies.declaring_texts import iter_texts
from crawler.sources.dependencies.interface import (
    DeclaredDependency,
    DependencyDeclarer,
)

_MAX_FILES: Final = 200
_MAX_FILE_BYTES: Final = 16 << 10
# a whole wrap file, before configparser has it
_BLANKS: Final = re.compile(r"[^\S\n]+")
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
        texts = iter_texts(tree, paths, max_files=_MAX_FILES, max_bytes=_MAX_FILE_BYTES)
        for path, text in texts:
            wrap = configparser.ConfigParser(interpolation=None, strict=False)
            try:
                # configparser's patterns take time with the square of a run of blanks
                wrap.read_string(_BLANKS.sub(" ", text))
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
