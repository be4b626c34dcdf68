"""Fetch a Debian package by apt, and take its headers and licence out without installing it."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from crawler import cache, process
from crawler.errors import NetworkDown, TooLarge
from crawler.process_limits import Limits
from crawler.sources.git_client.headers import is_header
from crawler.sources.interface import Limits as SourceLimits

LICENCE_FILE: Final = "LICENSE"
"""What Debian calls `copyright`."""
# what `apt-get --print-uris` prints: address, file name, size and digest
_URI_LINE: Final = re.compile(r"'[^']+' ([^_\s]+)_([^_\s]+)_(\w+\.deb) (\d+) ?(\S*)")
# the version of a package on its way to be a file's name
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9.+-]")
_MARK: Final = ".complete"
_ARCHIVE_LIMITS: Final = Limits(seconds=300.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageFile:
    """The file of a package that apt would fetch now."""

    name: str
    version: str
    file_name: str
    size: int


def find_package_file(name: str) -> PackageFile:
    """Return what apt would fetch of a package now; raises `NetworkDown` where that is nothing."""
    answer = process.run(
        ["apt-get", "download", "--print-uris", name], limits=_ARCHIVE_LIMITS
    )
    match = _URI_LINE.search(answer.output.decode("utf-8", "replace"))
    if match is None:
        raise NetworkDown(f"apt knows no file of the package {name}: {answer.text}")

    package, version, suffix, size, _ = match.groups()
    return PackageFile(
        name=package,
        version=unquote(version),
        file_name=f"{package}_{version}_{suffix}",
        size=int(size),
    )


def make_folder_name(version: str) -> str:
    """Return a version as it may stand in the name of a folder: `1:2.0~rc1` is `1_2.0_rc1`."""
    return _UNSAFE.sub("_", version)


def copy_package_headers(
    package: PackageFile,
    include_paths: Collection[str],
    destination: Path,
    limits: SourceLimits,
) -> None:
    """Put the headers of a package that lie under include paths, and its licence, in a folder.

    What was unpacked once is kept in the cache. Raises `NetworkDown` where it cannot be fetched,
    and `TooLarge` for more than the limits.
    """
    if package.size > limits.download_bytes:
        raise TooLarge(f"the package {package.name} has {package.size} bytes")

    package_folder = cache.get_or_build(
        f"debian-{make_folder_name(package.file_name)}",
        lambda folder: _unpack(package, folder, limits),
        required_file=_MARK,
    )
    if package_folder is None:
        raise NetworkDown(f"the package {package.name} could not be fetched by apt")

    for include_path in sorted(include_paths):
        source = package_folder / "include" / include_path
        shutil.copytree(
            source, destination / "include" / include_path, dirs_exist_ok=True
        )

    licence = package_folder / LICENCE_FILE
    if licence.is_file():
        shutil.copyfile(licence, destination / LICENCE_FILE)


def _unpack(package: PackageFile, folder: Path, limits: SourceLimits) -> bool:
    """Fetch a package and fill `folder` with its headers; false where apt cannot."""
    with tempfile.TemporaryDirectory() as scratch:
        download = process.run(
            ["apt-get", "download", f"{package.name}={package.version}"],
            cwd=Path(scratch),
            limits=_ARCHIVE_LIMITS,
        )
        archives = list(Path(scratch).glob("*.deb"))
        if download.exit_code or len(archives) != 1:
            return False

        tree = Path(scratch, "tree")
        extraction = process.run(
            ["dpkg-deb", "--extract", str(archives[0]), str(tree)],
            limits=_ARCHIVE_LIMITS,
        )
        if extraction.exit_code:
            return False

        _keep_headers(tree / "usr/include", folder / "include", limits)
        licence = tree / "usr/share/doc" / package.name / "copyright"
        # some packages link it to that of another one
        if licence.is_file() and not licence.is_symlink():
            shutil.copyfile(licence, folder / LICENCE_FILE)

    (folder / _MARK).touch()
    return True


def _keep_headers(source: Path, destination: Path, limits: SourceLimits) -> None:
    total = 0
    for count, file in enumerate(_iter_regular_files(source), 1):
        size = file.stat().st_size
        if not is_header(file.name) or size > limits.file_bytes:
            continue

        total += size
        if total > limits.unpacked_bytes or count > limits.files:
            raise TooLarge(f"the headers of a package have over {total} bytes")

        target = destination / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def _iter_regular_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path
