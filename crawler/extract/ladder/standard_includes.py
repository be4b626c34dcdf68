"""Include what declares a name of `std`, where the search for words did not know its header.

The project's own files include it, by whatever name: a unit that lacks such a name takes all
headers of the standard library that its files include.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from crawler.cpp.comments import without_comments
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.ladder.unit_check import UnitError
from crawler.model import Closure

# clang's words for a name that no header declares, or only ahead of its definition
_LACKS_NAME: Final = re.compile(
    r"no (?:type|member|template) named '\w+' in namespace 'std'|'std::\w+"
)
# over code: headers of the standard library alone have neither a folder nor a suffix
_STANDARD_HEADER: Final = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*(<[a-z_]+>)", re.MULTILINE
)


def complete_includes(
    closure: Closure,
    list_errors: Callable[[Closure], list[UnitError]],
    context: UnitContext,
) -> tuple[Closure, list[UnitError]]:
    """Return a closure with the standard headers that it lacks, and the errors of its unit."""
    errors = list_errors(closure)
    messages = [error.message for error in errors]
    completed = include_standard_headers(closure, messages, context)
    if completed is None:
        return closure, errors
    return completed, list_errors(completed)


def include_standard_headers(
    closure: Closure, messages: Iterable[str], context: UnitContext
) -> Closure | None:
    """Return a closure with the standard headers that its files include, where `messages` say
    that it lacks a name of `std`; `None` where they do not, or it has them all.
    """
    if not any(map(_LACKS_NAME.search, messages)):
        return None

    headers = {
        header
        for path in context.files
        for header in _STANDARD_HEADER.findall(
            without_comments(context.sources[path].raw)
        )
    }
    added_headers = sorted(headers.difference(closure.includes))
    if not added_headers:
        return None
    return replace(closure, includes=(*closure.includes, *added_headers))
