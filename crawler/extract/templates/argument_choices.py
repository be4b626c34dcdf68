"""List what one template parameter may be, by its kind, its name and how the kernel uses it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from crawler.cpp.identifiers import IDENTIFIER, QUALIFIED_NAME
from crawler.extract.templates.compared_values import (
    find_asserted_values,
    find_compared_values,
    find_specialised_values,
    is_unambiguous_value,
)
from crawler.extract.templates.passed_pointers import is_passed_as_pointer
from crawler.model import KernelFacts, TemplateParameter

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
ITERATOR_TYPES: Final = ("float *",)
"""For a type parameter whose values are dereferenced or subscripted."""
BOOLEAN_VALUES: Final = ("false", "true")
INTEGER_VALUES_BY_NAME: Final = (
    (re.compile(r"(?i)dim|rank|order|degree"), "2"),
    (re.compile(r"(?i)vec|pack|unroll|ilp|items"), "4"),
    # in front of threads and a block, of which these are no sizes
    (re.compile(r"(?i)blocks$|stages$"), "4"),
    (re.compile(r"(?i)thread|block"), "128"),
)
"""For an integer parameter, by its name."""
USUAL_INTEGER_VALUE: Final = "32"
# words within the name of a parameter
_INTEGER_NAME: Final = re.compile(r"(?i)index|int|idx|offset|count|size")
# a parameter's type as it is written, from its beginning: `const unsigned int`
_INTEGER_TYPE: Final = re.compile(
    r"(?:const )?(?:unsigned|signed|(?:std::)?(?:u?int\d*_t|\w*size_t)"
    r"|u?int|long|short|auto)\b(?!::)"
)
_MAX_VARIABLES: Final = 60
_MAX_ALIAS_DEPTH: Final = 4
"""Aliases of aliases that are followed."""
# a type as it is written; the rest of it is a name
_QUALIFIER: Final = re.compile(r"\b(?:const|volatile|__restrict(?:__)?|restrict)\b")
_SOME_TYPES_ONLY: Final = re.compile(
    r"\batomic(?!Add\b)\w+|\basm\b|\bwmma\b|\bmma_sync\b"
)
"""What compiles for some types only: such a kernel gets the first of each set."""
# a kernel as it is written; a word in a comment has one type more or less tried
_ATOMIC: Final = re.compile(r"\batomic\w+")
_TORCH: Final = "torch"


def list_argument_choices(
    parameter: TemplateParameter, kernel: KernelFacts
) -> tuple[str, ...]:
    """Return what one parameter may be; nothing where it is of no kind that can be guessed."""
    if parameter.default:
        return (parameter.default,)
    if parameter.kind == "type":
        return _list_types(parameter.name, kernel)
    if parameter.kind == "value":
        return _list_values(parameter, kernel)

    return ()


# All that follows reads a template that nothing instantiates: libclang gives expressions that
# depend on its parameters no types, and leaves many of them out.
def _list_types(name: str, kernel: KernelFacts) -> tuple[str, ...]:
    """Return types by how the kernel uses the parameter; none for a class whose members or
    calls it needs.
    """
    plain_parameters = _list_plain_parameters(name, kernel)
    parameters_of_type = [
        parameter.name
        for parameter in kernel.parameters
        if parameter.name and name in IDENTIFIER.findall(parameter.type)
    ]

    # no scalar has members, and a class cannot be made up
    if _is_class(name, parameters_of_type, plain_parameters, kernel):
        return ()
    if _has_iterator(name, kernel):
        return ITERATOR_TYPES

    uses_atomics = _ATOMIC.search(kernel.source) is not None
    is_index = _is_subscript(parameters_of_type, kernel.source)
    if _INTEGER_NAME.search(name) or is_index or _has_local_index(name, kernel.source):
        return INDEX_TYPES[:1] if uses_atomics else INDEX_TYPES

    known_types = [
        value
        for value in _list_specialised_values(name, kernel)
        if value in KNOWN_ELEMENT_TYPES
    ]

    if known_types:
        usual_types = [type_ for type_ in ELEMENT_TYPES if type_ in known_types]
        return tuple(usual_types) or (known_types[0],)

    # e.g. `atomicMax` of a `double` does not exist
    if _SOME_TYPES_ONLY.search(kernel.source):
        return ELEMENT_TYPES[:1]
    if _knows_torch(kernel) and not uses_atomics:
        return TORCH_ELEMENT_TYPES

    return ELEMENT_TYPES


def _is_class(
    name: str,
    parameters_of_type: Sequence[str],
    plain_parameters: Sequence[str],
    kernel: KernelFacts,
) -> bool:
    """Tell whether a kernel needs members, or calls, of what a type parameter stands for."""
    word = re.escape(name)
    text = kernel.source
    # `T::value_type`, `T{}(x)`, `T()(x)`
    if re.search(rf"\b{word}\s*::|\b{word}\s*(?:\{{\s*\}}|\(\s*\))\s*\(", text):
        return True

    # `T op;`, `T op = …`, `T op{…}`, and then `op(x)`
    variables = re.findall(rf"(?<![\w:]){word}\s+([A-Za-z_]\w*)\s*(?:;|=|\{{)", text)
    callable_variables = (*parameters_of_type, *variables)
    if any(_is_called(variable, text) for variable in callable_variables):
        return True

    # `T op(x)`, whose first call is the declaration
    constructed = re.findall(rf"(?<![\w:]){word}\s+([A-Za-z_]\w*)\s*\(", text)
    for variable in constructed:
        if _is_called(variable, text.replace(f" {variable}(", "", 1)):
            return True

    return any(
        _has_members(variable, text) for variable in (*plain_parameters, *variables)
    )


def _list_plain_parameters(type_name: str, kernel: KernelFacts) -> list[str]:
    """Return the parameters of a kernel that are of a type, or point or refer to it."""
    return [
        parameter.name
        for parameter in kernel.parameters
        if parameter.name
        and IDENTIFIER.findall(_QUALIFIER.sub("", parameter.type)) == [type_name]
    ]


def _is_called(variable: str, text: str) -> bool:
    """Tell whether a variable, or a member of it, is called."""
    call = rf"(?<![\w.]){re.escape(variable)}\s*(?:\(|\.\s*[A-Za-z_]\w*\s*\()"
    return re.search(call, text) is not None


def _has_members(variable: str, text: str) -> bool:
    """Tell whether what a variable is, or points to, has members."""
    member = r"\s*(?:\[[^\[\]]*\]\s*)?(?:->|\.)\s*[A-Za-z_]"
    return re.search(rf"(?<![\w.>]){re.escape(variable)}{member}", text) is not None


def _has_iterator(type_name: str, kernel: KernelFacts) -> bool:
    """Tell whether a kernel dereferences or subscripts a parameter of exactly a type, or passes
    it on as a pointer.
    """
    fragments = kernel.closure.fragments if kernel.closure else ()
    for parameter in kernel.parameters:
        is_of_type = _QUALIFIER.sub("", parameter.type).strip() == type_name
        if not is_of_type or not parameter.name:
            continue

        word = re.escape(parameter.name)
        # what stands before tells `*first` from a product
        dereference = rf"(?:[=(,;{{}}?:&|<>+\-!]|\breturn)\s*\*\s*\(?\s*{word}\b"
        subscript = rf"(?<![\w.>]){word}\s*\["
        if re.search(rf"{dereference}|{subscript}", kernel.source):
            return True
        if is_passed_as_pointer(parameter.name, kernel.source, fragments):
            return True

    return False


def _is_subscript(variables: Iterable[str], text: str) -> bool:
    """Tell whether one of some variables subscripts something: `out[i]`."""
    return any(
        re.search(rf"\[[^\[\]]*(?<![.\w]){re.escape(variable)}\b", text)
        for variable in variables
    )


def _has_local_index(type_name: str, text: str) -> bool:
    """Tell whether a variable of a type that a kernel declares subscripts something as it is:
    `I i = blockIdx.x; out[i + 1]`, and no `T x = in[i]; table[static_cast<int>(x)]`.
    """
    variables = re.findall(rf"\b{re.escape(type_name)}\s+([A-Za-z_]\w*)\s*=(?!=)", text)
    return any(
        re.search(rf"\[[^\[\]()]*(?<![.\w]){re.escape(variable)}\b", text)
        for variable in list(dict.fromkeys(variables))[:_MAX_VARIABLES]
    )


def _knows_torch(kernel: KernelFacts) -> bool:
    if kernel.closure is None:
        return False
    return any(_TORCH in header for header in kernel.closure.includes)


def _list_values(parameter: TemplateParameter, kernel: KernelFacts) -> tuple[str, ...]:
    if parameter.type == "bool":
        return BOOLEAN_VALUES

    # the enumerators of a global enumeration need no scope
    is_global = "::" not in parameter.type
    required_values = list(find_asserted_values(parameter.name, kernel.source))
    for value in _list_specialised_values(parameter.name, kernel):
        if is_unambiguous_value(value) or (is_global and value.isidentifier()):
            required_values.append(value)

    if required_values:
        return (required_values[0],)

    if _is_integer(parameter.type, kernel):
        return (_choose_integer(parameter.name),)

    compared_values = find_compared_values(parameter.name, kernel.source)
    if compared_values or not QUALIFIED_NAME.fullmatch(parameter.type):
        return compared_values[:1]

    return (f"static_cast<{parameter.type}>(0)",)


def _choose_integer(parameter_name: str) -> str:
    for pattern, value in INTEGER_VALUES_BY_NAME:
        if pattern.search(parameter_name):
            return value

    return USUAL_INTEGER_VALUE


def _is_integer(type_name: str, kernel: KernelFacts) -> bool:
    """Tell whether a type is one of integers, or an alias of one that the kernel's closure
    holds.
    """
    fragments = kernel.closure.fragments if kernel.closure else ()
    for _ in range(_MAX_ALIAS_DEPTH):
        if _INTEGER_TYPE.match(type_name) or not type_name.isidentifier():
            break
        type_name = _find_aliased_type(type_name, fragments)

    return _INTEGER_TYPE.match(type_name) is not None


def _find_aliased_type(alias: str, fragments: Iterable[str]) -> str:
    pattern = re.compile(
        rf"\b(?:using\s++{alias}\s*+=\s*+([\w: ]{{1,80}}+);"
        rf"|typedef\s++([\w: ]{{1,80}}?)\s++{alias}\s*+;)"
    )

    for fragment in fragments:
        match = pattern.search(fragment)
        if match:
            return match[1] or match[2]

    return ""


def _list_specialised_values(name: str, kernel: KernelFacts) -> tuple[str, ...]:
    """Return what class templates are specialised for that a kernel gives a parameter to."""
    fragments = kernel.closure.fragments if kernel.closure else ()
    return find_specialised_values(
        name,
        kernel.source,
        fragments,
    )
