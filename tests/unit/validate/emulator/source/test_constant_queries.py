"""What is asked of a kernel's template arguments is what its launches and its bounds speak of."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import Instantiation, Kernel, Launch, TemplateParameter
from crawler.validate.emulator.source.constant_queries import (
    ConstantQuery,
    collect_constant_queries,
)
from tests.plain import HERE, plain_kernel, plain_unit

HEAD = "template <class T, int N>\n__global__ void k("


def kernel(
    source: str, *launches: Launch, arguments: tuple[str, ...] = ("Traits<4>", "3")
) -> Kernel:
    unit = plain_unit(source, Instantiation(arguments=arguments, label="0"))
    whole_kernel = plain_kernel(unit, launches=launches)
    names = tuple(TemplateParameter(name=query, kind="type") for query in ("T", "N"))
    return replace(whole_kernel, source=source, template_parameters=names)


def list_queries(templated_kernel: Kernel) -> tuple[ConstantQuery, ...]:
    assert templated_kernel.unit is not None
    return collect_constant_queries(templated_kernel, templated_kernel.unit, 0).queries


def launch(**words: str) -> Launch:
    return Launch(span=HERE, kernel_name="k", **({"grid": "1", "block": "64"} | words))  # type: ignore[arg-type]


def test_constants_of_types_are_asked_for_and_neither_functions_nor_what_other_names_have() -> (
    None
):
    asking_launch = launch(
        callee="k<Config::Tiles, 3>",
        grid="T::kRows + std::max(N::none, X::T::other)",
        block="Config::Tiles :: kThreads",
        shared_bytes="sizeof(typename T::Storage) + sizeof(T)",
        setup="auto a = T::blocks(n); T::kPart<2> b;",
    )
    assert list_queries(kernel(f"{HEAD}) {{}}", asking_launch)) == (
        ConstantQuery("T::kRows", "T::kRows"),
        ConstantQuery("T::Storage", "T::Storage"),
        ConstantQuery("sizeof(typenameT::Storage)", "sizeof(typename T::Storage)"),
        ConstantQuery("sizeof(T)", "sizeof(T)"),
        ConstantQuery("Config::Tiles::kThreads", "T::kThreads"),
    )


def test_launch_bounds_are_asked_for_where_no_number_or_plain_name_says_them() -> None:
    for bounds, expected in (
        ("Traits<4, N>::kThreads, 2", "Traits<4, N>::kThreads"),
        ("256, 2", ""),
        ("kThreads", ""),
    ):
        templated_kernel = kernel(
            HEAD.replace("void k(", f"void\n__launch_bounds__({bounds}) k(") + ") {}"
        )
        assert [query.expression for query in list_queries(templated_kernel)] == [
            expected
        ] * bool(expected)


def test_a_kernel_that_is_written_by_a_macro_is_asked_nothing() -> None:
    assert (
        list_queries(kernel("KERNEL(T::kThreads)", launch(block="T::kThreads"))) == ()
    )
