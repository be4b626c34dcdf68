"""Time how long archives with more members than the limit allows take to refuse."""

from __future__ import annotations

import io
import resource
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.arguments import add_results, create_parser
from benchmarks.report import describe_command, format_table, write_report
from crawler.errors import TooLarge
from crawler.sources.archive.unpack import unpack_archive
from crawler.sources.interface import Limits

_COLUMNS = ("archive", "bytes", "seconds of the processor", "seconds by the clock")
_FOLDER_MEMBERS = 1_000


def main(argv: Sequence[str] | None = None) -> int:
    parser = create_parser("archive_refusal", __doc__)
    parser.add_argument("--members", type=int, default=250_000)
    add_results(parser)
    arguments = parser.parse_args(argv)

    rows = []
    with tempfile.TemporaryDirectory() as name:
        for form in ("tar.gz", "zip"):
            archive = Path(name, f"a.{form}")
            make_archive(archive, arguments.members)
            rows.append((f"`.{form}`", *time_refusal(archive)))

    peak_megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    lines = [
        f"Archives of {arguments.members} members of one byte, at a limit of "
        f"{Limits().files} files; a peak of {peak_megabytes} MB, with what made them.",
        "",
        *format_table(_COLUMNS, rows),
    ]
    print("\n".join(lines))
    if arguments.results:
        words = describe_command("archive_refusal", argv)
        title = "How long an archive with too many members takes to refuse"
        write_report(arguments.results, title, words, lines)
    return 0


def make_archive(path: Path, count: int) -> None:
    """Write an archive of members of one byte."""
    names = [f"d{index // _FOLDER_MEMBERS}/f{index}.h" for index in range(count)]
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as zip_file:
            for name in names:
                zip_file.writestr(name, b"x")
        return

    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = 1
            tar.addfile(member, io.BytesIO(b"x"))


def time_refusal(archive: Path) -> tuple[int, str, str]:
    """Return the size of an archive, and the seconds that it took to be refused."""
    with tempfile.TemporaryDirectory() as name:
        began, processor_began = time.monotonic(), time.process_time()
        try:
            unpack_archive(archive, Path(name), Limits())
        except TooLarge:
            outcome = ""
        else:
            outcome = ", and was taken"
        processor_seconds = time.process_time() - processor_began
        seconds = time.monotonic() - began

    return archive.stat().st_size, f"{processor_seconds:.1f}", f"{seconds:.1f}{outcome}"
