"""Trace operators from their Python name through binding, dispatcher and launcher to kernels."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler.extract.operators.call_graph import CallGraph, CallStep
from crawler.extract.operators.outline import PythonBinding, outline_file
from crawler.extract.operators.python_callers import (
    PythonCaller,
    find_python_callers,
    pair_gradients,
)
from crawler.model import Kernel, Operator, OperatorPart, OperatorRole, Span

_SOURCES: Final = (".cu", ".hip", ".cpp", ".cc", ".cxx", ".c", ".mm")
_HEADERS: Final = (".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".inc", ".ipp", ".tpp")
_MOST_TEXT: Final = 32 << 20
_LARGEST: Final = 2 << 20
_MOST_OPERATORS: Final = 8
_MOST_COMPANY: Final = 12
_CPU: Final = re.compile(
    r"(?:^|[_/.\W])k?cpu(?:$|[_/.\W])|[a-z]C[Pp][Uu](?:$|[A-Z_])|(?:^|_)CPU(?:$|[_A-Z])",
    re.MULTILINE,
)
_CPU_FOLDER: Final = re.compile(r"(?i)(?:^|[/_.-])cpu(?:[/_.-])")
_GRADIENTS: Final = (
    ("forward", "backward"),
    ("Forward", "Backward"),
    ("fwd", "bwd"),
    ("Fwd", "Bwd"),
)
_ENDS: Final = ("_backward", "_bwd", "_grad", "_back", "Backward", "Grad")
_Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Found:
    """An operator as far as C++ shows it."""

    name: str
    bound: tuple[PythonBinding, ...]
    kernels: Mapping[_Place, CallStep]
    """Where each kernel that it reaches is defined, and the step that launches it."""
    on_cpu: tuple[CallStep, ...]


def attach_operators(root: Path, kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    """Return kernels with the operators that reach them, by what the text of a tree's C++ and
    Python files says.
    """
    files, python = _files(
        root, {launch.span.path for kernel in kernels for launch in kernel.launches}
    )
    calls = CallGraph(outline_file(path, text) for path, text in _texts(root, files))
    found = _operators(calls, _launched(calls, kernels))
    by_name = {each.name: each for each in found}
    called = find_python_callers(root, python, by_name.keys())
    paired = _twins(by_name.keys(), pair_gradients(called))
    known = {_place(kernel): kernel for kernel in kernels}
    operators: dict[_Place, list[tuple[int, str, Operator]]] = defaultdict(list)
    for each in found:
        twin = by_name.get(paired.get(each.name, ""))
        for place, step in each.kernels.items():
            operator = _operator(
                each,
                known[place],
                step,
                called.get(each.name, ()),
                _gradient(twin, known),
            )
            operators[place].append(
                (
                    len(step.trace_steps()),
                    each.name,
                    replace(operator, twin=twin.name if twin else ""),
                )
            )
    return tuple(
        replace(
            kernel,
            operators=tuple(
                one
                for _, _, one in sorted(operators[_place(kernel)], key=_near)[
                    :_MOST_OPERATORS
                ]
            ),
        )
        for kernel in kernels
    )


def _near(one: tuple[int, str, Operator]) -> tuple[int, str]:
    return one[:2]


def _place(kernel: Kernel) -> _Place:
    return kernel.span.path, kernel.span.offset


def _files(root: Path, launching: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the C++ files, those with launches and then sources first, and the Python files of
    a tree.
    """
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [
            Path(folder, name).relative_to(root).as_posix() for name in sorted(names)
        ]
    rank = {
        path: (path not in launching, not path.endswith(_SOURCES)) for path in found
    }
    native = [path for path in found if path.lower().endswith(_SOURCES + _HEADERS)]
    return sorted(native, key=lambda path: (rank[path], path)), [
        path for path in found if path.endswith(".py")
    ]


def _texts(root: Path, files: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the files as text, a character a byte, until it is too much."""
    room = _MOST_TEXT
    for path in files:
        file = root / path
        if file.is_symlink() or not file.is_file() or file.stat().st_size > _LARGEST:
            continue
        text = file.read_bytes().decode("latin-1")
        room -= len(text)
        if room < 0:
            return
        yield path, text


def _launched(calls: CallGraph, kernels: Iterable[Kernel]) -> dict[Span, list[Kernel]]:
    """Return which kernels each function launches."""
    found: dict[Span, list[Kernel]] = defaultdict(list)
    for kernel in kernels:
        functions = {
            function.span
            for launch in kernel.launches
            if (function := calls.find_enclosing_function(launch.span))
        }
        for span in functions:
            found[span].append(kernel)
    return found


def _operators(
    calls: CallGraph, launched: Mapping[Span, Sequence[Kernel]]
) -> list[_Found]:
    named: dict[str, list[PythonBinding]] = defaultdict(list)
    for each in calls.outlines.values():
        for bound in each.python_bindings:
            named[bound.name.rpartition("::")[2]].append(bound)
    found = []
    for name, bindings in sorted(named.items()):
        starts = [
            (function, bound)
            for bound in bindings
            for function in calls.resolve_binding(bound)
        ]
        steps = calls.find_reachable([function for function, _ in starts], "bound")
        reached: dict[_Place, CallStep] = {}
        for step in steps:
            for kernel in launched.get(step.function.span, ()):
                reached.setdefault(_place(kernel), step)
        if reached:
            on_way = {
                way.function.span
                for step in reached.values()
                for way in step.trace_steps()
            }
            on_cpu = tuple(
                step
                for step in steps
                if step.function.span not in on_way and _on_cpu(step)
            )
            found.append(_Found(name, tuple(bindings), reached, on_cpu[:_MOST_COMPANY]))
    return found


def _on_cpu(step: CallStep) -> bool:
    """Tell whether a function computes on the CPU: it is registered or named so, or such a one
    of its file calls it.
    """
    function = step.function
    if step.evidence.startswith("registered:"):
        return bool(_CPU.search(step.evidence)) or bool(_CPU.search(function.name))
    if _CPU.search(function.name) or _CPU_FOLDER.search(function.span.path):
        return True
    return (
        step.previous_step is not None
        and step.previous_step.function.span.path == function.span.path
        and _on_cpu(step.previous_step)
    )


def _twins(names: Collection[str], shown: Mapping[str, str]) -> dict[str, str]:
    """Return each operator's gradient, and the reverse: as Python classes pair them, else by
    their names.
    """
    paired = {
        name: twin for name, twin in shown.items() if name in names and twin in names
    }
    for name in sorted(names):
        for candidate in _gradients(name):
            if candidate in names and name not in paired and candidate not in paired:
                paired[name], paired[candidate] = candidate, name
    return paired


def _gradients(name: str) -> Iterator[str]:
    for forward, backward in _GRADIENTS:
        if forward in name:
            yield name.replace(forward, backward)
    yield from (name + end for end in _ENDS)
    yield from (
        name.removesuffix(end) + other
        for end in ("_forward", "_fwd")
        if name.endswith(end)
        for other in _ENDS
    )


def _gradient(
    twin: _Found | None, known: Mapping[_Place, Kernel]
) -> Iterator[OperatorPart]:
    for place in sorted(twin.kernels if twin else ())[:_MOST_COMPANY]:
        kernel = known[place]
        yield OperatorPart(
            role=OperatorRole.TWIN,
            name=kernel.qualified_name,
            span=kernel.span,
            evidence=f"launched by {twin.name}" if twin else "",
        )


def _operator(
    found: _Found,
    kernel: Kernel,
    step: CallStep,
    python: Iterable[PythonCaller],
    gradient: Iterable[OperatorPart],
) -> Operator:
    *outer, launcher = step.trace_steps()
    parts = [
        *(
            _part(OperatorRole.PYTHON, each.name, each.span, f"calls {found.name}")
            for each in python
        ),
        *(
            _part(OperatorRole.BINDING, each.name, each.span, f"bound by {each.verb}")
            for each in found.bound
        ),
        *(_of(OperatorRole.DISPATCHER, each) for each in outer),
        _of(OperatorRole.LAUNCHER, launcher),
        _part(OperatorRole.KERNEL, kernel.qualified_name, kernel.span, "launched"),
        *(_of(OperatorRole.CPU, each) for each in found.on_cpu),
        *gradient,
    ]
    return Operator(name=found.name, parts=tuple(parts))


def _of(role: OperatorRole, step: CallStep) -> OperatorPart:
    return _part(role, step.function.name, step.function.span, step.evidence)


def _part(role: OperatorRole, name: str, span: Span, evidence: str) -> OperatorPart:
    return OperatorPart(role=role, name=name, span=span, evidence=evidence)
