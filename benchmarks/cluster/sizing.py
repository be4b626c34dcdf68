"""Measure processor time, database size and blob size of crawls by kernels, on Postgres and a
disk.

python -m benchmarks sizing FOLDER… [--workers 2]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks import report
from benchmarks.arguments import add_results, create_parser

ROOT = Path(__file__).resolve().parents[2]
ALONE = False
_PROGRAM: Final = Path(sys.executable).parent / "kernelset"
_TABLES: Final = """
SELECT relname, pg_total_relation_size(oid) FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 2 DESC
"""
_HEAD: Final = (
    "package",
    "kernels",
    "units",
    "tasks",
    "CPU s",
    "kernels an hour of a core",
    "database MB for 1,000 kernels",
    "blobs MB for 1,000 kernels",
)


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = _parse_arguments(words)
    from storage.open import upgrade_postgres
    from tests.servers import postgres

    with postgres.serving() as server, tempfile.TemporaryDirectory() as home:
        server.run("CREATE DATABASE sizing")
        address = server.url("sizing")
        upgrade_postgres(address)
        environment = os.environ | {
            "KERNELSET_HOME": home,
            "KERNELSET_DATABASE": address,
            "KERNELSET_WORKERS": str(arguments.workers),
        }
        rows = []
        for folder in arguments.folders:
            rows.append(
                _measure_crawl(Path(folder).resolve(), Path(home), environment, address)
            )
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
        largest = _query(address, _TABLES)[:6]
    table = report.format_table(_HEAD, [_format_row(row) for row in rows])
    largest_tables = ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in largest)
    note = (
        "All packages are in one database, one after the other. The largest tables at "
        f"the end: {largest_tables}."
    )
    names = [Path(folder).name for folder in arguments.folders]
    report.write_report(
        arguments.results,
        "Sizing",
        ["python", "-m", "benchmarks", "sizing", *names],
        [*table, "", note],
    )
    return 0


def _measure_crawl(
    folder: Path, home: Path, environment: dict[str, str], address: str
) -> dict[str, Any]:
    size = "SELECT pg_database_size(current_database())"
    count = (
        "SELECT (SELECT count(*) FROM kernel), (SELECT count(*) FROM unit), (SELECT "
        "count(*) FROM task)"
    )
    before, counts_before = _query(address, size)[0][0], _query(address, count)[0]
    stored, began, used = (
        _count_bytes(home / "blobs"),
        time.monotonic(),
        _get_children_seconds(),
    )
    subprocess.run(
        [_PROGRAM, "crawl", folder], env=environment, stdout=sys.stderr, check=True
    )
    cpu, counts_after = _get_children_seconds() - used, _query(address, count)[0]
    return {
        "package": folder.name,
        **dict(
            zip(
                ("kernels", "units", "tasks"),
                (
                    after - earlier
                    for after, earlier in zip(counts_after, counts_before, strict=True)
                ),
                strict=True,
            )
        ),
        "cpu": round(cpu, 1),
        "seconds": round(time.monotonic() - began, 1),
        "database": _query(address, size)[0][0] - before,
        "blobs": _count_bytes(home / "blobs") - stored,
    }


def _format_row(row: dict[str, Any]) -> tuple[str, ...]:
    kernels = max(row["kernels"], 1)
    return (
        *(str(row[name]) for name in ("package", "kernels", "units", "tasks", "cpu")),
        f"{3600 * kernels / row['cpu']:,.0f}",
        *(f"{row[name] / 1e3 / kernels:.1f}" for name in ("database", "blobs")),
    )


def _query(address: str, statement: str) -> list[Any]:
    import psycopg

    with psycopg.connect(address) as connection:
        return connection.execute(statement).fetchall()


def _get_children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _count_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _parse_arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = create_parser("sizing", __doc__)
    parser.add_argument("folders", nargs="+", help="packages, unpacked")
    parser.add_argument("--workers", type=int, default=2)
    add_results(parser)
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
