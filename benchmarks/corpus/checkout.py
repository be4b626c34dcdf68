"""Run `kernelset` of another checkout of this project, and read what it makes of sources."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VARYING_KEYS = frozenset({"seconds", "cpu_seconds", "strength", "stages"})
"""Keys of a row that hold a time, what could be tried within one (mutants of a kernel), or the
version of the program."""
CRAWL_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Checkout:
    """A checkout of this project with its own virtual environment."""

    folder: Path

    def run(
        self, *words: str, home: Path, seconds: float = CRAWL_SECONDS
    ) -> subprocess.CompletedProcess[bytes]:
        """Run `kernelset` of this checkout with its state under `home`.

        Raises `subprocess.TimeoutExpired` after `seconds`, when nothing that it started is left.
        """
        command = [str(self.folder / ".venv" / "bin" / "kernelset"), *words]
        # Files, since whoever inherits a pipe keeps its reader waiting.
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            process = subprocess.Popen(
                command,
                env={**os.environ, "KERNELSET_HOME": str(home)},
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
            try:
                process.wait(seconds)
            finally:
                _kill_group(process)
            stdout.seek(0)
            stderr.seek(0)
            return subprocess.CompletedProcess(
                command, process.returncode, stdout.read(), stderr.read()
            )

    def crawl(self, locator: str, home: Path, *options: str) -> float:
        """Crawl a locator into an empty home and return the seconds that it took."""
        started = time.monotonic()
        ended = self.run("crawl", locator, *options, home=home)
        if ended.returncode:
            print(ended.stderr.decode(errors="replace"), file=sys.stderr)
        return time.monotonic() - started

    def export_rows(self, home: Path) -> dict[str, dict[str, Any]]:
        """Return all rows of the view `kernels` by their ids, without what varies."""
        exported = home / "kernels.jsonl"
        options = ("--licence", "any", "--format", "jsonl")
        self.run("export", "kernels", str(exported), *options, home=home)
        rows = map(json.loads, exported.read_text().splitlines())
        return {row["id"]: _without_times(row) for row in rows}

    def extract_and_port(
        self, path: Path, scratch: Path, seconds: float = CRAWL_SECONDS
    ) -> dict[str, bytes]:
        """Return what `extract` and `port` write for a source, by file.

        Raises `subprocess.TimeoutExpired` where either takes longer than `seconds`.
        """
        home, folder = scratch / "home", scratch / "units"
        words = ("extract", "--input-file", str(path), "--output-dir", str(folder))
        try:
            extracted = self.run(*words, home=home, seconds=seconds)
            contents = {"exit code": str(extracted.returncode).encode()}
            for unit in sorted(folder.rglob("*")):
                if unit.is_file():
                    contents[unit.relative_to(folder).as_posix()] = unit.read_bytes()
            ported = self.run("port", str(path), home=home, seconds=seconds)
            contents["port"] = ported.stdout
            return contents
        finally:
            # The next checkout writes to the same path, since paths may stand in what is written.
            shutil.rmtree(folder, ignore_errors=True)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        lasting = {key: part for key, part in value.items() if key not in VARYING_KEYS}
        # its digest depends on the folder that the headers lie in
        if isinstance(lasting.get("toolchain"), dict):
            lasting["toolchain"] = {**lasting["toolchain"], "digest": ""}
        return {key: _without_times(part) for key, part in lasting.items()}
    if isinstance(value, list):
        return [_without_times(part) for part in value]
    return value
