"""Bundle of units for a runner: manifest, objects, cases and inputs, with golden outputs in a
folder apart.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import msgspec

from crawler import codec
from crawler.errors import Misconfigured
from crawler.field_docstrings import add_field_descriptions
from crawler.model import Build, KernelUnit, Suite
from crawler.validate.bundle.kernel_symbols import Entry, match_kernel_symbols

BUNDLE_SCHEMA: Final = "kernelset/bundle/1"
MANIFEST_FILE: Final = "manifest.json"
OBJECTS_FOLDER: Final = "objects"
INPUTS_FOLDER: Final = "inputs"
GOLDEN_FOLDER: Final = "gold"
"""Apart from all else, so that whoever launches a kernel can be shown the rest without what
ought to come out.
"""
ReadBlob = Callable[[str], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledUnit:
    """A unit's object and the cases that it is run with."""

    unit: str
    """Digest of what was built; `suite.unit` may be the one that it was ported from."""
    kernel_name: str
    """Qualified name of the kernel."""
    dialect: str
    """`cuda` or `hip`."""
    target: str
    """`gfx942`, `sm_90`."""
    form: str
    """`code` or `ptx`."""
    object: str
    """Digest; the bytes are `objects/DIGEST`."""
    entries: tuple[Entry, ...]
    """The object's kernels, in the order that `entry` of a case counts."""
    suite: Suite
    """Contents are `inputs/DIGEST`, golden outputs `gold/DIGEST`; the hidden case is among its
    cases.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """What `manifest.json` says."""

    units: tuple[BundledUnit, ...]
    """What is to be run, in this order."""
    schema: str = BUNDLE_SCHEMA
    """Name and version of this form."""


def bundle_unit(unit: KernelUnit, build: Build, suite: Suite) -> BundledUnit:
    """Return a unit as it is bundled: as `build` made it, with the cases of `suite`, its own or
    its source's.
    """
    return BundledUnit(
        unit=unit.digest,
        kernel_name=unit.kernel_name,
        dialect=unit.dialect.value,
        target=build.target,
        form=build.form,
        object=build.object_digest,
        entries=match_kernel_symbols(unit, build.symbols),
        suite=suite,
    )


def input_digests(suite: Suite) -> tuple[str, ...]:
    """Return the digests of what stands in the buffers of all cases before their launches, each
    once.
    """
    digests = [
        buffer.content
        for case in suite.cases
        for buffer in case.buffers
        if buffer.content
    ]

    return tuple(dict.fromkeys(digests))


def golden_digests(suite: Suite) -> tuple[str, ...]:
    """Return the digests of what ought to stand in the buffers afterwards, each once."""
    digests = []
    for case in suite.cases:
        for buffer in case.buffers:
            digests += [buffer.gold, buffer.gold_filled]

    return tuple(dict.fromkeys(filter(None, digests)))


def write_bundle(
    units: Iterable[BundledUnit], read_blob: ReadBlob, folder: Path
) -> Bundle:
    """Write a bundle into an empty folder; `read_blob` gives the bytes of a digest, and raises
    as it likes.
    """
    bundle = Bundle(units=tuple(units))
    for name, digests in _list_digests_by_folder(bundle).items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for digest in digests:
            (folder / name / digest).write_bytes(read_blob(digest))

    # last, so that a folder with a manifest is complete
    (folder / MANIFEST_FILE).write_bytes(codec.encode(bundle))
    return bundle


def read_bundle(folder: Path) -> Bundle:
    """Return what a folder's manifest says; raises `Misconfigured` where it is none of this
    schema.
    """
    try:
        manifest = (folder / MANIFEST_FILE).read_bytes()
        schema = json.loads(manifest)["schema"]
        if schema == BUNDLE_SCHEMA:
            return codec.decode(manifest, Bundle)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Misconfigured(
            f"{folder} holds no bundle ({error}): name one that `write_bundle` wrote"
        ) from error

    raise Misconfigured(
        f"{folder} holds a {schema}, and this is for {BUNDLE_SCHEMA}: bundle it again",
        code="bad-bundle",
    )


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of `manifest.json`."""
    schema = add_field_descriptions(msgspec.json.schema(Bundle), Bundle)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": BUNDLE_SCHEMA,
        **schema,
    }


def without_hidden_cases(suite: Suite) -> Suite:
    """Return a suite without what is held back from prompts and exports."""
    return replace(suite, cases=tuple(case for case in suite.cases if not case.hidden))


def _list_digests_by_folder(bundle: Bundle) -> Mapping[str, list[str]]:
    objects: list[str] = []
    inputs: list[str] = []
    golden_outputs: list[str] = []

    for unit in bundle.units:
        if unit.object:
            objects.append(unit.object)

        inputs += input_digests(unit.suite)
        golden_outputs += golden_digests(unit.suite)

    return {
        OBJECTS_FOLDER: list(dict.fromkeys(objects)),
        INPUTS_FOLDER: list(dict.fromkeys(inputs)),
        GOLDEN_FOLDER: list(dict.fromkeys(golden_outputs)),
    }
