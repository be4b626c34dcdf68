"""Compile a translated source, with the headers that all sources begin with compiled once."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from crawler.validate.programs.host_build.refused_defaults import mend_refused
from crawler.validate.programs.host_build.shared_prefix import split_source
from crawler.validate.suites.own_builds.stand_in_paths import RESULTS_MOUNT

_MAX_TRIES: Final = 20


def compile_translated(
    clang: str, flags: list[str], text: str, folder: Path, output: str
) -> None:
    """Compile what `translate_source` returned; raises `CalledProcessError`."""
    split = split_source(text)
    prefix_flags = _precompile(clang, flags, split.prefix) if split.prefix else []
    rest = split.rest if prefix_flags else text
    source = folder / "translated.ii"
    # of several languages the last one counts
    words = ("-x", "c++-cpp-output", "-c", str(source), "-o", output)
    argv = [clang, *flags, *prefix_flags, *words]

    for _ in range(_MAX_TRIES):
        source.write_text(rest, "utf-8", "surrogateescape")
        completed = subprocess.run(argv, stderr=subprocess.PIPE)
        messages = completed.stderr.decode("utf-8", "replace")
        mended = mend_refused(rest, messages) if completed.returncode else rest
        if mended == rest:
            break
        # clang names no more than twenty errors at once
        rest = mended

    sys.stderr.write(messages)
    completed.check_returncode()


def _precompile(clang: str, flags: list[str], prefix: str) -> list[str]:
    """Return the flags by which a source has the headers that all of them begin with."""
    identity = repr((flags, prefix)).encode("utf-8", "surrogateescape")
    name = f"prefix-{hashlib.sha256(identity).hexdigest()}"
    header = Path(RESULTS_MOUNT) / f"{name}.pch"
    if not header.is_file():
        source = Path(RESULTS_MOUNT) / f"{name}.ii"
        made = Path(RESULTS_MOUNT) / f"{name}-{os.getpid()}"
        source.write_text(prefix, "utf-8", "surrogateescape")
        words = ("-x", "c++-header", str(source), "-fsyntax-only")
        precompiling = ("-fpch-instantiate-templates", "-Xclang", "-fno-pch-timestamp")
        emitting = ("-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang", str(made))
        argv = [clang, *flags, *words, *precompiling, *emitting]
        completed = subprocess.run(argv, capture_output=True)
        if completed.returncode or not made.is_file():
            return []
        made.rename(header)

    return ["-Xclang", "-include-pch", "-Xclang", str(header)]
