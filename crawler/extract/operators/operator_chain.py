"""Trace operators from their Python name through binding, dispatcher and launcher to kernels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler.extract.operators.call_graph import CallGraph, CallStep
from crawler.extract.operators.cpu_code import is_cpu_step
from crawler.extract.operators.file_outline import PythonBinding
from crawler.extract.operators.gradient_names import pair_operators
from crawler.extract.operators.outline import outline_file
from crawler.extract.operators.project_files import iter_texts, list_code_files
from crawler.extract.operators.python_code.python_callers import (
    PythonCaller,
    choose_documentation,
    find_python_callers,
    pair_gradients,
)
from crawler.model import Kernel, Operator, OperatorPart, OperatorRole, Span

_MAX_OPERATORS: Final = 8
"""Operators of a kernel; those with the shortest way to it are kept."""
_MAX_COMPANIONS: Final = 12
"""Functions for the CPU, and kernels of the gradient, that an operator lists."""
_Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _NativeOperator:
    """An operator as far as C++ shows it."""

    name: str
    bindings: tuple[PythonBinding, ...]
    step_by_kernel: Mapping[_Place, CallStep]
    """Where each kernel that it reaches is defined, and the step that launches it."""
    cpu_steps: tuple[CallStep, ...]


@dataclass(frozen=True, slots=True)
class _RankedOperator:
    """An operator of a kernel, with the length of its way there."""

    step_count: int
    operator: Operator


def attach_operators(root: Path, kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    """Return kernels with the operators that reach them.

    They are told by the text of a tree's C++ and Python files.
    """
    launching_files = {
        launch.span.path for kernel in kernels for launch in kernel.launches
    }
    # the call graph over the whole tree, also over what no device unit reads
    files = list_code_files(root, launching_files)
    call_graph = CallGraph(
        outline_file(path, text) for path, text in iter_texts(root, files.native)
    )

    kernels_by_launcher = _map_launchers(call_graph, kernels)
    # from names bound in C++ to kernels
    native_operators = _find_native_operators(call_graph, kernels_by_launcher)
    operator_by_name = {operator.name: operator for operator in native_operators}
    # from Python to those names
    callers_by_name = find_python_callers(root, files.python, operator_by_name.keys())
    documentation_by_name = choose_documentation(callers_by_name)
    twin_names = pair_operators(
        operator_by_name.keys(), pair_gradients(callers_by_name)
    )

    kernel_by_place = {_place(kernel): kernel for kernel in kernels}
    operators_by_place: dict[_Place, list[_RankedOperator]] = defaultdict(list)

    for native_operator in native_operators:
        name = native_operator.name
        twin = operator_by_name.get(twin_names.get(name, ""))
        gradient_parts = _list_gradient_parts(twin, kernel_by_place) if twin else []

        for place, step in native_operator.step_by_kernel.items():
            parts = [
                *_list_caller_parts(name, callers_by_name.get(name, ())),
                *_iter_native_parts(native_operator, kernel_by_place[place], step),
                *gradient_parts,
            ]
            documentation = documentation_by_name.get(name)
            operator = Operator(
                name=name,
                parts=tuple(parts),
                twin=twin.name if twin else "",
                documented_name=documentation.name if documentation else "",
                documentation=documentation.text if documentation else "",
            )
            step_count = len(step.trace_steps())
            operators_by_place[place].append(_RankedOperator(step_count, operator))

    return tuple(
        replace(kernel, operators=_select_nearest(operators_by_place[_place(kernel)]))
        for kernel in kernels
    )


def _select_nearest(candidates: Iterable[_RankedOperator]) -> tuple[Operator, ...]:
    ranked = sorted(
        candidates,
        key=lambda candidate: (candidate.step_count, candidate.operator.name),
    )
    return tuple(candidate.operator for candidate in ranked[:_MAX_OPERATORS])


def _place(kernel: Kernel) -> _Place:
    return kernel.span.path, kernel.span.offset


def _map_launchers(
    call_graph: CallGraph, kernels: Iterable[Kernel]
) -> dict[Span, list[Kernel]]:
    """Return which kernels each function launches."""
    kernels_by_launcher: dict[Span, list[Kernel]] = defaultdict(list)
    for kernel in kernels:
        launcher_spans: set[Span] = set()
        for launch in kernel.launches:
            function = call_graph.find_enclosing_function(launch.span)
            if function is not None:
                launcher_spans.add(function.span)

        # a function that launches a kernel twice is its launcher once
        for span in launcher_spans:
            kernels_by_launcher[span].append(kernel)

    return kernels_by_launcher


def _find_native_operators(
    call_graph: CallGraph, kernels_by_launcher: Mapping[Span, Sequence[Kernel]]
) -> list[_NativeOperator]:
    """Return the bound names that reach a kernel, in order of their names."""
    bindings_by_name: dict[str, list[PythonBinding]] = defaultdict(list)
    for outline in call_graph.outlines.values():
        for binding in outline.python_bindings:
            # `torch_ns::add` is bound in a library
            name = binding.name.rpartition("::")[2]
            bindings_by_name[name].append(binding)

    operators: list[_NativeOperator] = []
    for name, bindings in sorted(bindings_by_name.items()):
        bound_steps = _list_bound_steps(call_graph, bindings)
        steps = call_graph.find_reachable_from(bound_steps)

        step_by_kernel: dict[_Place, CallStep] = {}

        for step in steps:
            for kernel in kernels_by_launcher.get(step.function.span, ()):
                # steps come by length: the first one is the shortest way
                step_by_kernel.setdefault(_place(kernel), step)

        if not step_by_kernel:
            continue

        cpu_steps = _find_cpu_steps(steps, step_by_kernel.values())
        operators.append(
            _NativeOperator(
                name=name,
                bindings=tuple(bindings),
                step_by_kernel=step_by_kernel,
                cpu_steps=tuple(cpu_steps[:_MAX_COMPANIONS]),
            )
        )

    return operators


def _list_bound_steps(
    call_graph: CallGraph, bindings: Iterable[PythonBinding]
) -> list[CallStep]:
    """Return the functions that bindings lead to, with the device that each is bound for."""
    steps: list[CallStep] = []
    for binding in bindings:
        key = binding.dispatch_key
        evidence = f"registered: {key}" if key else "bound"
        for function in call_graph.resolve_binding(binding):
            steps.append(CallStep(function, evidence))

    return steps


def _find_cpu_steps(
    steps: Iterable[CallStep], launching_steps: Iterable[CallStep]
) -> list[CallStep]:
    """Return the steps that compute on the CPU and lead to no kernel."""
    spans_on_way = {
        step.function.span
        for launching_step in launching_steps
        for step in launching_step.trace_steps()
    }
    return [
        step
        for step in steps
        if step.function.span not in spans_on_way and is_cpu_step(step)
    ]


def _list_caller_parts(
    operator_name: str, callers: Iterable[PythonCaller]
) -> list[OperatorPart]:
    return [
        OperatorPart(
            role=OperatorRole.PYTHON,
            name=caller.name,
            span=caller.span,
            evidence=f"calls {operator_name}",
        )
        for caller in callers
    ]


def _iter_native_parts(
    operator: _NativeOperator, kernel: Kernel, launching_step: CallStep
) -> Iterator[OperatorPart]:
    """Yield the parts of an operator from its bindings to a kernel, and those for the CPU."""
    for binding in operator.bindings:
        yield OperatorPart(
            role=OperatorRole.BINDING,
            name=binding.name,
            span=binding.span,
            evidence=f"bound by {binding.verb}",
        )

    # the first function is what is bound, the last one launches
    *dispatching_steps, launcher = launching_step.trace_steps()
    for step in dispatching_steps:
        yield _make_step_part(OperatorRole.DISPATCHER, step)

    yield _make_step_part(OperatorRole.LAUNCHER, launcher)
    yield OperatorPart(
        role=OperatorRole.KERNEL,
        name=kernel.qualified_name,
        span=kernel.span,
        evidence="launched",
    )

    for step in operator.cpu_steps:
        yield _make_step_part(OperatorRole.CPU, step)


def _make_step_part(role: OperatorRole, step: CallStep) -> OperatorPart:
    return OperatorPart(
        role=role,
        name=step.function.name,
        span=step.function.span,
        evidence=step.evidence,
    )


def _list_gradient_parts(
    twin: _NativeOperator, kernel_by_place: Mapping[_Place, Kernel]
) -> list[OperatorPart]:
    """Return the kernels of an operator's gradient, or of what it is the gradient of."""
    parts: list[OperatorPart] = []
    for place in sorted(twin.step_by_kernel)[:_MAX_COMPANIONS]:
        kernel = kernel_by_place[place]
        parts.append(
            OperatorPart(
                role=OperatorRole.TWIN,
                name=kernel.qualified_name,
                span=kernel.span,
                evidence=f"launched by {twin.name}",
            )
        )

    return parts
