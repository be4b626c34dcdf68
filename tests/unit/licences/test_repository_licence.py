"""The licence of a checkout: its metadata, else the texts of its licence files."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.licences.detection import detect_repository_licence
from crawler.model import LicenceClass

# Openings of the texts, and what they say of one another.
GPL_3 = """\
                    GNU GENERAL PUBLIC LICENSE
                       Version 3, 29 June 2007

  13. Use with the GNU Affero General Public License.

you have permission to link or combine any covered work with a work licensed
under version 3 of the GNU Affero General Public License into a single
combined work, and to convey the resulting work.
"""
AGPL_3 = """\
                    GNU AFFERO GENERAL PUBLIC LICENSE
                       Version 3, 19 November 2007

  13. Remote Network Interaction; Use with the GNU General Public License.
"""
LGPL_3 = """\
                   GNU LESSER GENERAL PUBLIC LICENSE
                       Version 3, 29 June 2007

the terms and conditions of version 3 of the GNU General Public
License, supplemented by the additional permissions listed below.
"""
LGPL_21 = """\
                  GNU LESSER GENERAL PUBLIC LICENSE
                       Version 2.1, February 1999

the successor of the GNU Library Public License, version 2, hence
the version number 2.1.
"""
LGPL_2 = """\
                  GNU LIBRARY GENERAL PUBLIC LICENSE
                       Version 2, June 1991

Most GNU software, including some libraries, is covered by the ordinary
GNU General Public License, which was designed for utility programs.
"""
GPL_2 = """\
                    GNU GENERAL PUBLIC LICENSE
                       Version 2, June 1991

(Some other Free Software Foundation software is covered by
the GNU Lesser General Public License instead.)
"""
MPL_2 = """\
Mozilla Public License Version 2.0
==================================

1.12. "Secondary License"
    means either the GNU General Public License, Version 2.0, the GNU
    Lesser General Public License, Version 2.1, the GNU Affero General
    Public License, Version 3.0, or any later versions of those
    licenses.
"""
MIT = """\
Permission is hereby granted, free of charge, to any person obtaining a copy
of this software, to deal in the Software without restriction.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND.
"""
BSD_3 = """\
Redistribution and use in source and binary forms are permitted.
Neither the name of the copyright holder nor the names of its contributors.
"""
ISC = """\
Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted.
"""
CC0 = """\
Creative Commons Legal Code

CC0 1.0 Universal
"""
NVIDIA = """\
1. Definitions: "Licensor" means NVIDIA.
The Work may be used or intended for use non-commercially.
"""


def detect_text(folder: Path, text: str, name: str = "LICENSE") -> str:
    (folder / name).write_text(text)
    return detect_repository_licence(folder).spdx


@pytest.mark.parametrize(
    ("text", "spdx"),
    [
        (GPL_3, "GPL-3.0-only"),
        (AGPL_3, "AGPL-3.0-only"),
        (LGPL_3, "LGPL-3.0-only"),
        (LGPL_21, "LGPL-2.1-only"),
        (LGPL_2, "LGPL-2.0-only"),
        (GPL_2, "GPL-2.0-only"),
        (MPL_2, "MPL-2.0"),
        (MIT, "MIT"),
        (BSD_3, "BSD-3-Clause"),
        (ISC, "ISC"),
        (CC0, "CC0-1.0"),
        (NVIDIA, "LicenseRef-NVIDIA-NC"),
        ("All rights reserved.", "NOASSERTION"),
    ],
)
def test_a_licence_is_known_by_its_own_text(
    tmp_path: Path, text: str, spdx: str
) -> None:
    assert detect_text(tmp_path, text) == spdx


@pytest.mark.parametrize(
    ("name", "is_licence_file"),
    [
        ("LICENSE", True),
        ("LICENCE.md", True),
        ("licence-apache", True),
        ("COPYING.LESSER", True),
        ("UNLICENSE", True),
        ("LICENSES_OF_OTHERS", False),
        ("LICENSE2", False),
        ("README.md", False),
        ("my-license", False),
    ],
)
def test_a_licence_file_is_known_by_its_name(
    tmp_path: Path, name: str, is_licence_file: bool
) -> None:
    assert (detect_text(tmp_path, MIT, name) == "MIT") == is_licence_file


def test_every_licence_file_binds(tmp_path: Path) -> None:
    (tmp_path / "COPYING").write_text(GPL_3)
    (tmp_path / "COPYING.LESSER").write_text(LGPL_3)
    (tmp_path / "LICENSE.unknown").write_text("Be nice.")
    licence = detect_repository_licence(tmp_path)
    assert licence.spdx == "GPL-3.0-only AND LGPL-3.0-only"
    assert licence.kind is LicenceClass.COPYLEFT
    assert licence.evidence == "text of COPYING, COPYING.LESSER"


def test_a_text_in_comments_is_read_without_their_signs(tmp_path: Path) -> None:
    commented = "".join(f" * {line}\n" for line in BSD_3.splitlines())
    assert detect_text(tmp_path, f"/*\n{commented} */\n") == "BSD-3-Clause"


def test_bytes_that_are_no_text_do_not_hide_a_licence(tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_bytes(b"\xff\xfe caf\xe9\n" + MIT.encode())
    assert detect_repository_licence(tmp_path).spdx == "MIT"


def test_a_licence_behind_a_link_or_a_folder_is_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text(MIT)
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "LICENSE").symlink_to(outside)
    (checkout / "COPYING").mkdir()
    assert detect_repository_licence(checkout).spdx == "NOASSERTION"


def test_only_the_beginning_of_a_huge_licence_file_is_read(tmp_path: Path) -> None:
    assert detect_text(tmp_path, " " * (256 << 10) + MIT) == "NOASSERTION"


@pytest.mark.parametrize(
    ("fields", "spdx", "evidence"),
    [
        ("License-Expression: Apache-2.0", "Apache-2.0", "License-Expression"),
        ("License: BSD", "BSD-3-Clause", "License"),
        (
            "License-Expression: no such thing\nLicense: MIT License",
            "MIT",
            "License",
        ),
        (
            "License: see file\nClassifier: License :: OSI Approved :: MIT License",
            "MIT",
            "Classifier",
        ),
        (
            "Classifier: License :: OSI Approved :: ISC License (ISCL)\n"
            "Classifier: Programming Language :: Python :: 3",
            "ISC",
            "Classifier",
        ),
    ],
)
def test_a_package_states_its_licence(
    tmp_path: Path, fields: str, spdx: str, evidence: str
) -> None:
    text = f"Metadata-Version: 2.1\nName: rollers\n{fields}\n\nA description.\n"
    (tmp_path / "PKG-INFO").write_text(text)
    (tmp_path / "LICENSE").write_text(GPL_2)
    licence = detect_repository_licence(tmp_path)
    assert (licence.spdx, licence.evidence) == (spdx, f"PKG-INFO: {evidence}")


@pytest.mark.parametrize(
    "metadata",
    [
        "Name: rollers\n",
        "Name: rollers\n\nLicense: MIT\n",
        "Classifier: License :: OSI Approved :: MIT License\n"
        "Classifier: License :: OSI Approved :: BSD License\n",
        "Classifier: License :: Other/Proprietary License\n",
        "License: UNKNOWN\n",
    ],
)
def test_metadata_that_states_no_one_licence_leaves_it_to_the_files(
    tmp_path: Path, metadata: str
) -> None:
    (tmp_path / "PKG-INFO").write_text(metadata)
    (tmp_path / "LICENSE").write_text(GPL_2)
    assert detect_repository_licence(tmp_path).spdx == "GPL-2.0-only"


def test_a_checkout_that_says_nothing_has_no_known_licence(tmp_path: Path) -> None:
    licence = detect_repository_licence(tmp_path)
    assert (licence.spdx, licence.kind) == ("NOASSERTION", LicenceClass.NONE)
