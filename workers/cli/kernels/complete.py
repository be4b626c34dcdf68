"""Command `complete`: ask a model where rules end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workers.cli.exit_codes import DONE, FAILED, NOTHING
from workers.cli.exports.export_values import add_superseded_term
from workers.cli.kernels.judge import DeviceOption, SecondsOption
from workers.cli.options import ExpressionArgument, JsonOption, context_settings
from workers.cli.request_record import record_request
from workers.cli.terminal import (
    escape_line,
    format_table,
    print_json,
    print_line,
    print_note,
)

if TYPE_CHECKING:
    from crawler.completion.purpose import Purpose, Subject
    from crawler.model import CompletionAttempt
    from storage.open import Storage
    from workers.completion.completion_run import CompletionRun
    from workers.config.settings import Settings

PurposeArgument = Annotated[
    str,
    typer.Argument(
        metavar="PURPOSE", help="What to ask for: repair, describe or types."
    ),
]
TargetsOption = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Offload archs that an answer is to compile for (default: the setting).",
    ),
]
AttemptsOption = Annotated[
    int, typer.Option(min=1, max=100, help="How often one kernel is tried at most.")
]
LimitOption = Annotated[
    int,
    typer.Option(
        min=0, help="How many kernels are looked at, done ones included; 0 for all."
    ),
]
PromptsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Prompts of your own: each `NAME.md` there stands for ours of that name.",
    ),
]
TokensOption = Annotated[
    int | None,
    typer.Option(
        "--tokens", min=0, help="Tokens that this run may spend (default: the setting)."
    ),
]
MoneyOption = Annotated[
    float | None,
    typer.Option(
        "--money", min=0, help="Money that this run may spend (default: the setting)."
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="List what would be asked about; ask nobody.")
]


def complete(
    context: typer.Context,
    purpose: PurposeArgument,
    expression: ExpressionArgument = "",
    targets: TargetsOption = None,
    attempts: AttemptsOption = 3,
    limit: LimitOption = 0,
    prompts: PromptsOption = None,
    device: DeviceOption = "cpu",
    seconds: SecondsOption = 60,
    tokens: TokensOption = None,
    money: MoneyOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Ask a model for repairs, descriptions, missing types or cases.

    Needs an OpenAI-compatible endpoint in the settings, and sends it sources of the matching
    kernels. A repair is compiled and run in a sandbox as any candidate is, a description is read
    by a second model where one is set, and what is wrong goes back to the model. What it wrote is
    kept beside what rules made, never among it. The same command again goes on where it was, and
    asks nothing twice.
    """
    from crawler.completion.prompt_files import load_prompts
    from crawler.judging.judge_program import JudgeOptions
    from crawler.judging.judging_device import resolve_device
    from workers.completion.completion_run import CompletionRun, choose_purpose
    from workers.config.configured_storage import open_configured_storage

    chosen = choose_purpose(escape_line(purpose))
    settings = context_settings(
        context, targets=targets, completion_tokens=tokens, completion_money=money
    )
    options = JudgeOptions(device=resolve_device(device), case_seconds=seconds)
    loaded_prompts = load_prompts(chosen.placeholders, prompts)
    with open_configured_storage(settings) as storage:
        subjects = _find_subjects(chosen, settings, storage, expression, limit)
        if dry_run:
            code = _list_subjects(subjects, as_json=as_json)
        else:
            subject = f"{purpose} {expression}".strip()
            record_request(context, settings, storage, subject=subject)
            run = CompletionRun(
                chosen,
                settings,
                storage.attempts,
                loaded_prompts,
                options,
                attempts=attempts,
            )
            code = _run(run, subjects, as_json=as_json)
    if code == NOTHING:
        print_note(chosen.nothing_found)
    return code


def _find_subjects(
    purpose: Purpose[Any],
    settings: Settings,
    storage: Storage,
    expression: str,
    limit: int,
) -> Iterator[Subject]:
    from crawler.model import Dialect
    from crawler.validate.build import available_targets, require_targets
    from workers.completion.completion_run import find_subjects

    if purpose.needs_targets:
        require_targets(settings.targets)
    available = {target for dialect in Dialect for target in available_targets(dialect)}
    subjects = find_subjects(
        purpose,
        storage,
        add_superseded_term(expression, False),
        available.intersection(settings.targets),
        settings.terms().optouts,
    )
    return islice(subjects, limit or None)


def _list_subjects(subjects: Iterator[Subject], *, as_json: bool) -> int:
    count = 0
    for subject in subjects:
        count += 1
        if as_json:
            print_json(
                {
                    "kernel": subject.kernel,
                    "unit": subject.unit.digest,
                    "language": subject.unit.dialect.value,
                    "targets": list(subject.targets),
                    "has_cases": subject.has_cases,
                    "problem": subject.problem,
                }
            )
        else:
            first_line = subject.problem.partition("\n")[0]
            print_line(escape_line(f"{subject.kernel}: {first_line}"))
    return DONE if count else NOTHING


def _run(run: CompletionRun, subjects: Iterator[Subject], *, as_json: bool) -> int:
    """Ask, print what came of it, and return the exit code."""
    from crawler.codec import to_builtins
    from crawler.completion.budget import BudgetSpent

    last_attempts: dict[tuple[str, str], CompletionAttempt] = {}
    has_failed = False
    try:
        for shown_attempt in run.run(subjects):
            attempt = shown_attempt.attempt
            last_attempts[attempt.kernel, attempt.unit] = attempt
            has_failed |= bool(attempt.code)
            if shown_attempt.is_new:
                print_note(escape_line(_describe(attempt)))
            if as_json:
                print_json({"written_by": "model", **to_builtins(attempt)})
    except BudgetSpent as problem:
        has_failed = True
        print_note(f"stopped: {problem}")

    if not as_json:
        _print_table(list(last_attempts.values()))
    print_note(
        f"{run.chat.asked} questions asked, {run.chat.reused} answers of earlier runs; "
        f"{run.budget.spent_tokens} tokens, cost {run.budget.spent_money:.4f}"
    )
    if has_failed:
        return FAILED
    return DONE if last_attempts else NOTHING


def _describe(attempt: CompletionAttempt) -> str:
    """Return a line for a person who waits."""
    start = f"{attempt.kernel} attempt {attempt.number}: "
    if attempt.code:
        return f"{start}{attempt.code}: {attempt.problem}"
    first_line = attempt.messages.partition("\n")[0]
    return f"{start}{attempt.verdict.value}" + (f": {first_line}" if first_line else "")


def _print_table(attempts: list[CompletionAttempt]) -> None:
    if not attempts:
        return
    rows: list[list[object]] = [["kernel", "attempts", "verdict", "compiles", "runs"]]
    for attempt in attempts:
        rows.append(
            [
                escape_line(attempt.kernel),
                attempt.number,
                attempt.code or attempt.verdict.value,
                _format_statuses(attempt.pass_call),
                _format_statuses(attempt.pass_exe),
            ]
        )
    for line in format_table(rows):
        print_line(line)


def _format_statuses(statuses: object) -> str:
    items = statuses.items() if isinstance(statuses, dict) else ()
    return " ".join(f"{name}={status}" for name, status in items)
