"""Let a unit do with our shims of libraries, though its translation unit needs more of them."""

from __future__ import annotations

from dataclasses import replace

from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.library_comment import list_installed_names
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.includes.installed_headers import list_versions
from crawler.extract.closure.includes.library_headers import (
    LIBCUDACXX_WORD,
    select_includes,
)
from crawler.model import Closure


def use_shims(closure: Closure, context: UnitContext) -> Closure | None:
    """Return a closure with our shims in place of the installed libraries that it includes;
    `None` where it includes none.

    Shims are parsed in a fraction of the time, ported to HIP, and run on a CPU.
    """
    if not list_installed_names(closure.libraries):
        return None

    text = "\n".join(closure.fragments)
    words = set(IDENTIFIER.findall(text))
    if context.own_cuda_namespace.leaves_libcudacxx(text):
        words.add(LIBCUDACXX_WORD)

    includes = select_includes(words, context.project_names, context.dialect)
    return replace(closure, includes=includes, libraries=list_versions(includes, {}))
