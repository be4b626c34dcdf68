"""Command `show`: print everything known about a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.kernels.kernel_report import print_record
from workers.cli.options import (
    CrawlOption,
    DepthOption,
    JsonOption,
    context_settings,
    is_known_crawl,
    parse_depth,
)
from workers.cli.terminal import escape_line, print_json, print_note

if TYPE_CHECKING:
    from crawler.model import KernelRecord
    from storage.open import Storage

_MAX_KERNELS: Final = 20


def show(
    context: typer.Context,
    which: Annotated[
        str,
        typer.Argument(
            metavar="DIGEST|NAME", help="A unit's digest (or its start), or a name."
        ),
    ],
    depth: DepthOption = "unit",
    crawl: CrawlOption = "",
    as_json: JsonOption = False,
) -> int:
    """Print all that is known of a kernel.

    Its launches, its unit, its port, its verdicts, and what it was run with.
    """
    from crawler.codec import to_builtins
    from crawler.dataset.programs.harness_programs import build_programs_at_depth
    from crawler.dataset.rows.row import to_row
    from workers.config.configured_storage import open_configured_storage

    parsed_depth = parse_depth(depth)
    record_count = 0
    with open_configured_storage(context_settings(context)) as storage:
        if not is_known_crawl(storage, crawl):
            return NOTHING
        records = _find_records(storage, which, crawl)
        for record in islice(records, _MAX_KERNELS):
            record_count += 1
            if not as_json:
                print_record(record, parsed_depth)
                continue
            programs = build_programs_at_depth(record, parsed_depth, storage.blobs.get)
            print_json(to_builtins(to_row(record, parsed_depth, programs)))

    if not record_count:
        print_note(
            f"no kernel is called {escape_line(which)}, and no unit's digest starts so: "
            "try `kernelset query`"
        )
        return NOTHING
    return DONE


def _find_records(storage: Storage, which: str, crawl: str) -> Iterator[KernelRecord]:
    """Yield the records of a digest, else of a name: a name such as `fade` is hexadecimal, too."""
    if re.fullmatch(r"[0-9a-f]{4,64}", which):
        records = storage.index.records(f"digest = {which}*", crawl=crawl)
        records_of_digest = list(islice(records, _MAX_KERNELS))
        if records_of_digest:
            yield from records_of_digest
            return

    from storage.index.query.quoting import quote_value

    field = "qualified_name" if "::" in which else "name"
    yield from storage.index.records(f"{field} = {quote_value(which)}", crawl=crawl)
