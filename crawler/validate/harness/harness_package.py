"""Build the tests of a unit in every form: judged program, GoogleTest, PyTorch extension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crawler.model import KernelUnit, Suite
from crawler.validate.harness.google_test import render_google_test
from crawler.validate.harness.judged_test import build_judged_test
from crawler.validate.harness.program import to_identifier
from crawler.validate.harness.project_folder import collect_cpu_headers, render_folder
from crawler.validate.harness.torch_extension import render_extension
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.parameter_types import Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessPackage:
    """Files by their names in a folder, and why there is no extension of PyTorch among them,
    where there is none.
    """

    files: Mapping[str, bytes]
    extension_problem: str = ""


def build_harness_package(
    unit: KernelUnit,
    suite: Suite,
    blobs: Blobs,
    signatures: Sequence[Signature],
    *,
    name: str,
) -> HarnessPackage:
    """Return the tests of `unit` in every form, by the cases of `suite` that are not hidden."""
    identifier = to_identifier(name)
    judged = build_judged_test(unit, suite, blobs, name=f"test_{identifier}")
    google_name = f"google_test_{identifier}"
    google_test = render_google_test(unit, suite, name=google_name, test=judged.name)
    extension = render_extension(unit, signatures, suite, blobs, name=identifier)

    files = {**render_folder([judged]), **collect_cpu_headers()}
    files[f"{google_name}.cpp"] = google_test.encode()
    for file, content in extension.files.items():
        files[f"extension/{file}"] = content

    return HarnessPackage(files=files, extension_problem=extension.problem)
