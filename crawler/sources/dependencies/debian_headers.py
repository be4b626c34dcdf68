"""Fetch headers of Debian's packages that a project's device code includes, where no repository
which the project declares has them.
"""

from __future__ import annotations

import errno
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_tree import open_tree
from crawler.errors import CrawlError, Misconfigured
from crawler.model import DEBIAN_SCHEME, Dependency
from crawler.sources.debian.copyright_file import read_licence
from crawler.sources.debian.header_index import HeaderPackage, find_header_packages
from crawler.sources.debian.package_headers import (
    LICENCE_FILE,
    copy_package_headers,
    find_package_file,
    make_folder_name,
)
from crawler.sources.dependencies.missing_headers import find_missing_headers
from crawler.sources.interface import Limits

_MAX_ROUNDS: Final = 3
"""A package's headers include those of others."""
_MAX_PACKAGES: Final = 16
"""Of one project."""
_DISK_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def fetch_debian_headers(root: Path, limits: Limits) -> list[Dependency]:
    """Put the headers that device code below `root` still lacks, and packages have, into folders
    there; return what came of each package. The limits are those of one package.

    What cannot be had fails nothing; raises `MissingTool` where apt-file cannot be asked.
    """
    dependencies: dict[str, Dependency] = {}
    for _ in range(_MAX_ROUNDS):
        missing = find_missing_headers(IncludeGraph(open_tree(root)))
        packages = [
            package
            for package in find_header_packages(missing)
            if package.name not in dependencies
        ][: _MAX_PACKAGES - len(dependencies)]
        for package in packages:
            dependencies[package.name] = _fetch(package, root, limits)
        if not any(dependencies[package.name].commit for package in packages):
            break

    return list(dependencies.values())


def _fetch(package: HeaderPackage, root: Path, limits: Limits) -> Dependency:
    dependency = Dependency(name=package.name, url=f"{DEBIAN_SCHEME}{package.name}")
    try:
        file = find_package_file(package.name)
    except Misconfigured:
        raise
    except CrawlError as error:
        return replace(dependency, problem=error.code)

    complete = replace(
        dependency, ref=file.version, commit=make_folder_name(file.version)
    )
    folder = root / complete.folder
    try:
        copy_package_headers(file, package.include_paths, folder, limits)
    except CrawlError as error:
        return replace(dependency, problem=error.code)
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise
        shutil.rmtree(folder, ignore_errors=True)
        return replace(dependency, problem="bad-package")

    licence = folder / LICENCE_FILE
    if not licence.is_file():
        return complete

    headers = [path.name for path in folder.rglob("*") if path.is_file()]
    text = licence.read_text("utf-8", "replace")
    return replace(complete, licence=read_licence(text, headers))
