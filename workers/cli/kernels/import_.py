"""Command `import`: bring results of other programs into the index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.request_record import record_request
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.dataset.imported.sample import ImportedSample

_MAX_NAME_CHARACTERS: Final = 100

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="Rows, as JSON Lines.")
]
MemoryOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What the agent kept of each file name, as one JSON object.",
    ),
]
NameOption = Annotated[
    str,
    typer.Option(
        help="What to call it, else as FILE is; an earlier import of that name is replaced."
    ),
]


def tritonbench(
    context: typer.Context,
    file: FileArgument,
    memory: MemoryOption = None,
    name: NameOption = "",
    as_json: JsonOption = False,
) -> int:
    """Import results of TritonBench or GaAgent, joined by file name.

    `kernelset export debug DEST --format folder --imported NAME` lays out those that failed.
    """
    from crawler.dataset.imported.tritonbench_results import TritonBenchResults
    from workers.config.configured_storage import open_configured_storage

    collection = _choose_name(name, file)
    results = TritonBenchResults(file, memory)
    outcomes: Counter[str] = Counter()
    settings = context_settings(context)
    with open_configured_storage(settings) as storage:
        record_request(context, settings, storage, subject=collection)
        samples = _count_outcomes(results, outcomes)
        count = storage.imported_samples.put(collection, samples)

    unmatched = results.list_unmatched_names()
    if unmatched:
        print_note(
            escape_line(
                f"{len(unmatched)} file names of the memory are in no row, the first "
                f"{unmatched[0]}: see that both files are of one run"
            )
        )
    _print_result(collection, count, outcomes, as_json=as_json)
    return DONE if count else NOTHING


def _choose_name(name: str, file: Path) -> str:
    from crawler.errors import Misconfigured

    chosen = name or file.stem
    if len(chosen) <= _MAX_NAME_CHARACTERS and chosen.isprintable() and chosen.strip():
        return chosen

    raise Misconfigured(
        f"an import cannot be called {escape_line(chosen[:_MAX_NAME_CHARACTERS])}: give "
        f"--name with at most {_MAX_NAME_CHARACTERS} printable characters",
        code="bad-import",
    )


def _count_outcomes(
    samples: Iterable[ImportedSample], outcomes: Counter[str]
) -> Iterator[ImportedSample]:
    for sample in samples:
        if sample.is_failed:
            outcomes["failed"] += 1
        elif sample.is_run:
            outcomes["passed"] += 1
        else:
            outcomes["not_run"] += 1
        yield sample


def _print_result(
    collection: str, count: int, outcomes: Counter[str], *, as_json: bool
) -> None:
    failed, passed = outcomes["failed"], outcomes["passed"]
    not_run = outcomes["not_run"]
    if as_json:
        values = {"failed": failed, "passed": passed, "not_run": not_run}
        print_json({"name": collection, "samples": count, **values})
        return

    print_line(
        escape_line(
            f"{count} samples as {collection}: {failed} failed, {passed} passed in what "
            f"was run of them, {not_run} not run"
        )
    )
