"""A row is published with parts of several files: it is bound by the licences of all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crawler.codec import decode
from crawler.licences.detection import assign_licences, combine_licences
from crawler.model import KernelRecord, Licence, LicenceClass, Origin

RECORDS = decode(
    (Path(__file__).parents[2] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
MIT = Licence(spdx="MIT", kind=LicenceClass.PERMISSIVE, evidence="LICENSE: text")
KERNEL = RECORDS[0].kernel


def of(spdx: str, kind: LicenceClass) -> Licence:
    return Licence(spdx=spdx, kind=kind, evidence="header of the file")


@pytest.mark.parametrize(
    ("other", "spdx", "kind"),
    [
        (of("MIT", LicenceClass.PERMISSIVE), "MIT", LicenceClass.PERMISSIVE),
        (
            of("GPL-3.0-only", LicenceClass.COPYLEFT),
            "MIT AND GPL-3.0-only",
            LicenceClass.COPYLEFT,
        ),
        (
            of("GPL-3.0-only OR Apache-2.0", LicenceClass.PERMISSIVE),
            "MIT AND (GPL-3.0-only OR Apache-2.0)",
            LicenceClass.PERMISSIVE,
        ),
        (Licence(evidence="says something else"), "NOASSERTION", LicenceClass.NONE),
    ],
)
def test_all_licences_of_a_text_bind(
    other: Licence, spdx: str, kind: LicenceClass
) -> None:
    combined = combine_licences(MIT, {"other.h": other})
    assert (combined.spdx, combined.kind) == (spdx, kind)
    assert ("other.h" in combined.evidence) == (other != MIT and other.spdx != "MIT")


def test_a_choice_within_one_file_does_not_open_another() -> None:
    combined = combine_licences(
        of("GPL-3.0-only", LicenceClass.COPYLEFT),
        {"a.h": of("MIT OR BSD-3-Clause", LicenceClass.PERMISSIVE)},
    )
    assert combined.kind is LicenceClass.COPYLEFT


def test_a_kernel_has_the_licence_of_the_headers_that_its_unit_holds_parts_of(
    tmp_path: Path,
) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k() {}\n")
    (tmp_path / "gpl.h").write_text("// SPDX-License-Identifier: GPL-2.0-only\n")
    (tmp_path / "unread.h").write_text("// SPDX-License-Identifier: AGPL-3.0-only\n")
    span = replace(KERNEL.span, path="k.cu")
    parts = tuple(
        Origin(line=1, path=path, first_line=1, last_line=1)
        for path in ("gpl.h", "gone.h", "k.cu")
    )
    alone, joined = assign_licences(
        (
            replace(KERNEL, span=span, origins=()),
            replace(KERNEL, span=span, origins=parts),
        ),
        tmp_path,
        MIT,
    )
    assert alone.licence == MIT
    assert (joined.licence.spdx, joined.licence.kind) == (
        "MIT AND GPL-2.0-only",
        LicenceClass.COPYLEFT,
    )
