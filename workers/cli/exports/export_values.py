"""Turn the options of the command `export` into the values that they stand for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workers.cli.terminal import escape_line

if TYPE_CHECKING:
    from crawler.dataset.decontamination.contamination_report import Decontamination
    from crawler.dataset.selection.splits import SplitShares
    from crawler.model import LicenceClass

_ANY_LICENCE: Final = "any"
_SPLIT_FORMAT: Final = "huggingface"
"""The format that holds all splits."""


def parse_licence_classes(text: str) -> frozenset[LicenceClass]:
    """Return the classes that `permissive,copyleft` or `any` names; raises `Misconfigured`
    (`bad-licence-class`).
    """
    from crawler.errors import Misconfigured
    from crawler.model import LicenceClass

    if text == _ANY_LICENCE:
        return frozenset(LicenceClass)

    try:
        return frozenset(LicenceClass(name.strip()) for name in text.split(","))
    except ValueError as error:
        names = ", ".join((*LicenceClass, _ANY_LICENCE))
        raise Misconfigured(
            f"{error} of licences: give some of {names}", code="bad-licence-class"
        ) from error


def parse_shares(splits: str, split: str, form: str, seed: int) -> SplitShares | None:
    """Return the splits of a dataset, `None` where it has none; raises `Misconfigured`
    (`bad-splits`) for options that do not go together.
    """
    from crawler.dataset.selection.splits import DEFAULT_SPLITS, parse_split_shares
    from crawler.errors import Misconfigured

    if not (splits or split or form == _SPLIT_FORMAT):
        return None

    shares = parse_split_shares(splits or DEFAULT_SPLITS, seed)
    names = [name for name, _ in shares.shares]
    if split and split not in names:
        raise Misconfigured(
            f"no split is called {escape_line(split)}: give one of {', '.join(names)}",
            code="bad-splits",
        )
    if splits and not split and form != _SPLIT_FORMAT:
        raise Misconfigured(
            f"{form} has no splits: name one with --split, or give --format {_SPLIT_FORMAT}",
            code="bad-splits",
        )
    return shares


def load_decontamination(paths: list[Path] | None) -> Decontamination | None:
    """Return what leaves the kernels of benchmarks out; `None` where none was named."""
    from crawler.dataset.decontamination.benchmark_kernels import read_benchmarks
    from crawler.dataset.decontamination.contamination_report import Decontamination

    return Decontamination(read_benchmarks(paths)) if paths else None


def add_superseded_term(where: str, with_superseded: bool) -> str:
    """Return an expression that leaves superseded kernels out, unless it speaks of them itself;
    raises `BadQuery`.
    """
    from storage.index.query.conditions import iter_terms
    from storage.index.query.parser import parse_query

    # parsed by itself: it must be whole before it stands in brackets, and a name or a path may
    # hold the word
    terms = iter_terms(parse_query(where))
    if with_superseded or any(term.field.name == "superseded" for term in terms):
        return where
    return f"({where}) superseded = no" if where.strip() else "superseded = no"


def refuse_to_overwrite(destination: Path, force: bool) -> None:
    """Raise `Misconfigured` (`destination-exists`) where something of others would be lost."""
    from crawler.dataset.replacement import can_replace
    from crawler.errors import Misconfigured

    # said now, and not when all has been read
    if not destination.parent.is_dir():
        raise Misconfigured(
            f"there is no folder {destination.parent}: make it first",
            code="no-such-folder",
        )

    if not force and not can_replace(destination):
        raise Misconfigured(
            f"{destination} holds what Kernelset did not write: "
            "name another place, or give --force",
            code="destination-exists",
        )
