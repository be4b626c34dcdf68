"""An archive of Debian packages in a folder, and an apt that knows it alone."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

_CONFIGURATION = """\
Dir "{apt}/";
Dir::State::status "{apt}/status";
APT::Architecture "amd64";
APT::Architectures {{ "amd64"; }};
APT::Sandbox::User "root";
Acquire::IndexTargets::deb::Contents-deb {{
    MetaKey "$(COMPONENT)/Contents-$(ARCHITECTURE)";
    ShortDescription "Contents-$(ARCHITECTURE)";
    Description "$(RELEASE)/$(COMPONENT) $(ARCHITECTURE) Contents (deb)";
    KeepCompressed "true";
}};
apt-file::Index-Names "deb";
apt-file::Parser::Check-For-Description-Header "false";
"""
_SEARCH = """\
#!/bin/sh
# what `apt-file search --regexp ^/usr/include/` prints of the one archive
zcat {contents} | sed 's/^\\(usr[^ ]*\\) *libdevel\\/\\(.*\\)$/\\2: \\/\\1/'
"""


def make_archive(folder: Path, packages: Mapping[str, Mapping[str, str]]) -> Path:
    """Make an archive of packages, `NAME_VERSION` to path and text, and tell apt of it; return
    what `APT_CONFIG` has to name.
    """
    index, contents = [], []
    for label, files in packages.items():
        name, _, version = label.partition("_")
        index.append(_build_package(folder, name, version, files))
        contents += [f"{path} libdevel/{name}\n" for path in files]

    main = folder / "dists/stable/main"
    (main / "binary-amd64").mkdir(parents=True)
    (main / "binary-amd64/Packages").write_text("\n".join(index))
    listing = gzip.compress("".join(sorted(contents)).encode(), mtime=0)
    (main / "Contents-amd64.gz").write_bytes(listing)
    _write_release(folder / "dists/stable")
    return _configure_apt(folder)


def add_search_program(folder: Path, archive: Path) -> Path:
    """Return a folder for `PATH` with what stands in for apt-file where that is not installed."""
    folder.mkdir()
    if shutil.which("apt-file") is None:
        program = folder / "apt-file"
        contents = archive / "dists/stable/main/Contents-amd64.gz"
        program.write_text(_SEARCH.format(contents=contents))
        program.chmod(0o755)
    return folder


def _build_package(
    folder: Path, name: str, version: str, files: Mapping[str, str]
) -> str:
    """Build a package and return its paragraph of the index."""
    tree = folder / "trees" / name
    control = (
        f"Package: {name}\nVersion: {version}\nArchitecture: all\n"
        "Maintainer: Nobody <nobody@example.org>\nDescription: headers\n"
    )
    for path, text in {**files, "DEBIAN/control": control}.items():
        file = tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    pool = folder / "pool"
    pool.mkdir(exist_ok=True)
    archive = pool / f"{name}_{version}_all.deb"
    words = ["dpkg-deb", "--build", "--root-owner-group", str(tree), str(archive)]
    subprocess.run(words, check=True, capture_output=True)
    content = archive.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return (
        f"{control}Filename: pool/{archive.name}\n"
        f"Size: {len(content)}\nSHA256: {digest}\n"
    )


def _write_release(suite: Path) -> None:
    lines = ["Suite: stable", "Codename: stable", "Architectures: amd64", "SHA256:"]
    lines.insert(3, "Components: main")
    for file in sorted(path for path in suite.rglob("*") if path.is_file()):
        content = file.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        lines.append(f" {digest} {len(content)} {file.relative_to(suite)}")
        if file.suffix == ".gz":
            plain = gzip.decompress(content)
            digest = hashlib.sha256(plain).hexdigest()
            name = file.relative_to(suite).with_suffix("")
            lines.append(f" {digest} {len(plain)} {name}")
    (suite / "Release").write_text("\n".join(lines) + "\n")


def _configure_apt(folder: Path) -> Path:
    apt = folder / "apt"
    for place in (
        "etc/apt/preferences.d",
        "etc/apt/trusted.gpg.d",
        "var/lib/apt/lists/partial",
        "var/cache/apt/archives/partial",
    ):
        (apt / place).mkdir(parents=True)
    (apt / "status").touch()
    (apt / "etc/apt/sources.list").write_text(
        f"deb [trusted=yes] file:{folder} stable main\n"
    )
    configuration = apt / "apt.conf"
    configuration.write_text(_CONFIGURATION.format(apt=apt))
    return configuration
