"""Detect the licences of repositories and files, and combine them per kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from crawler.checkout.dependencies import is_dependency_file, read_report
from crawler.licences.expressions import UNKNOWN_SPDX, openness_rank, parse_licence
from crawler.licences.tables import CLASSIFIERS, TEXT_PHRASES
from crawler.model import DEPENDENCY_FOLDER, Kernel, Licence

# `LICENSE`, `COPYING.LESSER`, `licence-mit.txt`
_LICENCE_FILE: Final = re.compile(r"(?i)^(licen[cs]e|copying|unlicense)([-._].*)?$")
# the tag in a comment of a language of any kind, up to the end of the line or the comment
_SPDX_LINE: Final = re.compile(r"SPDX-License-Identifier:\s*([^\n*]+)")
# a line of a Python package's metadata
_CLASSIFIER_LINE: Final = re.compile(r"(?m)^Classifier: License :: (?:.* :: )?(.+)$")
# what a source has in front of and between the words of a licence
_COMMENT_SIGNS: Final = re.compile(r"[/*#]+")
_METADATA_FIELDS: Final = ("License-Expression", "License")
_MAX_BYTES: Final = 256 << 10
_HEAD_LINES: Final = 50
_MAX_NAMED_FILES: Final = 3
"""Files whose licences a text's evidence names."""
_DEPENDENCY_PARTS: Final = DEPENDENCY_FOLDER.count("/") + 2
"""Of a path: as many lead to the folder of one dependency."""
_UNKNOWN_DEPENDENCY: Final = Licence(evidence="a dependency of unknown licence")


def detect_repository_licence(root: Path) -> Licence:
    """Return the licence of a checkout: what its metadata says, else what its licence file's
    text is.
    """
    return _detect_in_metadata(root) or _detect_in_licence_files(root) or Licence()


def detect_file_licence(text: str, repository: Licence) -> Licence:
    """Return the licence of one file: its own SPDX line or a well-known header, else the
    repository's.
    """
    lines = text.split("\n", _HEAD_LINES)[:_HEAD_LINES]
    head = "\n".join(lines)
    # what a file says of itself counts more than what its repository says
    stated = _SPDX_LINE.search(head)
    if stated:
        expression = stated[1].strip().removesuffix("*/").strip()
        return parse_licence(expression, "SPDX-License-Identifier of the file")

    return _detect_in_header(head) or repository


def assign_licences(
    kernels: Sequence[Kernel], root: Path, repository: Licence
) -> tuple[Kernel, ...]:
    """Return the kernels of a checkout, each with the licence of all files that it is published
    with parts of.
    """
    licence_by_folder = _read_dependency_licences(root)

    @cache
    def licence_of_file(path: str) -> Licence:
        default = repository
        # another's text is never the project's to license
        if is_dependency_file(path):
            folder = "/".join(path.split("/")[:_DEPENDENCY_PARTS])
            default = licence_by_folder.get(folder, _UNKNOWN_DEPENDENCY)

        try:
            text = (root / path).read_text("utf-8", "replace")
        except OSError:
            return default

        return detect_file_licence(text, default)

    licensed_kernels = []
    for kernel in kernels:
        own_path = kernel.span.path
        licences_by_path = {
            origin.path: licence_of_file(origin.path)
            for origin in kernel.origins
            if origin.path != own_path
        }
        licence = combine_licences(licence_of_file(own_path), licences_by_path)
        licensed_kernels.append(replace(kernel, licence=licence))

    return tuple(licensed_kernels)


def combine_licences(
    own_licence: Licence, licences_by_path: Mapping[str, Licence]
) -> Licence:
    """Return the licence of a text of which parts stand in `licences_by_path`, by path: all of
    them bind whoever takes it.
    """
    differing = {
        path: licence
        for path, licence in licences_by_path.items()
        if licence.spdx != own_licence.spdx
    }
    if not differing:
        return own_licence

    named = list(differing.items())[:_MAX_NAMED_FILES]
    evidence = "; ".join(
        [
            own_licence.evidence,
            *(f"{path}: {licence.evidence}" for path, licence in named),
        ]
    )
    licences = [own_licence, *differing.values()]
    expressions = list(dict.fromkeys(licence.spdx for licence in licences))
    if UNKNOWN_SPDX in expressions:
        return Licence(evidence=evidence)

    combined = " AND ".join(f"({expression})" for expression in expressions)
    # not by the combined expression: a file's header may have said more than its identifier
    least_open = max(licences, key=lambda licence: openness_rank(licence.kind))

    return replace(parse_licence(combined, evidence), kind=least_open.kind)


def _read_dependency_licences(root: Path) -> dict[str, Licence]:
    """Return the licence of each dependency of a checkout, by its folder."""
    return {
        dependency.folder: parse_licence(
            dependency.licence, f"licence of the dependency {dependency.name}"
        )
        for dependency in read_report(root)
        if dependency.licence not in ("", UNKNOWN_SPDX)
    }


def _detect_in_header(head: str) -> Licence | None:
    evidence = "header of the file"
    text = _normalize(head)
    if "proprietary" in text and "nvidia" in text:
        return parse_licence("LicenseRef-NVIDIA-Proprietary", evidence)
    if "licensed under the apache license, version 2.0" in text:
        return parse_licence("Apache-2.0", evidence)

    spdx = _match_phrases(text)
    return parse_licence(spdx, evidence) if spdx else None


def _detect_in_metadata(root: Path) -> Licence | None:
    """Return the licence that a Python package states of itself."""
    # the fields end at the first blank line: behind it stands the description
    fields = _read_text(root / "PKG-INFO").split("\n\n")[0]
    for name in _METADATA_FIELDS:
        stated = re.search(rf"(?m)^{name}: ([^\n]+)$", fields)
        if stated is None:
            continue

        licence = parse_licence(stated[1].strip(), f"PKG-INFO: {name}")
        if licence.spdx != UNKNOWN_SPDX:
            return licence

    classifiers = _CLASSIFIER_LINE.findall(fields)
    identifiers = {CLASSIFIERS[name] for name in classifiers if name in CLASSIFIERS}
    if len(identifiers) != 1:
        return None

    return parse_licence(identifiers.pop(), "PKG-INFO: Classifier")


def _detect_in_licence_files(root: Path) -> Licence | None:
    file_by_spdx: dict[str, str] = {}
    for path in sorted(root.iterdir()):
        if not _LICENCE_FILE.match(path.name):
            continue
        # a checkout's link may lead anywhere
        if not path.is_file() or path.is_symlink():
            continue

        spdx = _match_phrases(_normalize(_read_text(path)))
        if spdx:
            file_by_spdx[spdx] = path.name

    if not file_by_spdx:
        return None

    files = ", ".join(file_by_spdx.values())
    return parse_licence(" AND ".join(sorted(file_by_spdx)), f"text of {files}")


def _match_phrases(text: str) -> str:
    """Return the licence that a normalised text is of, empty for none that is known."""
    for spdx, phrases in TEXT_PHRASES:
        if all(phrase in text for phrase in phrases):
            return spdx

    return ""


def _normalize(text: str) -> str:
    """Return a text in lower case on one line, without the signs of comments."""
    return " ".join(_COMMENT_SIGNS.sub(" ", text).lower().split())


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
