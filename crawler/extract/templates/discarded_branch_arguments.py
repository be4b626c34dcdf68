"""Infer arguments of kernels launched only in discarded `if constexpr` branches.

`if constexpr (kVersion == Version::v4) first<Tile>…; else second<Tile>…;`: where only `second`
is instantiated, `first` takes the same types, with `Version::v4` in them in place of another
enumerator.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Final

from crawler.cpp.arguments import split_argument_texts
from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.cpp.template_argument_text import is_universal_argument
from crawler.extract.describe.instantiation_labels import make_argument_label
from crawler.extract.launches.kernel_use import KernelUse, SourcePlace
from crawler.extract.syntax.constexpr_branches import find_branch_conditions
from crawler.extract.templates.kernel_facts import KernelKey
from crawler.model import Instantiation, KernelFacts

_MAX_SITES: Final = 8
_MAX_ARGUMENT_TOKENS: Final = 400
# one argument, as it is printed: the enumeration, and its value
_QUALIFIED_ENUMERATOR: Final = re.compile(r"(?:\w+::)*([A-Za-z_]\w*)::([A-Za-z_]\w*)")
_ANGLE_DEPTH_CHANGES: Final = {"<": 1, ">": -1}
_Enumerator = tuple[str, str]
"""Names of an enumeration and of its enumerator."""


def find_uninstantiated_sites(
    kernel_uses: Iterable[KernelUse],
) -> Mapping[KernelKey, Sequence[SourcePlace]]:
    """Return where each kernel is named in templates that are not instantiated there."""
    sites: dict[KernelKey, dict[SourcePlace, None]] = defaultdict(dict)
    for use in kernel_uses:
        if use.path and not use.template_arguments:
            definition = (*use.target, use.kernel)
            sites[definition][use.path, use.offset] = None

    return {key: tuple(places) for key, places in sites.items()}


def infer_discarded_branch_arguments(
    kernel: KernelFacts,
    borrowed: Sequence[Instantiation],
    naming_sites: Iterable[SourcePlace],
    sources: SourceFiles,
) -> tuple[Instantiation, ...]:
    """Return the first of the instantiations borrowed from other kernels as a branch that names
    the kernel would have it.

    Nothing, where no branch asks for anything that this does not have.
    """
    if not borrowed:
        return ()

    instantiation = borrowed[0]
    for path, offset in islice(naming_sites, _MAX_SITES):
        arguments = _adapt_arguments(
            kernel,
            instantiation.arguments,
            sources[path],
            offset,
        )
        if arguments != instantiation.arguments:
            label = make_argument_label(arguments)
            return (replace(instantiation, arguments=arguments, label=label),)

    return ()


def _adapt_arguments(
    kernel: KernelFacts, arguments: tuple[str, ...], source: SourceText, offset: int
) -> tuple[str, ...]:
    """Return arguments with the enumerators that conditions round a place ask for, and the
    values written there.
    """
    enumerators = _list_required_enumerators(source, offset)
    # arguments of a pack have no parameters of their own
    if not enumerators or len(arguments) != len(kernel.template_parameters):
        return arguments

    written_arguments = _read_written_arguments(source, offset)
    # those that are not written are as borrowed
    written_arguments += arguments[len(written_arguments) :]
    adapted: list[str] = []
    for parameter, argument, written in zip(
        kernel.template_parameters, arguments, written_arguments, strict=False
    ):
        # `256` at the site means 256 there
        if is_universal_argument(written):
            adapted.append(written)
        elif parameter.kind == "value":
            adapted.append(_replace_value(argument, enumerators, written))
        else:
            adapted.append(_replace_enumerators(argument, enumerators))

    return tuple(adapted)


def _list_required_enumerators(source: SourceText, offset: int) -> list[_Enumerator]:
    enumerators = []
    for alternatives in find_branch_conditions(source, offset):
        for name, value in alternatives[0].items():
            enumerator = _parse_enumerator(value)
            if enumerator is not None and _may_be_of(source, name, enumerator[0]):
                enumerators.append(enumerator)

    return enumerators


def _may_be_of(source: SourceText, name: str, enumeration: str) -> bool:
    """Tell whether a name is declared as one of an enumeration, or with `auto`.

    In `mode == lib::device` the word in front may be a namespace, whose types are no enumerators.
    """
    return any(
        first.text in (enumeration, "auto") and second.text == name
        for first, second in pairwise(source.lexemes)
    )


def _parse_enumerator(text: str) -> _Enumerator | None:
    """Return `Version` and `v4` for `lib::Version::v4`."""
    match = _QUALIFIED_ENUMERATOR.fullmatch(text)
    return (match[1], match[2]) if match else None


def _replace_value(
    argument: str, enumerators: Sequence[_Enumerator], written: str
) -> str:
    """Return a value with the required enumerators, and then with the one written at the site."""
    written_enumerator = _parse_enumerator(written)
    if written_enumerator is not None:
        enumerators = [*enumerators, written_enumerator]

    return _replace_enumerators(argument, enumerators)


def _replace_enumerators(argument: str, enumerators: Iterable[_Enumerator]) -> str:
    """Return a text with other values of enumerations.

    A compiler prints them by their names, and as casts where no enumerator has the value.
    """
    for enumeration, name in enumerators:
        qualified = rf"(?<![\w:])(?:\w+::)*{re.escape(enumeration)}"
        argument = re.sub(
            rf"static_cast<({qualified})>\(-?\d+\)", rf"\1::{name}", argument
        )
        # a whole argument: `Version::type<…>` is none of its enumerators
        argument = re.sub(
            rf"({qualified})::\w+(?=\s*(?:[,>]|$))", rf"\1::{name}", argument
        )

    return argument


def _read_written_arguments(source: SourceText, offset: int) -> tuple[str, ...]:
    """Return the template arguments behind the name that stands at a place."""
    opening = source.lexeme_index(offset) + 1
    behind = min(opening + _MAX_ARGUMENT_TOKENS, len(source.lexemes))
    depth = 0
    for position in range(opening, behind):
        depth += _ANGLE_DEPTH_CHANGES.get(source.lexemes[position].text, 0)
        # at once where no `<` stands behind the name
        if depth == 0:
            lexemes = source.lexemes[opening + 1 : position]
            return split_argument_texts(source, lexemes)

    return ()
