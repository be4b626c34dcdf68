"""Trees of git that want to write outside of a checkout, or to have something run."""

from __future__ import annotations

from typing import Final

Entry = tuple[str, bytes]
"""Mode and name; the content is a script, or where a link leads to."""

FILE, PROGRAM, LINK, FOLDER = "100644", "100755", "120000", "40000"
SUBMODULE = "160000"
TEXTS: Final = {
    b".gitattributes": b"* filter=evil\n" + b"a" * (1 << 20) + b" b\n",
    b".gitmodules": (
        b'[submodule "sub"]\n\tpath = sub\n\turl = https://example.invalid/'
        + b"a" * 1100
        + b"[core]\n\tfsmonitor = {mark}\n"
    ),
    b"HEAD": b"ref: refs/heads/main\n",
    b"config": b"[core]\n\tbare = true\n\tfsmonitor = {mark}\n\tsshCommand = {mark}\n",
}
"""Contents of files by their names, where a script would be none; `{mark}` runs one."""
TREES: Final[dict[str, tuple[Entry, ...]]] = {
    "CVE-2014-9390 its settings in other letters": ((FILE, b".GIT"),),
    "CVE-2014-9390 its settings as Windows writes them": ((FILE, b"git~1"),),
    "CVE-2018-11235 a name of folders": ((FILE, b"a/../../out"),),
    "CVE-2019-1353 its settings through a stream": (
        (FILE, b".git::$INDEX_ALLOCATION"),
    ),
    "CVE-2021-21300 a folder and a link of one name": ((LINK, b"a"), (FILE, b"A")),
    "CVE-2022-39253 a link to another repository": ((LINK, b"objects"),),
    "CVE-2024-32002 a link in a submodule's place": ((LINK, b"a"), (SUBMODULE, b"A")),
    "CVE-2025-48384 a name that ends the line": ((FILE, b"module\r"),),
    "CVE-2022-23521 attributes without an end": ((FILE, b".gitattributes"),),
    "CVE-2022-24765 a repository with settings in the place of a project": (
        (FILE, b"HEAD"),
        (FILE, b"config"),
        (FOLDER, b"hooks"),
        (FOLDER, b"objects"),
        (FOLDER, b"refs"),
    ),
    "CVE-2023-29007 settings in the address of a submodule": (
        (FILE, b".gitmodules"),
        (SUBMODULE, b"sub"),
    ),
    "CVE-2024-32004 a repository of others within": (
        (FOLDER, b"repository.git"),
        (LINK, b"objects"),
    ),
    "CVE-2024-32465 hooks of a repository within": ((FOLDER, b".git "),),
    "dots": ((FILE, b".."),),
    "a name from the root": ((FILE, b"/tmp/out"),),
    "filters of its own": ((FILE, b".gitattributes"), (PROGRAM, b"filter")),
    "hooks": ((FOLDER, b".git"),),
}
