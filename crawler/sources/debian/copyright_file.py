"""Read the licence of a package in Debian's machine-readable form of `copyright`."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Collection, Iterator
from typing import Final

from license_expression import get_spdx_licensing

from crawler.licences.expressions import UNKNOWN_SPDX, parse_licence
from crawler.sources.git_client.headers import is_in_uninstalled_folder

_FORMAT: Final = "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0"
_FIELD: Final = re.compile(r"(?m)^(Files|License):([^\n]*(?:\n[ \t]+[^\n]*)*)")
"""With the indented lines that go on with it."""
_LICENSING: Final = get_spdx_licensing()
_PACKAGING: Final = "debian/"
_SPDX_NAMES: Final = {"expat": "MIT", "public-domain": "", "zlib/libpng": "Zlib"}
"""Where Debian's short names, in lower case, are not those of SPDX; empty for no licence at all."""
# the name of one licence, as Debian spells it
_VERSION: Final = re.compile(r"(?i)^(A?L?GPL|GFDL|LGPL)-(\d)(?:\.(\d))?(?:\.0)?(\+?)$")
# the field that joins such names
_OPERATOR: Final = re.compile(r",?[ \t]+(and|or)[ \t]+", re.IGNORECASE)
_OPERATORS: Final = {"and": "AND", "or": "OR"}


def read_licence(text: str, headers: Collection[str]) -> str:
    """Return the SPDX expression of what a package's headers, by their paths, may be under; empty
    where some of that is not understood.

    The form names files by where they lie in the source package, which no installed header
    tells. So all licences count but those of files that no header can be: of other names, of
    tests, samples and documents, or of the packaging itself.
    """
    if _FORMAT not in text.replace("http://", "https://"):
        return ""

    names = {posixpath.basename(header) for header in headers}
    stated: dict[str, None] = {}
    for patterns, licence in _iter_file_paragraphs(text):
        if not any(_may_match(pattern, names) for pattern in patterns.split()):
            continue

        expression = to_spdx(licence)
        if expression is None:
            return ""
        if expression:
            stated[expression] = None

    combined = " AND ".join(f"({expression})" for expression in stated)
    return str(_LICENSING.parse(combined).simplify()) if combined else ""


def _may_match(pattern: str, names: Collection[str]) -> bool:
    if pattern.startswith(_PACKAGING) or is_in_uninstalled_folder(pattern):
        return False

    last = posixpath.basename(pattern)
    if last in ("", "*"):
        return True
    return any(fnmatch.fnmatchcase(name, last) for name in names)


def to_spdx(licence: str) -> str | None:
    """Return the SPDX expression of a licence by Debian's short names: `GPL-2+ or Expat`.

    Empty for the public domain, and `None` where a name is not known.
    """
    parts = _OPERATOR.split(licence.strip())
    words = [_OPERATORS.get(part.lower()) or _rename(part) for part in parts]
    if words == [""]:
        return ""
    if "" in words:
        return None

    spdx = parse_licence(" ".join(words), "copyright").spdx
    return None if spdx == UNKNOWN_SPDX else spdx


def _rename(name: str) -> str:
    spdx_name = _SPDX_NAMES.get(name.lower())
    if spdx_name is not None:
        return spdx_name

    version = _VERSION.match(name)
    if version is None:
        return name

    family, major, minor, plus = version.groups()
    ending = "or-later" if plus else "only"
    return f"{family.upper()}-{major}.{minor or 0}-{ending}"


def _iter_file_paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """Yield (file patterns, licence) of each paragraph about files."""
    for paragraph in re.split(r"\n[ \t]*\n", text):
        fields = {match[1]: match[2] for match in _FIELD.finditer(paragraph)}
        if fields.get("Files", "").strip():
            # behind its first line stands the text of the licence
            yield fields["Files"], fields.get("License", "").partition("\n")[0]
