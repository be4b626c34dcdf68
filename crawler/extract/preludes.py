"""Our preludes as libclang reads them fast: precompiled once on a machine, and lent to the processes that parse.

`python -m crawler.extract.preludes FOLDER VARIANT` makes one; it reads nothing of a stranger's.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from clang import cindex

from crawler import cache as folders
from crawler import codec, headers, process, standards, toolchain
from crawler.errors import MissingTool
from crawler.headers.flags import parse_flags, parse_prelude
from crawler.headers.overlay import overlay
from crawler.model import Dialect
from crawler.process import Limits

_FOR_SERIALISATION: Final = 0x02 | 0x10
# libclang 18 writes a precompiled header of C++20 with modules, and then cannot read it
NO_MODULES: Final = ("-Xclang", "-fno-cxx-modules")
_NAME: Final = "prelude.pch"
_LOCAL: Final = (Path("/usr/include"), Path("/usr/include/c++"), Path("/usr/local/include"))
_IMPOSSIBLE: Final[set[str]] = set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A prelude as one kind of parse wants it."""

    torch: bool
    device: Dialect | None
    """Whose device code shows; none in a parse of the host side."""
    standard: str
    library: bool = False
    """Whether the C++ library's headers for a host are in it; those for PyTorch bring them anyway."""


@cache
def index() -> Any:
    """Return the libclang of this process."""
    # excludeDecls leaves out the precompiled prelude, and shows template instantiations as the compiler made them
    return cindex.Index.create(excludeDecls=True)


def resources() -> str:
    """Return the folder of clang's own headers; raises `MissingTool`."""
    found = toolchain.libclang_resource_dir()
    if found is None:
        raise MissingTool("clang's own headers are not installed: run `deploy/bootstrap`")
    return str(found)


@cache
def scratch() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that lives as long as this process."""
    return tempfile.TemporaryDirectory(prefix="kernelset-parse-")


@cache
def also_file() -> str:
    """Return the name of a file whose content a parse brings along."""
    file = Path(scratch().name, "also.h")
    file.touch()
    return str(file)


@cache
def overlay_file() -> Path:
    """Return the file with the names of our headers, as this process shows them to clang."""
    file = Path(scratch().name, "headers.yaml")
    file.write_text(overlay(), "utf-8")
    return file


def make(variant: Variant, target: Path) -> bool:
    """Precompile a prelude to a file, in this process; tell whether libclang could.

    Its templates are instantiated in it, else clang would do that again at the end of every unit: 0.1 s each.
    """
    flags = parse_flags(overlay_file(), standard=variant.standard, device=variant.device)
    arguments = ["-resource-dir", resources(), *flags, *NO_MODULES, "-fpch-instantiate-templates"]
    try:
        header = str(parse_prelude(torch=variant.torch, library=variant.library))
        index().parse(header, args=arguments, options=_FOR_SERIALISATION).save(str(target))
    except (cindex.TranslationUnitLoadError, cindex.TranslationUnitSaveError):
        return False
    return True


def shared(variant: Variant) -> bytes:
    """Return a precompiled prelude of this machine's cache; empty where none can be made."""
    key = _key(variant)
    if variant.standard not in standards.KNOWN or key in _IMPOSSIBLE:
        return b""

    def filled(folder: Path) -> bool:
        argv = [sys.executable, "-m", __name__, str(folder / _NAME), codec.encode(variant).decode()]
        return process.run(argv, limits=Limits(seconds=120)).exit_code == 0

    made = folders.made(f"prelude-{key}", filled, holds=_NAME)
    if made is None:
        _IMPOSSIBLE.add(key)
    return (made / _NAME).read_bytes() if made else b""


lent: Callable[[Variant], bytes] = shared
"""Where this process has its preludes from."""


@cache
def precompiled(variant: Variant) -> str:
    """Return the path of a precompiled prelude that serves this process; empty where there is none.

    One that was lent may be of other headers than those that are seen here: then it is made anew.
    """
    target = Path(scratch().name, f"{'-'.join(map(str, astuple(variant)))}.pch")
    content = lent(variant)
    if content:
        target.write_bytes(content)
        if _serves(variant, target):
            return str(target)
    return str(target) if make(variant, target) else ""


def _serves(variant: Variant, prelude: Path) -> bool:
    flags = parse_flags(overlay_file(), standard=variant.standard, device=variant.device)
    arguments = ["-resource-dir", resources(), *flags, *NO_MODULES, "-include-pch", str(prelude)]
    try:
        unit = index().parse("probe.cu", args=arguments, unsaved_files=[("probe.cu", "")])
    except cindex.TranslationUnitLoadError:
        return False
    return not any(one.severity >= cindex.Diagnostic.Error for one in unit.diagnostics)


@cache
def _key(variant: Variant) -> str:
    # clang refuses a precompiled header when a header's time has changed, even if its content has not
    seen = (*headers.files(), Path(str(cindex.conf.lib._name)), *_LOCAL)
    state = tuple((str(path), path.stat().st_mtime_ns) for path in seen if path.exists())
    told = (astuple(variant), resources(), NO_MODULES, toolchain.digest(), state)
    return hashlib.sha256(repr(told).encode()).hexdigest()


def main() -> int:
    """Make the prelude that the command line names."""
    return 0 if make(codec.decode(sys.argv[2], Variant), Path(sys.argv[1])) else 1


if __name__ == "__main__":
    raise SystemExit(main())
