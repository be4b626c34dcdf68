"""Mutate the sources of folders and check that every layer of extraction keeps its invariants.

python -m benchmarks extract_fuzz FOLDER… [--seconds N] [--seed N] [--ast] [--results
FILE]

Nothing but an error of the project's own may be raised; time is bounded; a span lies inside its
file, and its text is
what stands there.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.extraction.mutations import MUTATIONS, mutate_text
from crawler.checkout.source_scan import (
    SCRIPT_SUFFIXES,
    SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.cpp.arguments import split_at_top_level_commas
from crawler.cpp.files.functions import find_functions
from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.errors import CrawlError
from crawler.extract.clang.signature import (
    extract_head_attributes,
    extract_template_head,
    parse_parameter_text,
)
from crawler.extract.launches.launch_facts import collect_text_launch_sightings
from crawler.extract.link import link_commit
from crawler.extract.operators.bindings import find_bindings
from crawler.extract.operators.outline import outline_file
from crawler.extract.parser_process.parent import extract_batch_facts
from crawler.extract.syntax.included_files import find_device_files
from crawler.extract.syntax.launch_syntax import find_launches
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.body_elision import elide_device_bodies
from crawler.extract.unit.string_kernels import find_string_kernels
from crawler.extract.unit.syntax_fallback import make_syntactic_sighting
from crawler.model import (
    CompileCommand,
    Dialect,
    FlagsOrigin,
    KernelFacts,
    Layer,
    Span,
    UnitFacts,
)

ALONE = False
_MOST_SECONDS: Final = 20.0


def check_text_layers(path: str, content: bytes) -> None:
    """Hold the layers that need no parse to what they promise of a file; raises
    `AssertionError`.
    """
    sources = SourceFiles(Path("/nowhere"))
    source = sources._sources[path] = SourceText(path, content)
    raw = source.raw
    for lexeme in source.lexemes:
        assert raw[lexeme.offset : lexeme.end] == lexeme.text
    assert all(
        0 <= function.start <= function.body_start < function.end <= len(raw)
        for function in find_functions(source)
    )
    assert all(
        0 <= launch.start <= launch.configuration_start <= launch.end <= len(raw)
        and launch.name
        for launch in find_launches(source)
    )
    written = UnitText(sources, (path,))
    for _, definition in written.find_missing_definitions(()):
        _check_sighting(
            make_syntactic_sighting(source, definition, Dialect.CUDA, "torn"), source
        )
    for sighting in find_string_kernels(source):
        _check_span(sighting.span, len(raw))
    for launch_sighting in collect_text_launch_sightings(written):
        for span in filter(
            None, (launch_sighting.launch.span, launch_sighting.launch.body)
        ):
            _check_span(span, len(raw))
    names = (definition.name for definition in written.definitions[path])
    for elided in elide_device_bodies(
        written, written.find_use_words(names)
    ).files.values():
        assert len(elided) == len(content)
        assert elided.count(b"\n") == content.count(b"\n")
    _check_outline(path, source, sources)


def _check_outline(path: str, source: SourceText, sources: SourceFiles) -> None:
    for binding in find_bindings(source):
        _check_span(binding.span, len(source.raw))
    for function in outline_file(path, source.raw).functions:
        _check_span(function.span, len(source.raw))
    find_device_files(make_command(path), sources)
    for text in (source.raw[:2_000], source.raw[-2_000:]):
        split_at_top_level_commas(text)
        extract_head_attributes(text)
        extract_template_head(text)
        parse_parameter_text(text)


def check_facts(root: Path, facts: UnitFacts) -> None:
    """Hold the facts of a unit against its files; raises `AssertionError`."""
    for kernel in facts.kernels:
        source = SourceText(kernel.span.path, (root / kernel.span.path).read_bytes())
        if kernel.found_by is Layer.STRING:
            _check_span(kernel.span, len(source.raw))
        else:
            _check_sighting(kernel, source)
    for sighting in facts.launches:
        for span in filter(None, (sighting.launch.span, sighting.launch.body)):
            _check_span(span, (root / span.path).stat().st_size)


def _check_sighting(kernel: KernelFacts, source: SourceText) -> None:
    span = kernel.span
    _check_span(span, len(source.raw))
    assert kernel.name
    assert kernel.source == source.text_between(span.offset, span.end_offset), (
        kernel.name
    )
    assert span.line == source.raw.count("\n", 0, span.offset) + 1


def _check_span(span: Span, size: int) -> None:
    assert 0 <= span.offset < span.end_offset <= size, span
    assert 1 <= span.line <= span.end_line, span


def make_command(path: str) -> CompileCommand:
    """Return a command that compiles a file as CUDA, or looks for kernels in a script's strings."""
    dialect = None if get_suffix(path) in SCRIPT_SUFFIXES else Dialect.CUDA
    return CompileCommand(
        directory=".",
        file=path,
        arguments=(),
        dialect=dialect,
        origin=FlagsOrigin.SYNTHESISED,
    )


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    paths = sorted(
        path
        for folder in arguments.folders
        for path in folder.rglob("*")
        if _is_source(path)
    )
    chance = Random(arguments.seed)
    counted: Counter[str] = Counter()
    failures: list[str] = []
    slowest = 0.0
    until = time.monotonic() + arguments.seconds
    while paths and time.monotonic() < until:
        path, seed = chance.choice(paths), chance.randrange(1 << 30)
        kinds = chance.sample(sorted(MUTATIONS), chance.randrange(1, 4))
        content = mutate_text(path.read_bytes().decode("latin-1"), kinds, seed)
        began = time.process_time()
        problems = list(_find_failures(path.name, content, by_ast=arguments.ast))
        spent = time.process_time() - began
        slowest = max(slowest, spent)
        problems += [f"slow: {spent:.1f} s of CPU"] if spent > _MOST_SECONDS else []
        counted.update(kinds)
        failures += [
            f"{path.name} after {', '.join(kinds)} (seed {seed}): {problem}"
            for problem in problems
        ]
        for failure in failures[len(failures) - len(problems) :]:
            print(failure, file=sys.stderr, flush=True)
    rows = [(kind, str(number)) for kind, number in sorted(counted.items())]
    lines = [
        *report.format_table(["mutation", "times"], rows),
        "",
        f"{len(paths)} sources, {len(failures)} failures, at most",
    ]
    lines[-1] += f" {slowest:.1f} s of CPU for one."
    print("\n".join(lines))
    if arguments.results:
        report.write_report(
            arguments.results,
            "Torn sources",
            ["python", "-m", "benchmarks", "extract_fuzz"],
            lines,
        )
    return 1 if failures else 0


def _find_failures(name: str, content: bytes, *, by_ast: bool) -> Iterator[str]:
    try:
        if by_ast:
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / name).write_bytes(content)
                listed = list(extract_batch_facts(Path(folder), [make_command(name)]))
                for facts in listed:
                    if facts.failure:
                        yield f"{facts.failure}"
                    check_facts(Path(folder), facts)
                link_commit(listed)
        else:
            check_text_layers(name, content)
    except CrawlError:
        return
    except Exception:
        yield traceback.format_exc(limit=-3)


def _is_source(path: Path) -> bool:
    return (
        get_suffix(path.name) in SOURCE_SUFFIXES | SCRIPT_SUFFIXES
        and path.is_file()
        and path.stat().st_size < 1_000_000
    )


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("extract_fuzz", __doc__)
    parser.add_argument(
        "folders",
        nargs="+",
        type=Path,
        help="whose sources are torn; they are only read",
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--ast",
        action="store_true",
        help="parse them too, each in a process of its own",
    )
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
