"""Find a project's host functions and match their parameters to those of a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from crawler.cpp.identifiers import WORD
from crawler.cpp.syntax import function_declarator, parse
from crawler.model import Parameter
from crawler.validate.values.parameter_types import ParameterType, Signature, TypeKind

_PARSE_SECONDS: Final = 3.0
# Searched in the text of one node of a syntax tree: any word in it tells, in a macro's body too,
# which the tree does not look into.
_LIBRARY_WORDS: Final = re.compile(
    r"\b(?:Tensor|IntArrayRef|AT_DISPATCH\w*|at::(?!Half|BFloat16)|torch::|PyObject|m\.def)"
)
"""What only a library that is not here can serve."""
# the text of one parameter's node
_FLOATING_TYPES: Final = re.compile(
    r"\b(?:float|double|half|Half|BFloat16|scalar_t|T|Dtype|DType|real)\b"
)
_DEFAULT_NODE: Final = "optional_parameter_declaration"
_PARAMETER_NODES: Final = frozenset({"parameter_declaration", _DEFAULT_NODE})
_DEFINITION_NODES: Final = frozenset(
    {
        "template_declaration",
        "function_definition",
        "struct_specifier",
        "class_specifier",
        "enum_specifier",
        "type_definition",
        "alias_declaration",
        "preproc_def",
        "preproc_function_def",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionParameter:
    """A parameter of a function."""

    name: str
    is_pointer: bool
    is_floating: bool
    has_default: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFunction:
    """A function of a project that runs on a host."""

    name: str
    parameters: tuple[FunctionParameter, ...]
    template_parameter_count: int
    """Parameters of its template head."""


def list_top_level_definitions(text: str) -> Iterator[str]:
    """Yield what a file defines at its top, without what asks for a library's tensors."""
    for node in _parse(text).named_children:
        if node.type not in _DEFINITION_NODES:
            continue

        definition = _text(node)
        if _LIBRARY_WORDS.search(definition):
            continue

        # the grammar leaves the `;` of a class to the declaration around it
        yield definition + (";" if node.type.endswith("_specifier") else "")


def list_host_functions(text: str) -> Iterator[HostFunction]:
    """Yield the functions that `text` defines at its top."""
    for node in _parse(text).named_children:
        function = _describe_function(node)
        if function is not None:
            yield function


def match_parameters(
    function: HostFunction, parameters: Sequence[Parameter], signature: Signature
) -> tuple[int, ...] | None:
    """Return which of a kernel's parameters each of the function's is: by their names, else all
    in their order.

    Parameters with a default that the kernel has nothing for are left out at the end.
    """
    if not signature or not function.parameters:
        return None
    if len(parameters) != len(signature):
        return None

    named_places = _places_by_name(function, parameters)
    if named_places and _fits(function, named_places, signature):
        return named_places

    required_count = sum(not parameter.has_default for parameter in function.parameters)
    if not required_count <= len(signature) <= len(function.parameters):
        return None

    ordered_places = tuple(range(len(signature)))

    return ordered_places if _fits(function, ordered_places, signature) else None


def _places_by_name(
    function: HostFunction, parameters: Sequence[Parameter]
) -> tuple[int, ...] | None:
    place_by_name = {
        _normalize_name(parameter.name): place
        for place, parameter in enumerate(parameters)
    }
    places: list[int] = []
    is_defaulted = False

    for parameter in function.parameters:
        place = place_by_name.get(_normalize_name(parameter.name))
        if place is None:
            if not parameter.has_default:
                return None
            is_defaulted = True
            continue

        # A call cannot skip one default and pass what comes after it.
        if is_defaulted:
            return None

        places.append(place)

    return tuple(places)


def _fits(function: HostFunction, places: Sequence[int], signature: Signature) -> bool:
    """Tell whether the first parameters of a function can take the kernel's arguments."""
    for parameter, place in zip(function.parameters, places, strict=False):
        if not _can_take(parameter, signature[place]):
            return False

    return True


def _can_take(parameter: FunctionParameter, kernel_type: ParameterType) -> bool:
    is_kernel_pointer = kernel_type.kind is TypeKind.POINTER
    if parameter.is_pointer or is_kernel_pointer:
        return parameter.is_pointer and is_kernel_pointer
    # of classes only those of halves are numbers
    return kernel_type.kind is not TypeKind.CLASS or parameter.is_floating


def _normalize_name(name: str) -> str:
    """Return a name as projects mean it: `low_` and `Low` are one."""
    return name.replace("_", "").lower()


def _describe_function(node: Node) -> HostFunction | None:
    """Return the function that a node defines, `None` for one with a library's tensors."""
    template_parameter_count = 0
    if node.type == "template_declaration":
        head = node.child_by_field_name("parameters")
        template_parameter_count = len(head.named_children) if head else 0
        for child in node.named_children:
            if child.type == "function_definition":
                node = child
                break

    if node.type != "function_definition":
        return None

    declarator = function_declarator(node)
    if declarator is None:
        return None

    name = declarator.child_by_field_name("declarator")
    parameter_list = declarator.child_by_field_name("parameters")
    if name is None or parameter_list is None:
        return None
    if _LIBRARY_WORDS.search(_text(parameter_list)):
        return None

    parameters = tuple(
        _describe_parameter(child)
        for child in parameter_list.named_children
        if child.type in _PARAMETER_NODES
    )

    return HostFunction(
        name=_text(name),
        parameters=parameters,
        template_parameter_count=template_parameter_count,
    )


def _describe_parameter(node: Node) -> FunctionParameter:
    declaration = _text(node).partition("=")[0]
    words = WORD.findall(declaration)

    return FunctionParameter(
        name=words[-1] if words else "",
        is_pointer="*" in declaration,
        is_floating=bool(_FLOATING_TYPES.search(declaration)),
        has_default=node.type == _DEFAULT_NODE,
    )


def _parse(text: str) -> Node:
    """Return the root of a file's tree, an empty one where parsing takes too long."""
    content = text.encode("utf-8", "surrogateescape")
    tree = parse(content, _PARSE_SECONDS) or parse(b"", _PARSE_SECONDS)
    assert tree is not None
    return tree.root_node


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape")
