"""Objects that a driver can load, and what compilers disagree about."""

from __future__ import annotations

from crawler.model import Build, Status, Toolchain, Verdict
from crawler.validate.devices.loadable_objects import (
    find_disagreement,
    list_missing_libdevice,
)


def test_functions_of_libdevice_that_ptx_lacks_are_named() -> None:
    ptx = b".extern .func  (.param .b32 r) __nv_expf\n(\n.param .b32 p\n)\n;\n.extern .func vprintf\n();\n"
    assert list_missing_libdevice(ptx) == ("__nv_expf",)
    assert list_missing_libdevice(ptx.replace(b".extern .func", b".func")) == ()


def test_one_compiler_that_takes_what_another_does_not_is_a_disagreement() -> None:
    def build_with_status(status: Status) -> Build:
        return Build(
            unit="u",
            target="gfx90a",
            toolchain=Toolchain(compiler="c"),
            pass_call=Verdict(status=status),
        )

    assert (
        find_disagreement(
            [build_with_status(Status.PASS), build_with_status(Status.FAIL)]
        )
        == "compilers-disagree"
    )
    assert (
        find_disagreement(
            [build_with_status(Status.PASS), build_with_status(Status.PASS)]
        )
        == ""
    )
    assert (
        find_disagreement(
            [build_with_status(Status.PASS), build_with_status(Status.SKIPPED)]
        )
        == ""
    )
