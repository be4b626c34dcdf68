"""Mutate the sources of folders and check that every layer of extraction keeps its invariants.

python -m benchmarks extract_fuzz FOLDER… [--seconds N] [--seed N] [--ast] [--results
FILE]

Nothing but an error of the project's own may be raised; time is bounded; a span lies inside its
file, and its text is
what stands there.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

from benchmarks import report
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
from crawler.extract.unit.elide_bodies import elide_device_bodies
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
_NOISE: Final = "{}()<>[]\"'#\\,;:&*\0\xff\r\n"
_WORDS: Final = re.compile(r"\w+")
_PIECES: Final = (
    *(
        "__global__ ",
        "<<<",
        ">>>",
        "template <",
        "#if 0\n",
        "#else\n",
        "#endif\n",
        "#define X(",
        'R"(',
        "/*",
        "\\\n",
    ),
    *(
        "hipLaunchKernelGGL(",
        "cudaLaunchKernelEx(",
        "??/\n",
        "operator",
        "\r\n",
        "%:",
        "(" * 200,
        "{" * 200,
        "x" * 10_000,
    ),
)
_TIMES: Final = (1, 1, 2)
_MOST_SECONDS: Final = 20.0


def _spliced(text: str, chance: Random) -> str:
    for _ in range(chance.randrange(1, 8)):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(_PIECES) + text[at:]
    return text


def _swapped(text: str, chance: Random) -> str:
    """Exchange two ranges."""
    first, second, third, fourth = sorted(
        chance.randrange(len(text) + 1) for _ in range(4)
    )
    return (
        text[:first]
        + text[third:fourth]
        + text[second:third]
        + text[first:second]
        + text[fourth:]
    )


def _renamed(text: str, chance: Random) -> str:
    known = _WORDS.findall(text) or ["x"]
    return _WORDS.sub(
        lambda word: chance.choice(known) if chance.random() < 0.02 else word.group(),
        text,
    )


MUTATIONS: Final[dict[str, Callable[[str, Random], str]]] = {
    "cut": lambda text, chance: text[: chance.randrange(len(text) + 1)],
    "beheaded": lambda text, chance: text[chance.randrange(len(text) + 1) :],
    "dropped": lambda text, chance: "".join(
        one for one in text if chance.random() > 0.01
    ),
    "doubled": lambda text, chance: "\n".join(
        line for line in text.split("\n") for _ in range(chance.choice(_TIMES))
    ),
    "shuffled": lambda text, chance: "\n".join(
        chance.sample(text.split("\n"), text.count("\n") + 1)
    ),
    "noise": lambda text, chance: "".join(
        chance.choice(_NOISE) if chance.random() < 0.01 else one for one in text
    ),
    "spliced": _spliced,
    "swapped": _swapped,
    "renamed": _renamed,
    "returns": lambda text, _: text.replace("\n", "\r\n"),
    "old_returns": lambda text, _: text.replace("\n", "\r"),
    "joined": lambda text, _: text.replace("\n", "\\\n"),
    "one_line": lambda text, _: text.replace("\n", " "),
    "marked": lambda text, _: "\xef\xbb\xbf" + text,
}
"""What may be done to a text, a character a byte."""


def mutate_text(text: str, kinds: Sequence[str], seed: int) -> bytes:
    """Return a text after these mutations, the same ones for the same seed."""
    chance = Random(seed)
    for kind in kinds:
        text = MUTATIONS[kind](text, chance)
    return text.encode("latin-1", "replace")


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
        0 <= one.start <= one.body_start < one.end <= len(raw)
        for one in find_functions(source)
    )
    assert all(
        0 <= one.start <= one.configuration_start <= one.end <= len(raw) and one.name
        for one in find_launches(source)
    )
    written = UnitText(sources, (path,))
    for _, definition in written.find_missing_definitions(()):
        _is_there(
            make_syntactic_sighting(source, definition, Dialect.CUDA, "torn"), source
        )
    for sighting in find_string_kernels(source):
        _is_inside(sighting.span, len(raw))
    for seen in collect_text_launch_sightings(written):
        for span in filter(None, (seen.launch.span, seen.launch.body)):
            _is_inside(span, len(raw))
    names = (found.name for found in written.definitions[path])
    for left in elide_device_bodies(
        written, written.find_use_words(names)
    ).files.values():
        assert len(left) == len(content)
        assert left.count(b"\n") == content.count(b"\n")
    _is_read(path, source, sources)


def _is_read(path: str, source: SourceText, sources: SourceFiles) -> None:
    for found in find_bindings(source):
        _is_inside(found.span, len(source.raw))
    for function in outline_file(path, source.raw).functions:
        _is_inside(function.span, len(source.raw))
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
            _is_inside(kernel.span, len(source.raw))
        else:
            _is_there(kernel, source)
    for sighting in facts.launches:
        for span in filter(None, (sighting.launch.span, sighting.launch.body)):
            _is_inside(span, (root / span.path).stat().st_size)


def _is_there(kernel: KernelFacts, source: SourceText) -> None:
    span = kernel.span
    _is_inside(span, len(source.raw))
    assert kernel.name
    assert kernel.source == source.text_between(span.offset, span.end_offset), (
        kernel.name
    )
    assert span.line == source.raw.count("\n", 0, span.offset) + 1


def _is_inside(span: Span, size: int) -> None:
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
    arguments = _arguments(argv)
    known = sorted(
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
    while known and time.monotonic() < until:
        path, seed = chance.choice(known), chance.randrange(1 << 30)
        kinds = chance.sample(sorted(MUTATIONS), chance.randrange(1, 4))
        content = mutate_text(path.read_bytes().decode("latin-1"), kinds, seed)
        began = time.process_time()
        found = list(_wrong(path.name, content, by_ast=arguments.ast))
        spent = time.process_time() - began
        slowest = max(slowest, spent)
        found += [f"slow: {spent:.1f} s of CPU"] if spent > _MOST_SECONDS else []
        counted.update(kinds)
        failures += [
            f"{path.name} after {', '.join(kinds)} (seed {seed}): {each}"
            for each in found
        ]
        for each in failures[len(failures) - len(found) :]:
            print(each, file=sys.stderr, flush=True)
    rows = [(kind, str(number)) for kind, number in sorted(counted.items())]
    lines = [
        *report.format_table(["mutation", "times"], rows),
        "",
        f"{len(known)} sources, {len(failures)} failures, at most",
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


def _wrong(name: str, content: bytes, *, by_ast: bool) -> Iterator[str]:
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


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    about = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks extract_fuzz", description=about
    )
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
    parser.add_argument("--results", type=Path, help="write a report to this file, too")
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
