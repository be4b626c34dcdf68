"""Rows and terms of the query language, as hypothesis draws them."""

from __future__ import annotations

import hashlib

from hypothesis import strategies as st

from crawler.model import (
    Behaviour,
    Build,
    Dialect,
    Extents,
    FlagsOrigin,
    Instantiation,
    Kernel,
    KernelUnit,
    Launch,
    Layer,
    Licence,
    LicenceClass,
    Operator,
    PortReport,
    Repo,
    Run,
    Span,
    Status,
    Strength,
    StrengthClass,
    Toolchain,
    Verdict,
    Wave,
)
from storage.index.query.fields import FIELDS
from storage.index.query.terms import FieldKind
from storage.interfaces import KernelIndex

TEXT = st.text("aAb_%*\\\"', -éÉßİ", max_size=5)
PHRASES = ("k", '"a b"', "a*", '"A_b*"', "void", '"void k"', "É", '"b - a"', "nothing")
CLASSES = ("class:a", "class:scan", "class")
CODE = st.sampled_from(["", "compile-error", "no-compiler", "Ptx", "a%"])
_WAVES = (Wave.ANY, Wave.LOGICAL, Wave.NATIVE)
STRENGTH = st.builds(
    Strength,
    strength_class=st.sampled_from(StrengthClass),
    mutants=st.integers(-1, 3),
    killed=st.integers(0, 3),
)
LABEL = st.sampled_from(["", "float", "a%"])
PLAIN = Instantiation(arguments=(), label="")
HERE = Span(path="host.cu", line=1, end_line=1, offset=0, end_offset=9)
SITE = Launch(span=HERE, kernel_name="k", grid="g", block="b")


def make_unit(
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


UNITS = tuple(
    make_unit(name, dialect) for name in ("k", "K", "j") for dialect in Dialect
)
REPOS = tuple(
    Repo(source=source, owner=owner, name="a_b", url="u", ref="", commit=commit)
    for source, owner, commit in (
        ("pypi", "", "A1"),
        ("git", "", "A1"),
        ("git", "o%", "b2"),
    )
)
Filling = tuple[list[list[Kernel]], list[KernelUnit], list[Build], list[list[Run]]]


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
            for label in draw(st.lists(LABEL | TEXT, max_size=3))
        ),
        launches=(SITE,) * draw(st.integers(0, 2)),
        flags_origin=draw(st.sampled_from(FlagsOrigin)),
        unit=draw(st.none() | st.sampled_from(UNITS)),
        unit_problem=draw(CODE),
        tags=tuple(draw(st.lists(TEXT | st.sampled_from(CLASSES), max_size=3))),
        operators=tuple(
            Operator(name=name) for name in draw(st.lists(TEXT, max_size=2))
        ),
        licence=Licence(spdx=draw(TEXT), kind=draw(st.sampled_from(LicenceClass))),
    )


@st.composite
def ports(draw: st.DrawFn, per_repo: list[list[Kernel]]) -> list[KernelUnit]:
    used = {kernel.unit for rows in per_repo for kernel in rows if kernel.unit}
    cuda = [unit for unit in UNITS if unit in used and unit.dialect is Dialect.CUDA]
    sources = draw(st.lists(st.sampled_from(cuda), unique=True)) if cuda else []
    return [
        make_unit(
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
def runs(draw: st.DrawFn, units: tuple[KernelUnit, ...]) -> list[Run]:
    """Draw a run and further ones of other instantiations."""
    compiler = draw(st.sampled_from(["clang 18", "clang 19"]))
    measured = st.none() | st.builds(Verdict, status=st.sampled_from(Status), code=CODE)
    unit = draw(st.sampled_from(units)).digest
    device = draw(st.sampled_from(["cpu", "gfx90a"]))
    labels = draw(st.lists(LABEL, min_size=1, max_size=3, unique=True))

    return [
        Run(
            unit=unit,
            device=device,
            toolchain=Toolchain(compiler=compiler, digest=compiler),
            pass_exe=Verdict(status=draw(st.sampled_from(Status)), code=draw(CODE)),
            behaviour=draw(st.sampled_from(Behaviour)),
            instantiation=label,
            is_further=position > 0,
            extents=draw(st.none() | st.sampled_from(Extents)),
            strength=draw(STRENGTH),
            pass_perf=draw(measured),
        )
        for position, label in enumerate(labels)
    ]


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
        number = draw(st.integers(-1, 20))
        if operator in {"=", "!="} and draw(st.booleans()):
            end = draw(st.integers(-1, 20) | st.just(""))
            return f"{sign}{field.name}{operator}{number}..{end}"
        return f"{sign}{field.name}{operator}{number}"
    if field.kind is FieldKind.FLAG:
        return f"{sign}{field.name}{operator}{draw(st.sampled_from(['true', 'false']))}"
    if field.kind is FieldKind.WORDS:
        operator = draw(st.sampled_from(["=", "!=", "~", ":"]))
        phrases = draw(st.lists(st.sampled_from(PHRASES), min_size=1, max_size=3))
        return f"{sign}text{operator}{','.join(phrases)}"
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


def conditions() -> st.SearchStrategy[str]:
    """Draw terms joined in every way."""
    return st.recursive(
        terms(),
        lambda operands: (
            st.tuples(operands, st.sampled_from([" ", " and ", " or "]), operands).map(
                "".join
            )
            | st.tuples(st.sampled_from(["not ", "-", ""]), operands).map(
                lambda parts: f"{parts[0]}({parts[1]})"
            )
        ),
        max_leaves=4,
    )


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
    for runs_of_unit in ran:
        index.put_runs(runs_of_unit)
