"""Steps of a validation on the CPU, and the seconds of the processor that each of them takes."""

from __future__ import annotations

import functools
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from types import ModuleType
from typing import Any, Final

from crawler import sandbox
from crawler.validate.behaviour import double_precision, variants
from crawler.validate.cpu import entry_validation
from crawler.validate.cpu.cases import case_runs, local_variables, subject_search
from crawler.validate.cpu.launcher_checks import launcher_check
from crawler.validate.emulator import compile_program, program
from crawler.validate.emulator.program import BuildOptions
from crawler.validate.inputs.trials import trial

_PHASES: Final[tuple[tuple[str, ModuleType, str], ...]] = (
    ("ordinary case", entry_validation, "find_ordinary_case"),
    ("launcher check", entry_validation, "check_against_launcher"),
    ("precondition", entry_validation, "find_precondition"),
    ("faults and locals", entry_validation, "has_untraced_fault"),
    ("faults and locals", entry_validation, "reads_uninitialised_locals"),
    ("faults and locals", case_runs, "has_untraced_fault"),
    ("drafts", case_runs, "draft_cases"),
    ("further cases", case_runs, "draw_further_cases"),
    ("variants", case_runs, "run_variants"),
)
"""What a validation does in turn: the modules that call it, and by which name."""
_BUILDERS: Final = (entry_validation, variants, local_variables, double_precision)
_RUNNERS: Final = (
    trial,
    subject_search,
    variants,
    local_variables,
    double_precision,
    launcher_check,
)


@dataclass(slots=True, kw_only=True)
class StepCost:
    """What a step took, what it calls of other steps left out."""

    seconds: float = 0.0
    """Of the processor, in all processes."""
    own_seconds: float = 0.0
    """Of them, in this process."""
    calls: int = 0
    launches: int = 0
    sandboxes: int = 0
    """Processes that it started in the sandbox."""


class StepMeter:
    """Adds up costs by (phase, work), as a clock of the processor tells them."""

    def __init__(self, read_seconds: Callable[[], float]) -> None:
        self.costs: dict[tuple[str, str], StepCost] = defaultdict(StepCost)
        self._read_seconds = read_seconds
        self._steps: list[tuple[str, str]] = []
        self._since = (0.0, 0.0)

    @contextmanager
    def enter(self, phase: str, work: str) -> Iterator[StepCost]:
        """Charge what runs inside to a step; an empty phase is that of the step around it."""
        self._charge()
        outer_phase = self._steps[-1][0] if self._steps else ""
        step = (phase or outer_phase, work)
        self._steps.append(step)
        cost = self.costs[step]
        cost.calls += 1

        try:
            yield cost
        finally:
            self._charge()
            self._steps.pop()

    def count_sandbox(self) -> None:
        """Count a process that the present step starts."""
        if self._steps:
            self.costs[self._steps[-1]].sandboxes += 1

    def _charge(self) -> None:
        """Charge the present step with what was used since the last look."""
        now = (self._read_seconds(), time.process_time())
        if self._steps:
            cost = self.costs[self._steps[-1]]
            cost.seconds += now[0] - self._since[0]
            cost.own_seconds += now[1] - self._since[1]

        self._since = now


@contextmanager
def measure_steps(meter: StepMeter) -> Iterator[None]:
    """Let validations of this process tell `meter` what they are at."""
    with ExitStack() as patches:
        for phase, module, name in _PHASES:
            patches.enter_context(
                _wrap_function(module, name, functools.partial(_in_phase, meter, phase))
            )
        for module in _BUILDERS:
            wrap = functools.partial(_around_build, meter)
            patches.enter_context(_wrap_function(module, "build_cpu_program", wrap))
        for module in _RUNNERS:
            wrap = functools.partial(_around_run, meter)
            patches.enter_context(_wrap_function(module, "run_launches", wrap))

        for module, name in (
            (compile_program, "precompile_prelude"),
            (program, "build_runtime_object"),
        ):
            wrap = functools.partial(_in_work, meter, "preludes")
            patches.enter_context(_wrap_function(module, name, wrap))

        wrap = functools.partial(_around_sandbox, meter)
        patches.enter_context(_wrap_function(sandbox, "run", wrap))
        yield


def describe_options(options: BuildOptions | None) -> str:
    """Return the name of a kind of program: what its options ask for, `plain` for nothing."""
    chosen = options or BuildOptions()
    words = [
        field.name
        for field in fields(BuildOptions)
        if getattr(chosen, field.name) and field.name != "fast_build"
    ]
    return "+".join(words) or "plain"


@contextmanager
def _wrap_function(
    module: ModuleType, name: str, wrap: Callable[[Any], Any]
) -> Iterator[None]:
    original = getattr(module, name)
    setattr(module, name, wrap(original))
    try:
        yield
    finally:
        setattr(module, name, original)


def _in_phase(meter: StepMeter, phase: str, function: Any) -> Any:
    def call(*arguments: Any, **options: Any) -> Any:
        with meter.enter(phase, "python"):
            return function(*arguments, **options)

    return call


def _in_work(meter: StepMeter, work: str, function: Any) -> Any:
    return _in_phase_of(meter, lambda *_, **__: work, function)


def _around_build(meter: StepMeter, function: Any) -> Any:
    def name_work(_unit: Any, options: Any = None, **_: Any) -> str:
        return f"compile {describe_options(options)}"

    return _in_phase_of(meter, name_work, function)


def _in_phase_of(meter: StepMeter, name_work: Any, function: Any) -> Any:
    def call(*arguments: Any, **options: Any) -> Any:
        with meter.enter("", name_work(*arguments, **options)):
            return function(*arguments, **options)

    return call


def _around_run(meter: StepMeter, function: Any) -> Any:
    def call(program: Any, launches: Any, **options: Any) -> Any:
        work = f"run {describe_options(program.options)}"
        with meter.enter("", work) as cost:
            cost.launches += len(launches)
            return function(program, launches, **options)

    return call


def _around_sandbox(meter: StepMeter, function: Any) -> Any:
    def call(*arguments: Any, **options: Any) -> Any:
        meter.count_sandbox()
        return function(*arguments, **options)

    return call
