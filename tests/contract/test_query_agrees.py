"""The query language means the same in SQL and in memory, on any rows."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.model import (
    Behaviour,
    Build,
    Dialect,
    FlagsOrigin,
    Instantiation,
    Kernel,
    KernelUnit,
    Launch,
    Layer,
    Licence,
    LicenceClass,
    PortReport,
    Repo,
    Run,
    Span,
    Status,
    Toolchain,
    Verdict,
    Wave,
)
from storage.errors import BadQuery
from storage.in_memory.index import InMemoryKernelIndex
from storage.index.query.fields import FIELDS, FieldKind
from storage.interfaces import KernelIndex
from storage.open import open_storage
from tests.plain import plain_kernel

TEXT = st.text("aAb_%*\\\"', -éÉßİ", max_size=5)
CODE = st.sampled_from(["", "compile-error", "no-compiler", "Ptx", "a%"])
_WAVES = (Wave.ANY, Wave.LOGICAL, Wave.NATIVE)
PLAIN = Instantiation(arguments=(), label="")
HERE = Span(path="host.cu", line=1, end_line=1, offset=0, end_offset=9)
SITE = Launch(span=HERE, kernel_name="k", grid="g", block="b")


def _unit(
    name: str, dialect: Dialect, ported_from: str = "", blocked: str = ""
) -> KernelUnit:
    text = f"{dialect} {name} {ported_from}"
    return KernelUnit(
        source=text,
        dialect=dialect,
        kernel_name=name,
        instantiations=(PLAIN,),
        prelude="p",
        digest=hashlib.sha256(text.encode()).hexdigest(),
        token_digest=hashlib.sha256(name.lower().encode()).hexdigest(),
        ported_from=ported_from,
        port_report=PortReport(blockers=((blocked, 1),), wave=_WAVES[len(blocked) % 3])
        if blocked
        else None,
    )


UNITS = tuple(_unit(name, dialect) for name in ("k", "K", "j") for dialect in Dialect)
REPOS = tuple(
    Repo(source=source, owner=owner, name="a_b", url="u", ref="", commit=commit)
    for source, owner, commit in (
        ("pypi", "", "A1"),
        ("git", "", "A1"),
        ("git", "o%", "b2"),
    )
)
Filling = tuple[list[list[Kernel]], list[KernelUnit], list[Build], list[Run]]


@st.composite
def kernels(draw: st.DrawFn) -> Kernel:
    line = draw(st.integers(0, 9))
    return Kernel(
        name=draw(TEXT),
        qualified_name=draw(TEXT),
        mangled="",
        dialect=draw(st.sampled_from(Dialect)),
        span=Span(
            path=draw(st.sampled_from(["a.cu", "A.cu", "é/a_b.cu"])),
            line=line,
            end_line=line + draw(st.integers(0, 9)),
            offset=draw(st.integers(0, 2**40)),
            end_offset=2**40,
        ),
        found_by=draw(st.sampled_from(Layer)),
        reason=draw(CODE),
        source="__global__ void k();",
        template_head=draw(st.sampled_from(["", "template <>", "template <class T>"])),
        parameters=(),
        template_parameters=(),
        attributes=(),
        instantiations=tuple(
            Instantiation(arguments=(label,), label=label)
            for label in draw(st.lists(TEXT, max_size=2))
        ),
        launches=(SITE,) * draw(st.integers(0, 2)),
        flags_origin=draw(st.sampled_from(FlagsOrigin)),
        unit=draw(st.none() | st.sampled_from(UNITS)),
        unit_problem=draw(CODE),
        tags=tuple(draw(st.lists(TEXT, max_size=3))),
        licence=Licence(spdx=draw(TEXT), kind=draw(st.sampled_from(LicenceClass))),
    )


@st.composite
def ports(draw: st.DrawFn, per_repo: list[list[Kernel]]) -> list[KernelUnit]:
    used = {kernel.unit for rows in per_repo for kernel in rows if kernel.unit}
    cuda = [unit for unit in UNITS if unit in used and unit.dialect is Dialect.CUDA]
    sources = draw(st.lists(st.sampled_from(cuda), unique=True)) if cuda else []
    return [
        _unit(
            unit.kernel_name, Dialect.HIP, ported_from=unit.digest, blocked=draw(CODE)
        )
        for unit in sources
    ]


@st.composite
def builds(draw: st.DrawFn, units: tuple[KernelUnit, ...]) -> Build:
    unit = draw(st.sampled_from(units))
    compiler = draw(st.sampled_from(["clang 18", "clang 19"]))
    return Build(
        unit=unit.digest,
        target=draw(
            st.sampled_from(
                ["sm_80", "sm_90"]
                if unit.dialect is Dialect.CUDA
                else ["gfx90a", "gfx942"]
            )
        ),
        toolchain=Toolchain(compiler=compiler, digest=compiler),
        pass_call=Verdict(status=draw(st.sampled_from(Status)), code=draw(CODE)),
    )


@st.composite
def runs(draw: st.DrawFn, units: tuple[KernelUnit, ...]) -> Run:
    compiler = draw(st.sampled_from(["clang 18", "clang 19"]))
    measured = st.none() | st.builds(Verdict, status=st.sampled_from(Status), code=CODE)
    return Run(
        unit=draw(st.sampled_from(units)).digest,
        device=draw(st.sampled_from(["cpu", "gfx90a"])),
        toolchain=Toolchain(compiler=compiler, digest=compiler),
        pass_exe=Verdict(status=draw(st.sampled_from(Status)), code=draw(CODE)),
        behaviour=draw(st.sampled_from(Behaviour)),
        pass_perf=draw(measured),
    )


def quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@st.composite
def globs(draw: st.DrawFn, values: tuple[str, ...]) -> str:
    pieces = draw(
        st.lists(
            st.just("*") | (TEXT | st.sampled_from(values)).map(quote),
            min_size=1,
            max_size=4,
        )
    )
    return "".join(pieces)


@st.composite
def terms(draw: st.DrawFn) -> str:
    field = FIELDS[draw(st.sampled_from(sorted(FIELDS)))]
    sign, operator = (
        draw(st.sampled_from(["", "-", "not "])),
        draw(st.sampled_from(["=", "!="])),
    )
    if field.kind is FieldKind.NUMBER:
        operator = draw(st.sampled_from(["=", "!=", "<", "<=", ">", ">="]))
        return f"{sign}{field.name}{operator}{draw(st.integers(-1, 20))}"
    if field.kind is FieldKind.FLAG:
        return f"{sign}{field.name}{operator}{draw(st.sampled_from(['true', 'false']))}"
    values = (
        st.sampled_from([*field.choices, "*", "*A*"])
        if field.choices
        else globs(("k", "ptx", "a.cu", "a1"))
    )
    target = (
        draw(st.sampled_from(["", ".sm_80", ".gfx90a", ".cpu"]))
        if field.kind is FieldKind.VERDICT
        else ""
    )
    if not field.choices:
        operator = draw(st.sampled_from(["=", "!=", "~"]))
    return f"{sign}{field.name}{target}{operator}{','.join(draw(st.lists(values, min_size=1, max_size=3)))}"


@st.composite
def fillings(draw: st.DrawFn) -> Filling:
    per_repo = [
        draw(
            st.lists(kernels(), max_size=5, unique_by=lambda kernel: kernel.span.offset)
        )
        for _ in REPOS
    ]
    ported = draw(ports(per_repo))
    units = (*UNITS, *ported)
    return (
        per_repo,
        ported,
        draw(st.lists(builds(units), max_size=8)),
        draw(st.lists(runs(units), max_size=8)),
    )


def fill(index: KernelIndex, filling: Filling) -> None:
    per_repo, ported, built, ran = filling
    for repo, rows in zip(REPOS, per_repo, strict=True):
        index.put_commit(repo, "s", "d")
        index.put_kernels(repo, rows)
    index.put_ports(ported)
    for build in built:
        index.put_builds([build])
    for run in ran:
        index.put_runs([run])


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("empty")
    open_storage(home).close()
    return home


EXPRESSIONS = st.lists(
    st.lists(terms(), max_size=3).map(" ".join), min_size=8, max_size=8
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(filling=fillings(), expressions=EXPRESSIONS)
def test_sql_and_memory_agree(
    empty: Path, filling: Filling, expressions: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = shutil.copytree(empty, Path(folder) / "home")
        with open_storage(home) as storage:
            agree(storage.index, filling, expressions)


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(filling=fillings(), expressions=EXPRESSIONS)
def test_postgres_and_memory_agree(
    tmp_path: Path,
    empty_database: Callable[[], str],
    filling: Filling,
    expressions: list[str],
) -> None:
    with open_storage(tmp_path, database=empty_database()) as storage:
        agree(storage.index, filling, expressions)


def agree(index: KernelIndex, filling: Filling, expressions: list[str]) -> None:
    memory = InMemoryKernelIndex()
    fill(memory, filling)
    fill(index, filling)
    assert index.totals() == memory.totals()
    for expression in ("", *expressions):
        assert list(index.query(expression)) == list(memory.query(expression)), (
            expression
        )


def many(kernel: Kernel, number: int) -> list[Kernel]:
    return [
        replace(
            kernel, name=f"k{position}", span=replace(kernel.span, offset=position * 7)
        )
        for position in range(number)
    ]


PLAINEST = plain_kernel(UNITS[0], span=HERE, instantiations=(PLAIN,))


def test_many_pages_are_one_answer(tmp_path: Path) -> None:
    memory = InMemoryKernelIndex()
    with open_storage(tmp_path) as storage:
        for index in (memory, storage.index):
            for repo in REPOS:
                index.put_kernels(repo, many(PLAINEST, 1100))
        rows = list(memory.query())
        assert list(storage.index.query()) == rows
        assert list(storage.index.query("k1", limit=700)) == list(
            memory.query("k1", limit=700)
        )
        assert [record.kernel.name for record in storage.index.records()] == [
            row.name for row in rows
        ]


def test_a_slow_reader_sees_nothing_that_is_gone(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        for repo in REPOS:
            storage.index.put_kernels(repo, many(PLAINEST, 900))
        reader = storage.index.query("found_by=ast")
        first = next(reader)
        for repo in REPOS:
            storage.index.put_kernels(
                repo, many(replace(PLAINEST, found_by=Layer.STRING), 900)[:-1]
            )
        rest = list(reader)
        assert first.found_by == "ast"
        assert len(rest) < 500, "what was read before, at most"
        assert {row.found_by for row in rest} == {"ast"}


SOUP = st.sampled_from(
    [
        *FIELDS,
        "=",
        "!=",
        "~",
        "<",
        ",",
        "*",
        '"',
        '"a%"',
        "\\",
        "-",
        "not ",
        " ",
        "1",
        "true",
        "pass",
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(expression=st.lists(SOUP, max_size=12).map("".join) | st.text(max_size=30))
def test_whatever_is_asked_is_answered_or_told_wrong(
    shared_index: KernelIndex, expression: str
) -> None:
    try:
        rows = shared_index.query(expression)
    except BadQuery:
        return
    assert list(rows) == []


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 2**63 - 1])
def test_any_number_may_be_asked_for(shared_index: KernelIndex, number: int) -> None:
    assert (
        list(
            shared_index.query(
                f"line={number},1 lines<{number} end_line!={number} launches>={number}"
            )
        )
        == []
    )


@pytest.mark.parametrize(
    "value", ["*a" * 80, '"' + "%_\\\\" * 20 + '"', ",".join(["a*"] * 99)]
)
def test_the_largest_query_is_answered(shared_index: KernelIndex, value: str) -> None:
    whole = " ".join(
        f"{name}={value}" for name in ("reasons", "tag", "name", "path") * 9
    )
    while len(whole) > 4096:
        whole = whole.rpartition(" ")[0]
    assert list(shared_index.query(whole)) == []
    assert (
        list(shared_index.query(" ".join(["pass_call!=pass,fail reasons!=a,b*"] * 25)))
        == []
    )


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shared_index(request: pytest.FixtureRequest, empty: Path) -> Iterator[KernelIndex]:
    address = (
        request.getfixturevalue("kept_database") if request.param == "postgres" else ""
    )
    with open_storage(empty, database=address) as storage:
        yield storage.index
