"""Find a project's host functions and match their parameters to those of a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from crawler.cpp.syntax import function_declarator, parse
from crawler.model import Parameter
from crawler.validate.values.parameter_types import Signature, TypeKind

_SECONDS: Final = 3.0
_TENSORS: Final = re.compile(
    r"\b(?:Tensor|IntArrayRef|AT_DISPATCH\w*|at::(?!Half|BFloat16)|torch::|PyObject|m\.def)"
)
"""What only a library that is not here can serve."""
_FLOATING: Final = re.compile(
    r"\b(?:float|double|half|Half|BFloat16|scalar_t|T|Dtype|DType|real)\b"
)
_DECLARED: Final = frozenset(
    {
        "template_declaration",
        "function_definition",
        "struct_specifier",
        "class_specifier",
        "enum_specifier",
    }
)
_ALONG: Final = frozenset(
    {"type_definition", "alias_declaration", "preproc_def", "preproc_function_def"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionParameter:
    """A parameter of a function."""

    name: str
    is_pointer: bool
    is_floating: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFunction:
    """A function of a project that runs on a host."""

    name: str
    parameters: tuple[FunctionParameter, ...]
    template_parameter_count: int
    """Parameters of its template head."""


def list_top_level_definitions(text: str) -> Iterator[str]:
    """Yield what a file defines at its top, without what asks for a library's tensors."""
    for node in _parsed(text).named_children:
        told = _text(node)
        if node.type in _DECLARED | _ALONG and not _TENSORS.search(told):
            yield told + (";" if node.type.endswith("_specifier") else "")


def list_host_functions(text: str) -> Iterator[HostFunction]:
    """Yield the functions that `text` defines at its top."""
    for node in _parsed(text).named_children:
        templates = 0
        if node.type == "template_declaration":
            head = node.child_by_field_name("parameters")
            templates = len(head.named_children) if head else 0
            node = next(
                (
                    child
                    for child in node.named_children
                    if child.type == "function_definition"
                ),
                node,
            )
        found = (
            _function(node, templates) if node.type == "function_definition" else None
        )
        if found:
            yield found


def match_parameters(
    function: HostFunction, parameters: Sequence[Parameter], signature: Signature
) -> tuple[int, ...] | None:
    """Return which of a kernel's parameters each of the function's is: by their names, else all
    in their order.
    """
    if not function.parameters or len(parameters) != len(signature):
        return None
    named = {_plain(each.name): at for at, each in enumerate(parameters)}
    places = [named.get(_plain(each.name), -1) for each in function.parameters]
    if all(
        at >= 0 and _alike(each, signature, at)
        for each, at in zip(function.parameters, places, strict=True)
    ):
        return tuple(places)
    if len(function.parameters) != len(signature):
        return None
    ordered = range(len(signature))
    return (
        tuple(ordered)
        if all(_alike(function.parameters[at], signature, at) for at in ordered)
        else None
    )


def _alike(taken: FunctionParameter, signature: Signature, at: int) -> bool:
    given = signature[at]
    if taken.is_pointer or given.kind is TypeKind.POINTER:
        return taken.is_pointer and given.kind is TypeKind.POINTER
    return given.kind is not TypeKind.CLASS or taken.is_floating


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _function(node: Node, templates: int) -> HostFunction | None:
    declarator = function_declarator(node)
    name = declarator.child_by_field_name("declarator") if declarator else None
    given = declarator.child_by_field_name("parameters") if declarator else None
    if name is None or given is None or _TENSORS.search(_text(given)):
        return None
    taken = tuple(
        _taken(each)
        for each in given.named_children
        if each.type == "parameter_declaration"
    )
    return HostFunction(
        name=_text(name), parameters=taken, template_parameter_count=templates
    )


def _taken(node: Node) -> FunctionParameter:
    text = _text(node)
    words = re.findall(r"\w+", text.partition("=")[0])
    return FunctionParameter(
        name=words[-1] if words else "",
        is_pointer="*" in text,
        is_floating=bool(_FLOATING.search(text)),
    )


def _parsed(text: str) -> Node:
    tree = parse(text.encode("utf-8", "surrogateescape"), _SECONDS) or parse(
        b"", _SECONDS
    )
    assert tree is not None
    return tree.root_node


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape")
