"""Command `judge`: hold candidates, such as models' answers, against the cases of kernels."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE, FAILED, NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.request_record import record_request
from workers.cli.terminal import (
    escape_line,
    format_table,
    print_json,
    print_line,
    print_note,
)

if TYPE_CHECKING:
    from crawler.judging.judge_program import JudgeOptions
    from crawler.judging.pass_rates import PassRates
    from workers.judging.judge_candidates import CandidateJudging, TaskFinder
    from workers.judging.queued_judging import QueuedJudging

    Judging = CandidateJudging | QueuedJudging

CandidatesArgument = Annotated[
    Path,
    typer.Argument(
        help="A file of JSON lines with `task_id` and `completion` (or `files`, as "
        "ComputeEval's solutions have), or a folder of sources named by their tasks."
    ),
]
TestsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Judge by the tests of this folder (of `validate --tests`, or `tests` of a "
        "tree at the depth `full`), whose names are the tasks', not by the index.",
    ),
]
ResultsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Where a line a candidate is appended (default: CANDIDATES.judged.jsonl); "
        "what it has is not judged again.",
    ),
]
DeviceOption = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="DEVICE",
        help="What candidates run on: cpu, or a GPU such as cuda or rocm:gfx942.",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(min=0, help="Draw the fresh inputs of an earlier judgement again."),
]
SecondsOption = Annotated[
    int,
    typer.Option(min=1, max=3600, help="Of the processor, that one case may take."),
]
PassAtOption = Annotated[
    str, typer.Option("--pass-at", metavar="LIST", help="Print pass@k for these.")
]
WorkersOption = Annotated[
    int | None,
    typer.Option(min=1, help="Judges at a time (default: one a core)."),
]
QueuedOption = Annotated[
    bool,
    typer.Option(
        "--queued",
        help="Have the workers of the cluster judge, by the index.",
    ),
]

StepsOption = Annotated[
    bool,
    typer.Option(
        "--steps",
        help="Count the steps of right candidates beside those of the reference, on the "
        "CPU's model: for `pass_perf` and fast_p. Each is compiled once more.",
    ),
]
TargetsOption = Annotated[
    str,
    typer.Option(
        "--targets",
        metavar="LIST",
        help="What candidates have to compile for, too: gfx90a,sm_80; those of their language.",
    ),
]
TimesOption = Annotated[
    bool,
    typer.Option(
        "--times",
        help="Time right candidates on the GPU beside the reference: for `pass_perf` and fast_p.",
    ),
]


def judge(
    context: typer.Context,
    candidates: CandidatesArgument,
    tests: TestsOption = None,
    results: ResultsOption = None,
    device: DeviceOption = "cpu",
    seed: SeedOption = None,
    seconds: SecondsOption = 60,
    ks: PassAtOption = "1,10,100",
    workers: WorkersOption = None,
    steps: StepsOption = False,
    times: TimesOption = False,
    targets: TargetsOption = "",
    queued: QueuedOption = False,
    as_json: JsonOption = False,
) -> int:
    """Judge sources for kernels, such as the answers of models.

    Each is compiled and run on all cases of its task, on those that no export shows, and on
    inputs that are drawn now, in a box where it sees neither. The results have a line each, with
    messages that one can hand back to the model; what is printed are the shares that compile and
    that are right, and pass@k. Interrupted, the same command goes on where it was.
    """
    from crawler.judging.candidate_files import read_candidates
    from crawler.judging.judge_program import JudgeOptions
    from crawler.judging.pass_rates import count_pass_rates
    from workers.evaluation.feedback import summarise_judgement
    from workers.judging.judgement_file import open_judgement_file

    parsed_ks = _parse_ks(ks)
    options = JudgeOptions(
        device=device,
        seed=seed,
        case_seconds=seconds,
        counts_steps=steps,
        takes_times=times,
        targets=tuple(filter(None, targets.split(","))),
    )
    _check_options(options, tests, is_queued=queued)
    results = results or candidates.with_name(candidates.name + ".judged.jsonl")
    count, has_unjudged = 0, False

    if queued:
        opened: AbstractContextManager[Judging] = _open_queued(context, options)
    else:
        opened = _open_local(context, tests, options, workers)
    with opened as judging, open_judgement_file(results) as file:
        for judgement in judging.judge(read_candidates(candidates), file):
            count += 1
            has_unjudged |= bool(judgement.code)
            print_note(escape_line(f"{count}: {summarise_judgement(judgement)}"))

        judgements = file.judgements
        rates = count_pass_rates(judgements, parsed_ks)

    _print_rates(rates, parsed_ks, as_json=as_json)
    if not judgements and not count:
        return NOTHING
    has_unjudged |= any(judgement.code for judgement in judgements)
    return FAILED if has_unjudged else DONE


@contextmanager
def _open_local(
    context: typer.Context,
    tests: Path | None,
    options: JudgeOptions,
    workers: int | None,
) -> Iterator[CandidateJudging]:
    from crawler.judging.judging_device import resolve_device
    from workers.judging.judge_candidates import CandidateJudging

    options = replace(options, device=resolve_device(options.device))
    with _open_task_finder(context, tests) as find_task:
        yield CandidateJudging(
            find_task, options, workers=workers or len(os.sched_getaffinity(0))
        )


@contextmanager
def _open_queued(
    context: typer.Context, options: JudgeOptions
) -> Iterator[QueuedJudging]:
    from storage.ledger.interface import Stage
    from workers.cluster.crawl_control import is_served, require_broker
    from workers.config.configured_storage import open_configured_storage
    from workers.config.requester import choose_requester
    from workers.judging.queued_judging import QueuedJudging
    from workers.tasks.queues import queue_of

    settings = context_settings(context)
    require_broker(settings)
    with open_configured_storage(settings) as storage:
        gpu = "" if options.is_on_cpu else options.device
        queue = queue_of(Stage.JUDGE, gpu)
        if not is_served(queue, settings, storage):
            print_note(
                f"no worker serves the queue `{queue}` yet: start `kernelset worker`"
            )
        record_request(context, settings, storage)
        account = f"judge:{choose_requester(settings)}"
        judging = QueuedJudging(storage, options, account=account)
        yield judging
        for failed in judging.failed_judgings:
            print_note(
                f"{failed} ended without some judgements: see `kernelset failures {failed}`"
            )


def _check_options(
    options: JudgeOptions, tests: Path | None, *, is_queued: bool
) -> None:
    from crawler.errors import Misconfigured
    from crawler.judging.judging_device import check_device_name, require_arch
    from workers.local.crawl import check_targets

    check_device_name(options.device)
    if options.targets:
        check_targets(options.targets)
    options.require_measurable()
    problem = ""
    if tests is not None and (options.takes_times or options.targets):
        problem = (
            "--times and --targets need the kernels of the index: leave out --tests"
        )
    if is_queued and (tests or options.seed is not None):
        problem = (
            "--queued judges by the index and with fresh seeds: leave out --tests and "
            "--seed"
        )
    if problem:
        raise Misconfigured(problem, code="bad-options")
    if is_queued:
        require_arch(options.device)


@contextmanager
def _open_task_finder(
    context: typer.Context, tests: Path | None
) -> Iterator[TaskFinder]:
    from workers.config.configured_storage import open_configured_storage
    from workers.judging.task_finders import FolderTasks, StoredTasks

    if tests is not None:
        yield FolderTasks(tests).find
        return
    with open_configured_storage(context_settings(context)) as storage:
        yield StoredTasks(storage).find


def _parse_ks(text: str) -> list[int]:
    from crawler.errors import Misconfigured

    try:
        ks = sorted({int(word) for word in text.split(",") if word.strip()})
    except ValueError:
        ks = []
    if not ks or ks[0] < 1:
        raise Misconfigured(
            f"--pass-at {escape_line(text)}: give whole numbers from 1, as in --pass-at 1,10",
            code="bad-k",
        )
    return ks


def _print_rates(rates: list[PassRates], ks: list[int], *, as_json: bool) -> None:
    from crawler.codec import to_builtins
    from crawler.judging.pass_rates import FAST_FACTORS

    if as_json:
        for group in rates:
            print_json(to_builtins(group))
        return

    heads = ["group", "tasks", "candidates", "compile", "right", "refused"]
    factors = FAST_FACTORS if any(group.fast_at for group in rates) else ()
    names = [*(f"pass@{k}" for k in ks), *(f"fast_{p}" for p in factors)]
    rows: list[list[object]] = [[*heads, *names]]
    for group in rates:
        shares = [f"{group.pass_at[k]:.3f}" if k in group.pass_at else "" for k in ks]
        fast = group.fast_at
        shares += [f"{fast[p]:.3f}" if p in fast else "" for p in factors]
        counts = [group.tasks, group.candidates, group.pass_call, group.pass_exe]
        rows.append([escape_line(group.group), *counts, group.refused, *shares])
    for line in format_table(rows):
        print_line(line)
