"""What a kernel template is instantiated with: what its project uses, else what its text makes plausible."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from crawler.extract.labels import distinct, label
from crawler.model import Instantiation, InstantiationOrigin, KernelSighting, Launch, TemplateParameter

MOST_LINES: Final = 400_000
"""Lines of kernel that one unit may instantiate: some ten minutes of a compiler's time."""
_FEWEST: Final = 16
_PLAIN: Final = frozenset(
    {"float", "double", "int", "unsigned", "char", "short", "long", "bool", "signed", "true", "false", "const"}
)
_PLAIN_TYPES: Final = frozenset({"c10::Half", "c10::BFloat16"})
_INTEGER_NAME: Final = re.compile(r"(?i)index|int|idx|offset|count|size")
_INTEGER_TYPE: Final = re.compile(r"(?:const )?(?:unsigned |signed |u?int\d*_t|int|long|short|auto|\w*size_t)")
_VALUES: Final = (
    (re.compile(r"(?i)dim|rank|order|degree"), "2"),
    (re.compile(r"(?i)vec|pack|unroll|ilp|items"), "4"),
    (re.compile(r"(?i)thread|block"), "128"),
)
_USUAL_VALUE: Final = "32"
_ENUMERATION: Final = re.compile(r"[A-Za-z_][\w:]*")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_ORIGINS: Final = list(InstantiationOrigin)


def instantiations(
    best: KernelSighting, others: Iterable[KernelSighting], launches: Collection[Launch]
) -> list[Instantiation]:
    """Return what every unit instantiates or launches, as far as the chosen sighting's closure can spell it.

    A kernel that is no template has one without arguments; a template that nobody uses has a default, where one
    is plausible.
    """
    if not best.template_parameters:
        if best.template_head and "".join(best.template_head.split()) != "template<>":
            return []
        origin = InstantiationOrigin.LAUNCH if launches else InstantiationOrigin.EXPLICIT
        return [Instantiation(arguments=(), label="", symbol=best.mangled, origin=origin)]
    found = {one.arguments: one for one in best.instantiations}
    for sighting in others:
        for one in sighting.instantiations:
            if all(is_plain(argument) for argument in one.arguments):
                found.setdefault(one.arguments, one)
    for arguments in (one for launch in launches for one in launch.template_arguments):
        if len(arguments) == len(best.template_parameters) and all(is_plain(argument) for argument in arguments):
            found.setdefault(arguments, Instantiation(arguments=arguments, label=label(arguments)))
    return list(distinct(found.values() or _default(best)))


def in_unit(found: Sequence[Instantiation], lines: int) -> tuple[tuple[Instantiation, ...], int]:
    """Return all of `found`, those first that one unit of a kernel of so many lines instantiates, and their number.

    Where they are too many, a spread of the best founded is taken: neighbours differ in one argument only.
    """
    most = max(_FEWEST, MOST_LINES // max(1, lines))
    if len(found) <= most:
        return tuple(found), len(found)
    by_evidence = sorted(found, key=lambda one: _ORIGINS.index(one.origin))
    chosen = [by_evidence[at * len(found) // most] for at in range(most)]
    taken = {one.arguments for one in chosen}
    return (*chosen, *(one for one in found if one.arguments not in taken)), most


def is_plain(argument: str) -> bool:
    """Tell whether a template argument is of the language itself, or of the types that every unit for torch knows."""
    words = argument.replace("*", " ").split()
    return all(word in _PLAIN or word.lstrip("-").isdigit() for word in words) or argument in _PLAIN_TYPES


def _default(kernel: KernelSighting) -> tuple[Instantiation, ...]:
    """Return one plausible instantiation; none where a parameter is of no kind that can be guessed."""
    chosen: dict[str, str] = {}
    for parameter in kernel.template_parameters:
        argument = _argument(parameter, kernel, chosen)
        if not argument:
            return ()
        chosen[parameter.name] = argument
    arguments = tuple(chosen.values())
    return (Instantiation(arguments=arguments, label=label(arguments), origin=InstantiationOrigin.DEFAULT),)


def _argument(parameter: TemplateParameter, kernel: KernelSighting, chosen: dict[str, str]) -> str:
    if parameter.default:
        return _WORD.sub(lambda word: chosen.get(word.group(), word.group()), parameter.default)
    if parameter.kind == "type":
        return _type(parameter.name, kernel)
    return _value(parameter) if parameter.kind == "value" else ""


def _type(name: str, kernel: KernelSighting) -> str:
    """Return a type by how the kernel uses it; empty for a class whose members or calls it needs."""
    of_type = [one.name for one in kernel.parameters if one.name and name in _WORD.findall(one.type)]
    if re.search(rf"\b{re.escape(name)}\s*::|\b{re.escape(name)}\s*(?:\{{\s*\}}|\(\s*\))\s*\(", kernel.source):
        return ""
    if any(re.search(rf"(?<![\w.]){re.escape(one)}\s*(?:\(|\.\s*[A-Za-z_]\w*\s*\()", kernel.source) for one in of_type):
        return ""
    indexes = any(re.search(rf"\[[^\[\]]*\b{re.escape(one)}\b", kernel.source) for one in of_type)
    return "int" if indexes or _INTEGER_NAME.search(name) else "float"


def _value(parameter: TemplateParameter) -> str:
    if parameter.type == "bool":
        return "false"
    if _INTEGER_TYPE.match(parameter.type):
        return next((value for named, value in _VALUES if named.search(parameter.name)), _USUAL_VALUE)
    return f"static_cast<{parameter.type}>(0)" if _ENUMERATION.fullmatch(parameter.type) else ""
