"""A unit run on a GPU: its object and cases go into the sandbox, what came of them comes out."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from crawler.model import Dialect, Suite
from crawler.sandbox import Mount
from crawler.validate.blobs import Blobs
from crawler.validate.bundle import GOLD, INPUTS, MANIFEST, OBJECTS, BundledUnit, write_bundle
from crawler.validate.devices.gpu import Gpu
from crawler.validate.devices.health import SYMBOL, health_object
from crawler.validate.devices.launch import launched
from crawler.validate.devices.performance import Baseline
from crawler.validate.devices.told import Told
from crawler.validate.runner.manifest import JOB

SECONDS: Final = 60.0
"""For all cases of a unit."""
_AROUND: Final = 90.0
"""For starting, for ending what does not end, and for a look at the device."""
_BUNDLE: Final = "/bundle"
RESULTS: Final = "/results"
_TOLD_BYTES: Final = 16 << 20
ContentOf = Callable[[str], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is wanted of the units of a bundle beside their cases."""

    seconds: float = SECONDS
    health: tuple[str, str] | None = None
    """Digest of an object, and its kernel that adds 1 to each of 64 whole numbers."""
    timing: dict[str, Any] | None = None
    """Fields of `crawler.validate.runner.manifest.Timing`; `None` times nothing."""
    case: str = ""
    """Which case is timed; the largest where it names none."""
    baseline: Baseline | None = None
    """What its time is held against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Under:
    """Another program that is given the runner to run."""

    words: tuple[str, ...] = ()
    mounts: tuple[Mount, ...] = ()


def run_units(gpu: Gpu, units: Sequence[BundledUnit], content_of: ContentOf, wanted: Wanted) -> dict[str, Told]:
    """Run each unit in a process of its own, and return what was told of each by its digest.

    The golden outputs are not within reach of what runs. Raises `MissingTool` where the sandbox does not work.
    """
    with ran_units(gpu, units, content_of, wanted) as results:
        return {each.unit: Told(results / each.unit) for each in units}


@contextmanager
def ran_units(
    gpu: Gpu, units: Sequence[BundledUnit], content_of: ContentOf, wanted: Wanted, under: Under | None = None
) -> Iterator[Path]:
    """Run units as `run_units` does, and give the folder of what was told of them, which goes afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="kernelset-device-"))
    under = under or Under()
    try:
        folder.chmod(0o755)
        bundle, results = folder / "bundle", folder / "results"
        for each in (bundle, results):
            each.mkdir()
        write_job(units, content_of, wanted, bundle)
        size = _TOLD_BYTES + sum(_left_bytes(each.suite) for each in units)
        launched(
            (_BUNDLE, RESULTS, str(gpu.library)),
            gpu.library,
            gpu.nodes,
            mounts=(*_seen(bundle), Mount(source=results, target=RESULTS, writable=True), *under.mounts),
            environment=gpu.inside,
            under=under.words,
            seconds=len(units) * (wanted.seconds + _AROUND),
            scratch_bytes=size,
        )
        yield results
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def with_health(wanted: Wanted, dialect: Dialect, target: str, blobs: Blobs) -> Wanted:
    """Let a known kernel be what the device is judged by, where one is made for `target`."""
    known = health_object(dialect, target)
    if not known:
        return wanted
    return replace(wanted, health=(blobs.put(known), SYMBOL))


def write_job(units: Sequence[BundledUnit], content_of: ContentOf, wanted: Wanted, bundle: Path) -> None:
    """Write what the runner is given into an empty folder: a bundle without its golden outputs, and what is wanted."""
    write_bundle(units, content_of, bundle)
    shutil.rmtree(bundle / GOLD, ignore_errors=True)
    if wanted.health:
        (bundle / OBJECTS / wanted.health[0]).write_bytes(content_of(wanted.health[0]))
    told = {"seconds": wanted.seconds, "health": wanted.health, "timing": wanted.timing, "case": wanted.case}
    (bundle / JOB).write_text(json.dumps(told), "utf-8")


def _seen(bundle: Path) -> tuple[Mount, ...]:
    names = (MANIFEST, JOB, OBJECTS, INPUTS)
    return tuple(Mount(source=bundle / name, target=f"{_BUNDLE}/{name}") for name in names)


def _left_bytes(suite: Suite) -> int:
    """Return how much the launches of a suite may leave: each case is run twice, and timed once."""
    return 4 * sum(buffer.size for case in suite.cases for buffer in case.buffers)
