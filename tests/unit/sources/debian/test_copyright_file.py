"""The licence of a package's headers in Debian's form of `copyright`."""

from __future__ import annotations

import pytest

from crawler.sources.debian.copyright_file import read_licence, to_spdx

FORMAT = "Format: http://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"


def read(*paragraphs: str) -> str:
    return read_licence(FORMAT + "\n\n".join(paragraphs), ["include/lib/types.h"])


def test_all_licences_bind_that_a_header_may_be_under() -> None:
    assert (
        read(
            "Files:\n *\nLicense: Apache-2.0\n the text\n",
            "Files: src/*\nLicense: Expat",
            "Files: include/lib/*.h\nLicense: BSD-3-clause",
        )
        == "Apache-2.0 AND BSD-3-Clause AND MIT"
    )


def test_licences_of_what_no_header_is_do_not_count() -> None:
    assert (
        read(
            "Files: *\nLicense: Expat",
            "Files: debian/*\nLicense: GPL-3+",
            "Files: doc/*\n samples/types.h\nLicense: UNHEARD-OF",
            "Files: src/other.cpp\nLicense: GPL-2",
        )
        == "MIT"
    )


def test_a_name_that_nobody_knows_makes_all_of_it_unknown() -> None:
    assert read("Files: *\nLicense: Expat", "Files: lib/*\nLicense: custom") == ""
    assert read_licence("It is all free.\n", ["types.h"]) == ""


@pytest.mark.parametrize(
    ("licence", "spdx"),
    [
        ("GPL-2+ or Expat", "GPL-2.0-or-later OR MIT"),
        ("LGPL-2.1", "LGPL-2.1-only"),
        ("GPL-2.0+", "GPL-2.0-or-later"),
        ("BSD-2-Clause AND Zlib", "BSD-2-Clause AND Zlib"),
        ("public-domain", ""),
        ("public-domain and Expat", None),
        ("custom", None),
    ],
)
def test_short_names_are_told_as_spdx(licence: str, spdx: str | None) -> None:
    assert to_spdx(licence) == spdx
