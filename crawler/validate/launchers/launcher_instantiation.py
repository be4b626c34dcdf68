"""With which arguments a launcher that is a template launches a kernel that its project
instantiates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from crawler.cpp.arguments import split_template_arguments
from crawler.cpp.brackets import closing_in_code
from crawler.model import HostCode, Instantiation, InstantiationOrigin, Kernel

# no code is read: a compiler's spelling of an argument is looked over
_PLAIN: Final = re.compile(r"[\w:<>, ]+")
"""What stands for a type or a number, and can stand in a text and in a program alike."""
# of a list that is split already: what is left are a few words
_PARAMETER: Final = re.compile(
    r"(?:typename|class|[\w:]+)\s+(\w+)\s*(?:=.*)?", re.DOTALL
)


def find_template_arguments(kernel: Kernel, code: HostCode) -> str:
    """Return the arguments of the template `code` with which it launches `kernel` as its project
    instantiates it: `<float, 4>`; empty where the code is no template, or some are not known.
    """
    names = _read_parameters(code.source)
    if not names:
        return ""

    for instantiation in kernel.instantiations:
        # what no project asks for may not be what it is meant for
        if instantiation.origin is InstantiationOrigin.DEFAULT:
            continue

        known_arguments = dict(_iter_known_arguments(kernel, code, instantiation))
        arguments = [known_arguments.get(name, "") for name in names]
        if all(_PLAIN.fullmatch(argument) for argument in arguments):
            return f"<{', '.join(arguments)}>"

    return ""


def _read_parameters(text: str) -> Sequence[str]:
    """Return what the parameters of a template are called; none of what is no template, or has
    parameters without a name, or a pack.
    """
    head = text.lstrip()
    if not head.startswith("template"):
        return ()

    opening = head.find("<")
    closing = closing_in_code(head, opening, pairs="<>") if opening >= 0 else -1
    if closing < 0:
        return ()

    parameters = split_template_arguments(head[opening + 1 : closing])
    matches = [_PARAMETER.fullmatch(parameter.strip()) for parameter in parameters]
    names = [matched[1] for matched in matches if matched is not None]

    return names if len(names) == len(parameters) else ()


def _iter_known_arguments(
    kernel: Kernel, code: HostCode, instantiation: Instantiation
) -> Iterator[tuple[str, str]]:
    """Yield names of the launcher's parameters, as it passes them on, with what they stand for."""
    parameters = [parameter.name for parameter in kernel.template_parameters]
    yield from zip(parameters, instantiation.arguments, strict=False)

    for launch in kernel.launches:
        if launch.enclosing.rpartition("::")[2] != code.name.rpartition("::")[2]:
            continue

        text = launch.callee.partition("<")[2].rpartition(">")[0]
        passed = split_template_arguments(text) if text else []
        yield from zip(passed, instantiation.arguments, strict=False)
