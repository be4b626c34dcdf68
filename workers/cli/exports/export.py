"""Command `export`: write kernels as a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.exports.export_imported import export_imported
from workers.cli.exports.export_notes import print_skip_counts
from workers.cli.exports.export_options import (
    ContaminationReportOption,
    CopiesOption,
    DecontaminateOption,
    DestinationArgument,
    ForceOption,
    FormatOption,
    ImportedOption,
    LicenceOption,
    ReleaseOption,
    SeedOption,
    SinceOption,
    SplitOption,
    SplitsOption,
    SupersededOption,
    ViewArgument,
    WhereOption,
)
from workers.cli.exports.export_release import ReleaseRequest, export_release
from workers.cli.exports.export_values import (
    add_superseded_term,
    load_decontamination,
    parse_licence_classes,
    parse_shares,
    refuse_to_overwrite,
)
from workers.cli.options import (
    CrawlOption,
    DepthOption,
    JsonOption,
    context_settings,
    describe_empty_result,
    is_known_crawl,
    parse_depth,
)
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.dataset.interface import Exporter, View
    from crawler.dataset.selection.select_records import SelectionRules
    from crawler.dataset.selection.skip_counts import SkipCounts
    from crawler.dataset.selection.splits import SplitShares
    from crawler.dataset.texts.depth import Depth
    from workers.config.settings import Settings

_DECIDING_OPTIONS: Final = (
    "licence",
    "where",
    "depth",
    "superseded",
    "copies",
    "splits",
    "split",
    "seed",
    "decontaminate",
    "crawl",
)


def export(
    context: typer.Context,
    view: ViewArgument,
    destination: DestinationArgument,
    form: FormatOption = "",
    licence: LicenceOption = "permissive",
    where: WhereOption = "",
    depth: DepthOption = "unit",
    superseded: SupersededOption = False,
    copies: CopiesOption = False,
    splits: SplitsOption = "",
    split: SplitOption = "",
    seed: SeedOption = 0,
    decontaminate: DecontaminateOption = None,
    contamination_report: ContaminationReportOption = None,
    crawl: CrawlOption = "",
    imported: ImportedOption = "",
    release: ReleaseOption = "",
    since: SinceOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Write a view of the index as a dataset.

    Rows come with their provenance and licence; `kernelset views` says what each view's are.

    Only permissively licensed kernels by default, and one of each group of near copies; how many
    were left out, and why, goes to standard error.
    """
    from crawler.dataset.choice import choose_exporter, choose_view
    from crawler.dataset.selection.admission import Admission
    from crawler.dataset.selection.select_records import SelectionRules

    settings = context_settings(context)
    if imported:
        return export_imported(context, choose_exporter(form, destination), imported)
    licence_classes = parse_licence_classes(licence)
    rules = SelectionRules(
        admission=Admission(licence_classes, settings.terms().optouts),
        expression=add_superseded_term(where, superseded or bool(crawl)),
        crawl=crawl,
        with_copies=copies,
        split=split,
        decontamination=load_decontamination(decontaminate),
    )
    exporter = choose_exporter(form, destination)
    job = ExportJob(
        view=choose_view(view),
        exporter=exporter,
        destination=destination,
        depth=parse_depth(depth),
        rules=rules,
        shares=parse_shares(splits, split, exporter.name, seed),
        options=_list_given_options(context),
        release=ReleaseRequest.parse(release, since, form),
    )
    refuse_to_overwrite(destination, force)
    if contamination_report:
        refuse_to_overwrite(contamination_report, force)
    return _run_job(settings, job, contamination_report, as_json=as_json)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportJob:
    """What is written where, and of which kernels."""

    view: View
    exporter: Exporter
    destination: Path
    depth: Depth
    rules: SelectionRules
    shares: SplitShares | None
    """`None` where nothing is split."""
    options: tuple[tuple[str, str], ...]
    """(option, value) of the command, for who reads the dataset."""
    release: ReleaseRequest | None = None
    """`None` for a plain export."""


def _run_job(
    settings: Settings,
    job: ExportJob,
    contamination_report: Path | None,
    *,
    as_json: bool,
) -> int:
    """Write a dataset, say what came of it, and return the exit code."""
    row_count, skip_counts = _write_dataset(settings, job)
    _write_contamination_report(job.rules, contamination_report)
    print_skip_counts(skip_counts, job.rules.admission.licence_classes)
    if row_count is None:
        return NOTHING

    _print_result(job, row_count, skip_counts, as_json=as_json)
    return DONE if row_count else NOTHING


def _write_dataset(settings: Settings, job: ExportJob) -> tuple[int | None, SkipCounts]:
    """Return how many rows were written, `None` where there is no such crawl, and what was left
    out.
    """
    from crawler.dataset.cards.origin import DatasetOrigin
    from crawler.dataset.interface import RowContext
    from crawler.dataset.selection.select_records import plan_splits, select_records
    from crawler.dataset.selection.skip_counts import SkipCounts
    from workers.cli.kernels.record_finder import make_record_finder
    from workers.config.configured_storage import open_configured_storage
    from workers.status.dataset_funnel import list_funnel_steps

    skip_counts = SkipCounts()
    with open_configured_storage(settings) as storage:
        if not is_known_crawl(storage, job.rules.crawl):
            return None, skip_counts

        index = storage.index
        split_plan = plan_splits(index, job.shares) if job.shares else None
        origin = DatasetOrigin(
            funnel=list_funnel_steps(storage, job.rules.crawl),
            options=job.options,
            skip_counts=skip_counts,
            split_plan=split_plan,
        )
        row_context = RowContext(
            depth=job.depth,
            read_content=storage.blobs.get,
            find_record=make_record_finder(index, job.rules.admission),
            list_attempts=storage.attempts.iter_attempts,
            origin=origin,
        )
        if job.release:
            return (
                export_release(storage, job, job.release, row_context),
                skip_counts,
            )

        records = select_records(index, job.rules, skip_counts, split_plan)
        row_count = job.exporter.write(job.view, records, job.destination, row_context)
        if not row_count and not skip_counts:
            print_note(describe_empty_result(storage))

    return row_count, skip_counts


def _write_contamination_report(rules: SelectionRules, report: Path | None) -> None:
    from crawler.codec import encode
    from crawler.dataset.destination import create_file_atomically

    if report is None:
        return

    rows = rules.decontamination.rows if rules.decontamination else []
    with create_file_atomically(report) as file:
        for row in rows:
            file.write(encode(row) + b"\n")


def _list_given_options(context: typer.Context) -> tuple[tuple[str, str], ...]:
    """Return (option, value) of what decides on the rows, as it is in force."""
    options: list[tuple[str, str]] = []
    for name in _DECIDING_OPTIONS:
        value = context.params[name]
        if isinstance(value, list):
            # where a benchmark lies is the machine's own business
            value = ", ".join(path.name for path in value)
        if value:
            options.append((f"--{name}", str(value)))

    return tuple(options)


def _print_result(
    job: ExportJob, row_count: int, skip_counts: SkipCounts, *, as_json: bool
) -> None:
    if as_json:
        values = {
            "rows": row_count,
            "destination": str(job.destination),
            "left_out": skip_counts.list_values(),
        }
        print_json(values)
        return

    print_line(escape_line(f"{row_count} rows of {job.view.name} in {job.destination}"))
