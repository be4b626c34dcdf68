"""Arguments that benchmarks share: where packages lie, and where a report goes."""

from __future__ import annotations

import argparse
from pathlib import Path


def create_parser(name: str, documentation: str | None) -> argparse.ArgumentParser:
    """Return the parser of the benchmark `name`, described by the first line of its docstring."""
    lines = (documentation or "").splitlines()
    return argparse.ArgumentParser(
        prog=f"python -m benchmarks {name}", description=lines[0] if lines else ""
    )


def add_results(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Add `--results FILE`."""
    parser.add_argument(
        "--results",
        type=Path,
        required=required,
        help="write a report to this file, too",
    )


def add_package_names(parser: argparse.ArgumentParser) -> None:
    """Add the names of packages of the corpus, of which none needs to be given."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="packages as the true list spells them"
    )


def add_corpus_choice(parser: argparse.ArgumentParser) -> None:
    """Add the names of packages, and options that stand for many of them."""
    add_package_names(parser)
    parser.add_argument("--smoke", action="store_true", help="the five small packages")
    parser.add_argument("--all", action="store_true", help="all 19 packages")


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Add `--folder DIR`, for packages that were fetched before."""
    parser.add_argument(
        "--folder", type=Path, help="where packages lie unpacked; else they are fetched"
    )
