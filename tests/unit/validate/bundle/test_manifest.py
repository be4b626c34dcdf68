"""A bundle holds all that a run needs, the golden outputs apart, and each instantiation knows
its kernel.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from crawler.errors import Misconfigured
from crawler.model import (
    BufferRole,
    Build,
    Case,
    CaseBuffer,
    CaseKind,
    Dialect,
    Instantiation,
    KernelUnit,
    Status,
    Suite,
    Toolchain,
    Verdict,
)
from crawler.validate.bundle import manifest
from crawler.validate.bundle.kernel_symbols import match_kernel_symbols
from crawler.validate.bundle.manifest import (
    bundle_unit,
    golden_digests,
    input_digests,
    read_bundle,
    without_hidden_cases,
    write_bundle,
)
from crawler.validate.values.blobs import Blobs

_TEMPLATE = """template <typename T, int N> __global__ void scale(T* a) { a[0] = a[0] * T(N); }
template __global__ decltype(scale<float, 2>) scale<float, 2>;
template __global__ decltype(scale<double, 4>) scale<double, 4>;
"""


def _unit(
    source: str, *instantiations: Instantiation, name: str = "scale"
) -> KernelUnit:
    return KernelUnit(
        source=source,
        dialect=Dialect.CUDA,
        kernel_name=name,
        instantiations=instantiations,
        prelude="p",
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="t",
    )


def _scale(*symbols: str) -> KernelUnit:
    pairs = zip((("float", "2"), ("double", "4")), symbols, strict=True)
    return _unit(
        _TEMPLATE,
        *(
            Instantiation(arguments=args, label=args[0], symbol=symbol)
            for args, symbol in pairs
        ),
    )


def _suite(unit: KernelUnit, blobs: Blobs) -> Suite:
    buffer = CaseBuffer(
        name="a",
        element="float",
        element_size=4,
        size=4,
        role=BufferRole.INOUT,
        content=blobs.put(b"in  "),
        gold=blobs.put(b"gold"),
    )
    case = Case(
        name="ordinary",
        kind=CaseKind.ORDINARY,
        grid=(1, 1, 1),
        block=(1, 1, 1),
        buffers=(buffer,),
    )
    return Suite(
        unit=unit.digest,
        seed=0,
        cases=(case, replace(case, name="hidden", hidden=True)),
    )


def _build(unit: KernelUnit, blobs: Blobs, *symbols: str) -> Build:
    return Build(
        unit=unit.digest,
        target="sm_90",
        toolchain=Toolchain(compiler="c"),
        pass_call=Verdict(status=Status.PASS),
        form="ptx",
        object_digest=blobs.put(b".entry"),
        symbols=symbols,
    )


def test_a_bundle_is_read_as_it_was_written_and_keeps_its_gold_apart(
    tmp_path: Path,
) -> None:
    blobs, unit = Blobs(), _scale("", "")
    suite = _suite(unit, blobs)
    unit_in_bundle = bundle_unit(
        unit, _build(unit, blobs, "_Z5scaleIfLi2EEvPT_", "_Z5scaleIdLi4EEvPT_"), suite
    )
    written = write_bundle([unit_in_bundle], blobs.get, tmp_path)
    assert read_bundle(tmp_path) == written
    files = {
        path.relative_to(tmp_path).as_posix(): path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file()
    }
    written_manifest = files.pop("manifest.json")
    assert files == {
        f"objects/{unit_in_bundle.object}": b".entry",
        f"inputs/{input_digests(suite)[0]}": b"in  ",
        f"gold/{golden_digests(suite)[0]}": b"gold",
    }
    jsonschema.validate(json.loads(written_manifest), manifest.json_schema())


def test_a_content_that_is_not_there_is_no_bundle(tmp_path: Path) -> None:
    unit, blobs = _scale("", ""), Blobs()
    suite = _suite(unit, blobs)
    with pytest.raises(KeyError):
        write_bundle(
            [bundle_unit(unit, _build(unit, blobs), suite)], Blobs().get, tmp_path
        )
    with pytest.raises(Misconfigured, match="no bundle"):
        read_bundle(tmp_path)


def test_a_bundle_of_another_schema_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(
        '{"schema": "kernelset/bundle/99", "units": []}'
    )
    with pytest.raises(Misconfigured, match="bundle/99"):
        read_bundle(tmp_path)


def test_an_instantiation_is_found_by_its_symbol_its_name_or_as_the_last_one_left() -> (
    None
):
    floats, doubles = "_Z5scaleIfLi2EEvPT_", "_Z5scaleIdLi4EEvPT_"
    for unit in (_scale(floats, doubles), _scale("", ""), _scale("", doubles)):
        assert [
            entry.symbol
            for entry in match_kernel_symbols(unit, (doubles, "_Z5otherv", floats))
        ] == [floats, doubles]
    spelled_otherwise = _scale("", doubles)
    spelled_otherwise = replace(
        spelled_otherwise, source=_TEMPLATE.replace("<float", "<scalar")
    )
    assert [
        entry.symbol
        for entry in match_kernel_symbols(spelled_otherwise, (floats, doubles))
    ] == [floats, doubles]


def test_what_cannot_be_told_apart_stays_unknown() -> None:
    source = _TEMPLATE.replace("<float", "<one").replace("<double", "<two")
    unknown = replace(_scale("", ""), source=source)
    assert [
        entry.symbol
        for entry in match_kernel_symbols(
            unknown, ("_Z5scaleIfLi2EEvPT_", "_Z5scaleIdLi4EEvPT_")
        )
    ] == ["", ""]


def test_a_plain_kernel_is_the_only_one_of_its_name() -> None:
    plain = _unit(
        "namespace a { __global__ void f(float* p) {} }",
        Instantiation(arguments=(), label=""),
        name="a::f",
    )
    assert [
        entry.symbol for entry in match_kernel_symbols(plain, ("_ZN1a1fEPf", "_Z1gv"))
    ] == ["_ZN1a1fEPf"]
    extern = _unit(
        'extern "C" __global__ void f() {}',
        Instantiation(arguments=(), label=""),
        name="f",
    )
    assert [entry.symbol for entry in match_kernel_symbols(extern, ("f", "ff"))] == [
        "f"
    ]


def test_the_hidden_case_is_not_shown() -> None:
    assert [
        case.name
        for case in without_hidden_cases(_suite(_scale("", ""), Blobs())).cases
    ] == ["ordinary"]


def test_the_schema_beside_the_module_is_that_of_its_values() -> None:
    schema_file = Path(manifest.__file__).with_name("bundle.schema.json")
    assert json.loads(schema_file.read_text()) == json.loads(
        json.dumps(manifest.json_schema())
    )
