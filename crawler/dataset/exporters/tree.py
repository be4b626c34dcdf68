"""Source tree exporter: a folder of sources with JSON metadata, one per kernel."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crawler import headers
from crawler.dataset.destination import MARKER_FILE, create_folder_atomically
from crawler.dataset.interface import Exporter, RowContext, View
from crawler.dataset.notices.notice_folder import NoticeFolder
from crawler.dataset.programs.program_folder import ProgramFolder
from crawler.dataset.rows.row import SCHEMA_NAME, Row
from crawler.dataset.texts.depth import Depth
from crawler.dataset.texts.file_names import UniqueFileNames, sanitize_name
from crawler.dataset.trees.header_folder import copy_headers
from crawler.dataset.trees.kernel_folder import (
    TESTS_FOLDER,
    format_json,
    write_kernel,
)
from crawler.errors import Misconfigured
from crawler.model import KernelRecord, Repo
from crawler.validate.harness.program import Harness


class Tree:
    """Writes a folder a repository with one a kernel in it, and the headers once."""

    name = "tree"

    def write(
        self,
        view: View,
        records: Iterable[KernelRecord],
        destination: Path,
        context: RowContext,
    ) -> int:
        """Fill the folder `destination` and return how many kernels are in it."""
        if view.row_type is not Row:
            raise Misconfigured(
                f"a tree is of kernels, and {view.name} has other rows: "
                "give --format jsonl or parquet",
                code="bad-format",
            )

        depth = context.depth
        read_content = context.read_content
        repo_names = UniqueFileNames()
        kernel_names: dict[str, UniqueFileNames] = {}
        count = 0

        with create_folder_atomically(destination) as root:
            copy_headers(root, depth)
            tests = ProgramFolder(root / TESTS_FOLDER)
            notices = NoticeFolder(root, read_content)

            for record in records:
                folder = _claim_folder(record.provenance.repo, repo_names)
                (root / folder).mkdir(exist_ok=True)

                harnesses: tuple[Harness, ...] = ()
                if read_content and depth is Depth.FULL:
                    harnesses = tests.add(record, folder, read_content)

                names = kernel_names.setdefault(folder, UniqueFileNames())
                write_kernel(record, root / folder, names, depth, harnesses)
                notices.add(record)
                count += 1

            tests.close()
            notices.close()
            marker = {
                "schema": SCHEMA_NAME,
                "kernels": count,
                "headers": headers.headers_digest(),
            }
            (root / MARKER_FILE).write_text(format_json(marker), "utf-8")

        return count


def _claim_folder(repo: Repo, repo_names: UniqueFileNames) -> str:
    """Return the folder of a repository at its commit: `ACME-blur-v1.2`."""
    name = f"{repo.owner}-{repo.name}" if repo.owner else repo.name
    version = repo.ref or repo.commit.removeprefix("sha256:")[:12]
    # a version keeps its dots
    version_parts = [sanitize_name(part) for part in version.split(".")]
    safe_version = ".".join(version_parts)
    preferred = f"{sanitize_name(name)}-{safe_version}"
    owner = f"{repo.source}\0{repo.url}\0{repo.commit}"
    hint = repo.commit[-12:]

    return repo_names.claim(preferred, owner, hint)


PLUGIN: Final[Exporter] = Tree()
