"""A row is published with parts of several files: it is bound by the licences of all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crawler.checkout.dependencies import write_report
from crawler.codec import decode
from crawler.licences.detection import (
    assign_licences,
    combine_licences,
    detect_file_licence,
)
from crawler.model import (
    DEPENDENCY_FOLDER,
    Dependency,
    Kernel,
    KernelRecord,
    Licence,
    LicenceClass,
    Origin,
)

RECORDS = decode(
    (Path(__file__).parents[2] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
MIT = Licence(spdx="MIT", kind=LicenceClass.PERMISSIVE, evidence="LICENSE: text")
KERNEL = RECORDS[0].kernel


def make_licence(spdx: str, kind: LicenceClass) -> Licence:
    return Licence(spdx=spdx, kind=kind, evidence="header of the file")


@pytest.mark.parametrize(
    ("other", "spdx", "kind"),
    [
        (make_licence("MIT", LicenceClass.PERMISSIVE), "MIT", LicenceClass.PERMISSIVE),
        (
            make_licence("GPL-3.0-only", LicenceClass.COPYLEFT),
            "MIT AND GPL-3.0-only",
            LicenceClass.COPYLEFT,
        ),
        (
            make_licence("GPL-3.0-only OR Apache-2.0", LicenceClass.PERMISSIVE),
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
        make_licence("GPL-3.0-only", LicenceClass.COPYLEFT),
        {"a.h": make_licence("MIT OR BSD-3-Clause", LicenceClass.PERMISSIVE)},
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


@pytest.mark.parametrize(
    ("stated", "spdx", "kind"),
    [
        ("GPL-3.0-only", "MIT AND GPL-3.0-only", LicenceClass.COPYLEFT),
        ("MIT", "MIT", LicenceClass.PERMISSIVE),
        ("NOASSERTION", "NOASSERTION", LicenceClass.NONE),
        ("", "NOASSERTION", LicenceClass.NONE),
    ],
)
def test_a_header_of_a_dependency_is_under_its_licence_and_not_the_projects(
    stated: str, spdx: str, kind: LicenceClass, tmp_path: Path
) -> None:
    library = Dependency(name="lib", url="", commit="c" * 40, licence=stated)
    write_report(tmp_path, [library])
    (kernel,) = assign_licences(
        [make_kernel_with_parts_of(tmp_path, f"{library.folder}/a.h")], tmp_path, MIT
    )
    assert (kernel.licence.spdx, kernel.licence.kind) == (spdx, kind)


def test_what_a_dependencys_header_says_of_itself_counts(tmp_path: Path) -> None:
    library = Dependency(name="lib", url="", commit="c" * 40, licence="GPL-3.0-only")
    write_report(tmp_path, [library])
    kernel = make_kernel_with_parts_of(
        tmp_path, f"{library.folder}/a.h", "// SPDX-License-Identifier: ISC\n"
    )
    (licensed,) = assign_licences([kernel], tmp_path, MIT)
    assert licensed.licence.spdx == "MIT AND ISC"


def test_without_a_report_a_dependencys_licence_is_unknown(tmp_path: Path) -> None:
    kernel = make_kernel_with_parts_of(tmp_path, f"{DEPENDENCY_FOLDER}/lib@0/a.h")
    (licensed,) = assign_licences([kernel], tmp_path, MIT)
    assert licensed.licence.kind is LicenceClass.NONE
    assert "dependency of unknown licence" in licensed.licence.evidence


def make_kernel_with_parts_of(root: Path, path: str, text: str = "int a;\n") -> Kernel:
    """Plant a header, and return a kernel of the project that is published with a line of it."""
    (root / "k.cu").write_text("__global__ void k() {}\n")
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    part = Origin(line=1, path=path, first_line=1, last_line=1)
    return replace(KERNEL, span=replace(KERNEL.span, path="k.cu"), origins=(part,))


def test_the_evidence_names_the_files_that_differ_and_not_each_of_many() -> None:
    gpl = make_licence("GPL-2.0-only", LicenceClass.COPYLEFT)
    licences_by_path = {f"{number}.h": gpl for number in range(9)}
    combined = combine_licences(MIT, {"same.h": MIT, **licences_by_path})
    assert combined.spdx == "MIT AND GPL-2.0-only"
    assert combined.evidence == "; ".join(
        [
            "LICENSE: text",
            "0.h: header of the file",
            "1.h: header of the file",
            "2.h: header of the file",
        ]
    )


@pytest.mark.parametrize(
    ("line", "spdx"),
    [
        ("// SPDX-License-Identifier: BSD-2-Clause", "BSD-2-Clause"),
        ("/* SPDX-License-Identifier: BSD-2-Clause */", "BSD-2-Clause"),
        ("# SPDX-License-Identifier:ISC", "ISC"),
        (" * SPDX-License-Identifier: MIT OR Apache-2.0", "MIT OR Apache-2.0"),
        ("// SPDX-License-Identifier: Wholly-Made-Up", "NOASSERTION"),
    ],
)
def test_a_file_says_what_it_is_licensed_under(line: str, spdx: str) -> None:
    text = f"// Copyright 2021\n{line}\n#pragma once\n"
    assert detect_file_licence(text, MIT).spdx == spdx


@pytest.mark.parametrize(
    ("header", "spdx"),
    [
        (
            "/* NVIDIA CORPORATION and its licensors retain all intellectual property\n"
            " * and proprietary rights in and to this software. */",
            "LicenseRef-NVIDIA-Proprietary",
        ),
        (
            "// Licensed under the Apache License, Version 2.0 (the License);\n"
            "// you may not use this file except in compliance with the License.",
            "Apache-2.0",
        ),
        (
            "// Redistribution and use in source and binary forms, with or without\n"
            "// modification, are permitted provided that:\n"
            "//  * Neither the name of the holder nor the names of its contributors",
            "BSD-3-Clause",
        ),
        (
            "// Redistribution and use in source and binary forms, with or without\n"
            "// modification: retain this list of conditions.",
            "BSD-2-Clause",
        ),
        (
            "/* Permission to use, copy, modify, and/or distribute this software */",
            "ISC",
        ),
        ("// Written on a rainy day.", "MIT"),
    ],
)
def test_a_known_header_counts_before_the_repository(header: str, spdx: str) -> None:
    assert detect_file_licence(f"{header}\n__global__ void k();\n", MIT).spdx == spdx


def test_an_identifier_counts_before_a_header() -> None:
    text = (
        "// SPDX-License-Identifier: MIT\n"
        "// Licensed under the Apache License, Version 2.0 (the License);\n"
    )
    assert detect_file_licence(text, Licence()).spdx == "MIT"


@pytest.mark.parametrize(("lines_before", "spdx"), [(49, "ISC"), (50, "MIT")])
def test_only_the_beginning_of_a_file_speaks_for_it(
    lines_before: int, spdx: str
) -> None:
    text = "\n" * lines_before + "// SPDX-License-Identifier: ISC"
    assert detect_file_licence(text, MIT).spdx == spdx
