"""Default template arguments, by kind of parameter, for kernel templates that a project never
uses.

All type parameters for elements take the same type; other parameters are varied one at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from crawler.cpp.identifiers import IDENTIFIER
from crawler.extract.describe.instantiation_labels import make_argument_label
from crawler.extract.templates.compared_values import (
    find_asserted_values,
    find_compared_values,
    find_specialised_values,
    is_unambiguous_value,
)
from crawler.model import (
    Instantiation,
    InstantiationOrigin,
    KernelFacts,
    TemplateParameter,
)

ELEMENT_TYPES: Final = ("float", "double")
"""For a type parameter whose values are computed with."""
TORCH_ELEMENT_TYPES: Final = (*ELEMENT_TYPES, "c10::Half")
"""The same where the unit knows PyTorch's types, which have all operators."""
KNOWN_ELEMENT_TYPES: Final = frozenset(
    {
        *TORCH_ELEMENT_TYPES,
        "half",
        "__half",
        "nv_bfloat16",
        "__nv_bfloat16",
        "c10::BFloat16",
    }
)
"""What a class template that a kernel gives such a parameter to may be specialised for."""
INDEX_TYPES: Final = ("int", "long")
"""For a type parameter that subscripts something, or is named like one."""
BOOLEAN_VALUES: Final = ("false", "true")
INTEGER_VALUES_BY_NAME: Final = (
    (re.compile(r"(?i)dim|rank|order|degree"), "2"),
    (re.compile(r"(?i)vec|pack|unroll|ilp|items"), "4"),
    (
        re.compile(r"(?i)blocks$|stages$"),
        "4",
    ),  # in front of threads and a block, of which these are no sizes
    (re.compile(r"(?i)thread|block"), "128"),
)
"""For an integer parameter, by its name."""
USUAL_INTEGER_VALUE: Final = "32"
MAX_INSTANTIATIONS: Final = 8
"""Instantiations in a default set."""
_INTEGER_NAME: Final = re.compile(r"(?i)index|int|idx|offset|count|size")
_INTEGER_TYPE: Final = re.compile(
    r"(?:const )?(?:unsigned|signed|(?:std::)?(?:u?int\d*_t|\w*size_t)|u?int|long|short|auto)\b(?!::)"
)
_DEEPEST: Final = 4
"""Aliases of aliases that are followed."""
_ENUMERATION: Final = re.compile(r"[A-Za-z_][\w:]*")
_QUALIFIER: Final = re.compile(r"\b(?:const|volatile|__restrict(?:__)?|restrict)\b")
_FOR_SOME_TYPES: Final = re.compile(
    r"\batomic(?!Add\b)\w+|\basm\b|\bwmma\b|\bmma_sync\b"
)
"""What compiles for some types only: such a kernel gets the first of each set."""
_ATOMIC: Final = re.compile(r"\batomic\w+")
_TORCH: Final = "torch"
_Chosen = dict[str, tuple[str, ...]]


def make_default_instantiations(kernel: KernelFacts) -> tuple[Instantiation, ...]:
    """Return the default set of a template; none where a parameter is of no kind that can be
    guessed.
    """
    chosen: _Chosen = {}
    for parameter in kernel.template_parameters:
        listed = list_argument_choices(parameter, kernel)
        if not listed:
            return ()
        chosen[parameter.name or f"#{len(chosen)}"] = listed
    spelled = dict.fromkeys(islice(_varied(chosen), MAX_INSTANTIATIONS))
    return tuple(
        Instantiation(
            arguments=arguments,
            label=make_argument_label(arguments),
            origin=InstantiationOrigin.DEFAULT,
        )
        for arguments in spelled
    )


def _varied(chosen: _Chosen) -> Iterator[tuple[str, ...]]:
    """Yield the first of every set, then each further element type, then each other parameter's
    further choices.
    """
    elements = frozenset(
        name for name, choices in chosen.items() if choices[0] in ELEMENT_TYPES
    )
    others = (frozenset({name}) for name in chosen if name not in elements)
    yield _spelled(chosen, frozenset(), 0)
    for together in (elements, *others):
        for at in range(1, min((len(chosen[name]) for name in together), default=0)):
            yield _spelled(chosen, together, at)


def _spelled(chosen: _Chosen, varied: frozenset[str], at: int) -> tuple[str, ...]:
    spelled: dict[str, str] = {}
    for name, choices in chosen.items():
        text = choices[at if name in varied else 0]
        spelled[name] = IDENTIFIER.sub(
            lambda word: spelled.get(word.group(), word.group()), text
        )
    return tuple(spelled.values())


def list_argument_choices(
    parameter: TemplateParameter, kernel: KernelFacts
) -> tuple[str, ...]:
    """Return what one parameter may be; nothing where it is of no kind that can be guessed."""
    if parameter.default:
        return (parameter.default,)
    if parameter.kind == "type":
        return _types(parameter.name, kernel)
    return _values(parameter, kernel) if parameter.kind == "value" else ()


def _types(name: str, kernel: KernelFacts) -> tuple[str, ...]:
    """Return types by how the kernel uses the parameter; none for a class whose members or
    calls it needs.
    """
    of_type = [
        one.name
        for one in kernel.parameters
        if one.name and name in IDENTIFIER.findall(one.type)
    ]
    if re.search(
        rf"\b{re.escape(name)}\s*::|\b{re.escape(name)}\s*(?:\{{\s*\}}|\(\s*\))\s*\(",
        kernel.source,
    ):
        return ()
    declared = re.findall(
        rf"(?<![\w:]){re.escape(name)}\s+([A-Za-z_]\w*)\s*(?:;|=|\{{)", kernel.source
    )
    if any(_is_called(one, kernel.source) for one in (*of_type, *declared)):
        return ()
    made = re.findall(
        rf"(?<![\w:]){re.escape(name)}\s+([A-Za-z_]\w*)\s*\(", kernel.source
    )
    if any(_is_called(one, kernel.source.replace(f" {one}(", "", 1)) for one in made):
        return ()
    bare = [
        one.name
        for one in kernel.parameters
        if one.name and IDENTIFIER.findall(_QUALIFIER.sub("", one.type)) == [name]
    ]
    if any(_has_members(one, kernel.source) for one in (*bare, *declared)):
        return ()
    subscripts = any(
        re.search(rf"\[[^\[\]]*(?<![.\w]){re.escape(one)}\b", kernel.source)
        for one in of_type
    )
    if subscripts or _INTEGER_NAME.search(name):
        return INDEX_TYPES[:1] if _ATOMIC.search(kernel.source) else INDEX_TYPES
    if told := [
        one for one in _specialised_for(name, kernel) if one in KNOWN_ELEMENT_TYPES
    ]:
        return tuple(one for one in ELEMENT_TYPES if one in told) or (told[0],)
    if _FOR_SOME_TYPES.search(kernel.source):
        return ELEMENT_TYPES[:1]
    knows_torch = kernel.closure is not None and any(
        _TORCH in header for header in kernel.closure.includes
    )
    return (
        TORCH_ELEMENT_TYPES
        if knows_torch and not _ATOMIC.search(kernel.source)
        else ELEMENT_TYPES
    )


def _is_called(variable: str, text: str) -> bool:
    """Tell whether a variable, or a member of it, is called."""
    return (
        re.search(
            rf"(?<![\w.]){re.escape(variable)}\s*(?:\(|\.\s*[A-Za-z_]\w*\s*\()", text
        )
        is not None
    )


def _has_members(variable: str, text: str) -> bool:
    """Tell whether what a variable is, or points to, has members."""
    member = r"\s*(?:\[[^\[\]]*\]\s*)?(?:->|\.)\s*[A-Za-z_]"
    return re.search(rf"(?<![\w.>]){re.escape(variable)}{member}", text) is not None


def _values(parameter: TemplateParameter, kernel: KernelFacts) -> tuple[str, ...]:
    if parameter.type == "bool":
        return BOOLEAN_VALUES
    told = find_asserted_values(parameter.name, kernel.source)
    is_global = "::" not in parameter.type  # its enumerators need no scope
    listed = _specialised_for(parameter.name, kernel)
    told += tuple(
        one
        for one in listed
        if is_unambiguous_value(one) or (is_global and one.isidentifier())
    )
    if told:
        return told[:1]
    named = next(
        (
            value
            for name, value in INTEGER_VALUES_BY_NAME
            if name.search(parameter.name)
        ),
        "",
    )
    if _is_integer(parameter.type, kernel):
        return (named or USUAL_INTEGER_VALUE,)
    told = find_compared_values(parameter.name, kernel.source)
    if told or not _ENUMERATION.fullmatch(parameter.type):
        return told[:1]
    return (f"static_cast<{parameter.type}>(0)",)


def _is_integer(spelled: str, kernel: KernelFacts) -> bool:
    """Tell whether a type is one of integers, or an alias of one that the kernel's closure
    holds.
    """
    fragments = kernel.closure.fragments if kernel.closure else ()
    for _ in range(_DEEPEST):
        if _INTEGER_TYPE.match(spelled) or not spelled.isidentifier():
            break
        alias = re.compile(
            rf"\b(?:using\s++{spelled}\s*+=\s*+([\w: ]{{1,80}}+);|typedef\s++([\w: ]{{1,80}}?)\s++{spelled}\s*+;)"
        )
        spelled = next(
            (found[1] or found[2] for found in map(alias.search, fragments) if found),
            "",
        )
    return _INTEGER_TYPE.match(spelled) is not None


def _specialised_for(name: str, kernel: KernelFacts) -> tuple[str, ...]:
    """Return what class templates are specialised for that a kernel gives a parameter to."""
    return find_specialised_values(
        name, kernel.source, kernel.closure.fragments if kernel.closure else ()
    )
