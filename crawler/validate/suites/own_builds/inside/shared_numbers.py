"""Numbers of kernels that all compilers of one build agree on."""

from __future__ import annotations

import fcntl
import json
import posixpath
from pathlib import Path
from typing import Final

from crawler.validate.programs.host_build.host_source import KernelPlace

_MAX_KERNELS: Final = 100_000


class SharedKernelNumbers:
    """Numbers given out as kernels are met, by any of several processes: a line of a file each."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def number_kernel(self, place: KernelPlace) -> int:
        """Return the number of the kernel at `place`, the same in every process."""
        # one source names a header from its own folder, another one from its own
        path = posixpath.normpath(posixpath.join(Path.cwd().as_posix(), place.path))
        line = json.dumps([path, place.line])

        with self._file.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            known_kernels = file.read().splitlines()
            if line in known_kernels:
                return known_kernels.index(line)
            if len(known_kernels) >= _MAX_KERNELS:
                raise ValueError(f"over {_MAX_KERNELS} kernels")

            file.write(f"{line}\n")
            return len(known_kernels)
