"""The judge of exported tests as a program that judges many candidates of one task."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from crawler import cache, process
from crawler.errors import Misconfigured, MissingTool
from crawler.judging.judgement import CaseJudgement
from crawler.judging.judging_device import find_backend
from crawler.judging.judging_task import JudgingTask, write_task
from crawler.process_limits import Limits
from crawler.toolchains import discovery
from crawler.toolchains.discovery import Clang
from crawler.validate.cpu.result import CPU_DEVICE
from crawler.validate.harness.judged_test import JUDGE_FOLDER, collect_judge_sources

_PROGRAM: Final = "judge.out"
_UNFIT: Final = 2
"""What the judge ends with where nothing could be judged."""
_KNOWN_INPUTS: Final = "only-known-inputs"
_OUTSIDE_PROTOCOL: Final = "outside-protocol"
_PROTOCOL_MESSAGES: Final = (
    "more came out than its buffers",
    "less came out than its buffers",
)
_QUOTE: Final = "  | "
"""What the judge puts in front of lines that are not its own."""
_COMPILE_SECONDS: Final = 600.0
_MAX_REPORT_BYTES: Final = 4 << 20
"""Of one candidate: the judge bounds the words of each case."""


class _Case(msgspec.Struct):
    name: str
    message: str
    is_shown_right: bool


class _Report(msgspec.Struct):
    problem: str
    cases: tuple[_Case, ...]
    fresh_inputs: int
    seed: int
    compile_seconds: float
    run_seconds: float
    steps: int
    reference_steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the judge says of one source."""

    call_problem: str
    """Why it cannot be started; empty where it can."""
    cases: tuple[CaseJudgement, ...]
    refusal: str
    fresh_inputs: int
    seed: int
    compile_seconds: float
    run_seconds: float
    steps: int = -1
    """Of a right source, by all cases; -1 where nobody counted."""
    reference_steps: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """How candidates are run."""

    device: str = CPU_DEVICE
    """`cpu`, or a GPU of this machine: `cuda:sm_90`, `rocm:gfx942`."""
    seed: int | None = None
    """What fresh inputs are drawn from; another number for each task where it is not given."""
    case_seconds: int = 60
    """Of the processor, that a candidate may take for a case."""
    counts_steps: bool = False
    """Whether steps of right candidates are counted, for which each is compiled once more."""
    takes_times: bool = False
    """Whether right candidates are timed on the GPU, for which each is compiled once more."""
    targets: tuple[str, ...] = ()
    """What candidates have to compile for beside what they run on: those of their language."""

    @property
    def is_on_cpu(self) -> bool:
        """Whether candidates run on this machine's CPU."""
        return self.device == CPU_DEVICE

    def require_measurable(self) -> None:
        """Raise `Misconfigured` where nothing of what is asked for can be measured."""
        if self.counts_steps and not self.is_on_cpu:
            raise Misconfigured(
                "steps are counted on the CPU's model: for a GPU ask for times",
                code="bad-options",
            )
        if self.takes_times and self.is_on_cpu:
            raise Misconfigured(
                "a CPU's times say nothing of a GPU's: name a GPU as the device, or ask for "
                "steps",
                code="bad-options",
            )


def build_judge() -> Path:
    """Return the path of the compiled judge, which this machine keeps for later.

    Ask before every use. Raises `MissingTool` without a compiler, `Misconfigured` where it
    does not compile.
    """
    clang = discovery.find_clang()
    if clang is None:
        raise MissingTool("there is no clang: run `deploy/bootstrap`")

    sources = collect_judge_sources()
    state = hashlib.sha256(repr(clang).encode())
    for name, content in sorted(sources.items()):
        state.update(f"{name} {len(content)} ".encode())
        state.update(content)

    def build(folder: Path) -> bool:
        _compile_judge(clang, sources, folder)
        return True

    name = f"judge-{state.hexdigest()[:32]}"
    built = cache.get_or_build(name, build, required_file=_PROGRAM)
    if built is None:
        raise Misconfigured(
            f"the judge was built and is gone from {cache.ensure_cache_folder()}: "
            "look who empties that folder, then judge again",
            code="no-judge",
        )
    return built / _PROGRAM


def _compile_judge(clang: Clang, sources: Mapping[str, bytes], folder: Path) -> None:
    for name, content in sources.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    source = folder / JUDGE_FOLDER / "judge.cpp"
    program = str(folder / _PROGRAM)
    ended = process.run(
        [str(clang.path), "-std=gnu++17", "-O1", str(source), "-o", program],
        cwd=folder,
        limits=Limits(seconds=_COMPILE_SECONDS),
    )
    if ended.exit_code:
        raise Misconfigured(
            f"the judge does not compile with {clang.path}: {ended.text[:2000]}: "
            "install clang-19 and its C++ library (`deploy/bootstrap`)",
            code="no-judge",
        )


def judge_sources(
    judge: Path,
    task: JudgingTask,
    sources: Sequence[str],
    folder: Path,
    options: JudgeOptions,
) -> list[Outcome]:
    """Judge sources of one task, in their order, in the new folder `folder`.

    The list is shorter than `sources` where the judge ended before its end: what it had said
    until then holds. Raises `Misconfigured` where it can judge nothing here.
    """
    tests = folder / "tests"
    write_task(task, tests)
    words = [str(judge), str(tests), task.test, "--format", "json"]
    words += ["--backend", find_backend(options.device)]
    words += ["--seconds", str(options.case_seconds)]
    if options.is_on_cpu:
        clang = discovery.find_clang()
        words += ["--compiler", str(clang.path) if clang else ""]
        words += ["--steps", "yes" if options.counts_steps else "no"]
    if options.seed is not None:
        words += ["--seed", str(options.seed)]

    for number, source in enumerate(sources):
        candidate_folder = folder / f"candidate_{number}"
        candidate_folder.mkdir()
        content = source.encode("utf-8", "surrogateescape")
        (candidate_folder / task.candidate_file).write_bytes(content)
        words += ["--candidates", str(candidate_folder)]

    ended = process.run(
        words,
        cwd=folder,
        limits=Limits(seconds=_bound_seconds(task, len(sources), options)),
        keep=_MAX_REPORT_BYTES * len(sources),
    )
    if ended.exit_code == _UNFIT:
        message = ended.output.decode("utf-8", "replace").strip()[-2000:]
        raise Misconfigured(f"{task.task_id}: {message}", code="not-judged")

    # whoever is handed a message has no use for where we work
    report = ended.output.replace(f"{folder}/".encode(), b"")
    # the last line has no end where the judge was stopped within it
    whole_lines = report.split(b"\n")[:-1]
    return [_read_outcome(line) for line in whole_lines]


def _bound_seconds(task: JudgingTask, count: int, options: JudgeOptions) -> float:
    """Return what a batch takes at most, by the clock: a case is run with the inputs of the test
    and with drawn ones, by the candidate and by the reference. That runs oftener where something
    differs, and far below its bound each time, as it did when its cases were made.
    """
    cases = task.files[f"{JUDGE_FOLDER}/{task.test}.cases"].count(b"\ncase ") + 1
    runs = 16 * cases
    # to count steps each is compiled once more
    compile_seconds = _COMPILE_SECONDS * (2 if options.counts_steps else 1)
    return compile_seconds * 2 + count * (
        compile_seconds + 2 * options.case_seconds * runs
    )


def _read_outcome(line: bytes) -> Outcome:
    report = msgspec.json.decode(line, type=_Report)
    cases = tuple(
        CaseJudgement(
            name=case.name, passes=not case.message, message=_unquote(case.message)
        )
        for case in report.cases
    )
    return Outcome(
        call_problem=_unquote(report.problem),
        cases=cases,
        refusal=_find_refusal(report.cases),
        fresh_inputs=report.fresh_inputs,
        seed=report.seed,
        compile_seconds=report.compile_seconds,
        run_seconds=report.run_seconds,
        steps=report.steps,
        reference_steps=report.reference_steps,
    )


def _find_refusal(cases: Sequence[_Case]) -> str:
    """Return the code of what no honest kernel does; empty where there is nothing of it."""
    for case in cases:
        if case.message.startswith(_PROTOCOL_MESSAGES):
            return _OUTSIDE_PROTOCOL
    # right wherever the inputs could be known, and wrong where they could not
    is_right_where_shown = all(case.is_shown_right for case in cases)
    if is_right_where_shown and any(case.message for case in cases):
        return _KNOWN_INPUTS
    return ""


def _unquote(text: str) -> str:
    lines = (line.removeprefix(_QUOTE) for line in text.splitlines())
    return "\n".join(lines)
