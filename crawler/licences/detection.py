"""Detect the licences of repositories and files, and combine them per kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from license_expression import ExpressionError, get_spdx_licensing

from crawler.model import Kernel, Licence, LicenceClass

_LICENSING: Final = get_spdx_licensing()
_UNKNOWN: Final = "NOASSERTION"
_COPYLEFT: Final = (
    "GPL-",
    "LGPL-",
    "AGPL-",
    "MPL-",
    "EPL-",
    "CDDL-",
    "EUPL-",
    "OSL-",
    "CC-BY-SA",
)
_RESTRICTED: Final = (
    "CC-BY-NC",
    "LicenseRef-",
    "BUSL-",
    "SSPL-",
    "CC-BY-ND",
    "PolyForm",
)
_PERMISSIVE: Final = frozenset(
    {
        "MIT",
        "MIT-0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSD-3-Clause-Clear",
        "0BSD",
        "Apache-2.0",
        "ISC",
        "Zlib",
        "Unlicense",
        "BSL-1.0",
        "CC0-1.0",
        "PSF-2.0",
        "Python-2.0",
        "NCSA",
        "X11",
        "WTFPL",
        "BSD-4-Clause",
        "CC-BY-4.0",
    }
)
_NAMES: Final = {
    "mit": "MIT",
    "mit license": "MIT",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "apache": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "gpl": "GPL-3.0-only",
    "gplv3": "GPL-3.0-only",
}
_CLASSIFIERS: Final = {
    "Apache Software License": "Apache-2.0",
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "GNU General Public License v2 (GPLv2)": "GPL-2.0-only",
    "GNU Affero General Public License v3": "AGPL-3.0-only",
}
# phrases of each licence's own text, every one of which must be there; the first match counts
_TEXTS: Final = (
    ("LicenseRef-NVIDIA-NC", ("nvidia", "non-commercially")),
    ("LicenseRef-NVIDIA-NC", ("nvidia source code license",)),
    ("CC-BY-NC-4.0", ("attribution-noncommercial 4.0",)),
    ("AGPL-3.0-only", ("gnu affero general public license", "version 3")),
    ("LGPL-3.0-only", ("gnu lesser general public license", "version 3")),
    ("LGPL-2.1-only", ("gnu lesser general public license", "version 2.1")),
    ("GPL-3.0-only", ("gnu general public license", "version 3, 29 june 2007")),
    ("GPL-2.0-only", ("gnu general public license", "version 2, june 1991")),
    ("MPL-2.0", ("mozilla public license", "version 2.0")),
    ("Apache-2.0", ("apache license", "version 2.0", "terms and conditions")),
    ("BSL-1.0", ("boost software license - version 1.0",)),
    (
        "Unlicense",
        ("this is free and unencumbered software released into the public domain",),
    ),
    (
        "MIT",
        (
            "permission is hereby granted, free of charge",
            "without restriction",
            'the software is provided "as is"',
        ),
    ),
    ("ISC", ("permission to use, copy, modify, and/or distribute this software",)),
    (
        "BSD-3-Clause",
        ("redistribution and use in source and binary forms", "neither the name"),
    ),
    (
        "BSD-2-Clause",
        (
            "redistribution and use in source and binary forms",
            "this list of conditions",
        ),
    ),
)
_LICENCE_FILES: Final = re.compile(r"(?i)^(licen[cs]e|copying|unlicense)([-._].*)?$")
_IDENTIFIER: Final = re.compile(r"SPDX-License-Identifier:\s*([^\n*]+)")
_LARGEST: Final = 256 << 10
_HEAD_LINES: Final = 50
_NAMED: Final = 3
"""Files whose licences a text's evidence names."""


def detect_repository_licence(root: Path) -> Licence:
    """Return the licence of a checkout: what its metadata says, else what its licence file's
    text is.
    """
    return _from_metadata(root) or _from_text(root) or Licence()


def detect_file_licence(text: str, repository: Licence) -> Licence:
    """Return the licence of one file: its own SPDX line or a well-known header, else the
    repository's.
    """
    head = "\n".join(text.split("\n", _HEAD_LINES)[:_HEAD_LINES])
    stated = _IDENTIFIER.search(head)
    if stated:
        return _licence(
            stated.group(1).strip().removesuffix("*/").strip(),
            "SPDX-License-Identifier of the file",
        )
    return _header(head) or repository


def assign_licences(
    kernels: Sequence[Kernel], root: Path, repository: Licence
) -> tuple[Kernel, ...]:
    """Return the kernels of a checkout, each with the licence of all files that it is published
    with parts of.
    """

    @cache
    def licence(path: str) -> Licence:
        try:
            return detect_file_licence(
                (root / path).read_text("utf-8", "replace"), repository
            )
        except OSError:
            return repository

    def both(kernel: Kernel) -> Licence:
        others = dict.fromkeys(
            origin.path for origin in kernel.origins if origin.path != kernel.span.path
        )
        return combine_licences(
            licence(kernel.span.path), {path: licence(path) for path in others}
        )

    return tuple(replace(kernel, licence=both(kernel)) for kernel in kernels)


def combine_licences(
    own_licence: Licence, licences_by_path: Mapping[str, Licence]
) -> Licence:
    """Return the licence of a text of which parts stand in `licences_by_path`, by path: all of
    them bind whoever takes it.
    """
    differing = {
        path: one
        for path, one in licences_by_path.items()
        if one.spdx != own_licence.spdx
    }
    if not differing:
        return own_licence
    evidence = "; ".join(
        [
            own_licence.evidence,
            *(
                f"{path}: {one.evidence}"
                for path, one in list(differing.items())[:_NAMED]
            ),
        ]
    )
    stated = dict.fromkeys(
        [own_licence.spdx, *(one.spdx for one in differing.values())]
    )
    if _UNKNOWN in stated:
        return Licence(evidence=evidence)
    least_open = max(
        (own_licence, *differing.values()),
        key=lambda one: list(LicenceClass).index(one.kind),
    )
    return replace(
        _licence(" AND ".join(f"({one})" for one in stated), evidence),
        kind=least_open.kind,
    )


def _header(head: str) -> Licence | None:
    plain = _plain(head)
    if "proprietary" in plain and "nvidia" in plain:
        return _licence("LicenseRef-NVIDIA-Proprietary", "header of the file")
    if "licensed under the apache license, version 2.0" in plain:
        return _licence("Apache-2.0", "header of the file")
    found = next(
        (
            spdx
            for spdx, phrases in _TEXTS
            if all(phrase in plain for phrase in phrases)
        ),
        "",
    )
    return _licence(found, "header of the file") if found else None


def _from_metadata(root: Path) -> Licence | None:
    text = _read(root / "PKG-INFO").split("\n\n")[0]
    for field in ("License-Expression", "License"):
        stated = re.search(rf"(?m)^{field}: ([^\n]+)$", text)
        licence = (
            _licence(stated.group(1).strip(), f"PKG-INFO: {field}")
            if stated
            else Licence()
        )
        if licence.spdx != _UNKNOWN:
            return licence
    named = {
        _CLASSIFIERS[name]
        for name in re.findall(r"(?m)^Classifier: License :: (?:.* :: )?(.+)$", text)
        if name in _CLASSIFIERS
    }
    if len(named) == 1:
        return _licence(named.pop(), "PKG-INFO: Classifier")
    return None


def _from_text(root: Path) -> Licence | None:
    found = {}
    for path in sorted(root.iterdir()):
        if _LICENCE_FILES.match(path.name) and path.is_file() and not path.is_symlink():
            plain = _plain(_read(path))
            spdx = next(
                (
                    spdx
                    for spdx, phrases in _TEXTS
                    if all(phrase in plain for phrase in phrases)
                ),
                "",
            )
            if spdx:
                found[spdx] = path.name
    if not found:
        return None
    return _licence(" AND ".join(sorted(found)), f"text of {', '.join(found.values())}")


def _licence(stated: str, evidence: str) -> Licence:
    stated = _NAMES.get(stated.lower().strip(), stated)
    try:
        spdx = str(
            _LICENSING.parse(stated, validate=not stated.startswith("LicenseRef-"))
        )
    except (ExpressionError, ValueError, TypeError):
        return Licence(evidence=f"{evidence} says something else: {stated[:80]}")
    return Licence(spdx=spdx, kind=_class(spdx), evidence=evidence)


def _class(spdx: str) -> LicenceClass:
    """Return the class: of a choice (OR) the most open one, of a sum (AND) the least."""
    order = list(LicenceClass)
    choices = [
        [_class_of(name) for name in re.split(r"\bAND\b", choice)]
        for choice in re.split(r"\bOR\b", spdx)
    ]
    return min((max(parts, key=order.index) for parts in choices), key=order.index)


def _class_of(name: str) -> LicenceClass:
    bare = name.strip(" ()").split(" WITH ")[0]
    if bare in _PERMISSIVE:
        return LicenceClass.PERMISSIVE
    if bare.startswith(_COPYLEFT):
        return LicenceClass.COPYLEFT
    return (
        LicenceClass.RESTRICTED if bare.startswith(_RESTRICTED) else LicenceClass.NONE
    )


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[/*#]+", " ", text).lower().split())


def _read(path: Path) -> str:
    try:
        with path.open("rb") as opened:
            return opened.read(_LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
