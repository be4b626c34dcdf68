"""All that a person is handed to test one unit by: programs, GoogleTest, an extension of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crawler.model import KernelUnit, Suite
from crawler.validate.blobs import Blobs
from crawler.validate.harness.folder import cpu_headers, folder
from crawler.validate.harness.program import Form, harness_of, identifier
from crawler.validate.harness.torch_extension import extension
from crawler.validate.simt.signature import Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Handout:
    """Files by their names in a folder, and why there is no extension of PyTorch among them, where there is none."""

    files: Mapping[str, bytes]
    no_extension: str = ""


def handout(unit: KernelUnit, suite: Suite, blobs: Blobs, signatures: Sequence[Signature], *, name: str) -> Handout:
    """Return the tests of `unit` in every form, by the cases of `suite` that are not hidden."""
    called = identifier(name)
    program = harness_of(unit, suite, blobs, name=f"test_{called}")
    google = harness_of(unit, suite, blobs, name=f"google_test_{called}", form=Form.GOOGLETEST)
    files = {**folder([(unit, program)]), **cpu_headers()}
    files[google.file] = google.source.encode("utf-8", "surrogateescape")
    if google.beside:
        files[google.beside_file] = google.beside
    torch = extension(unit, signatures, suite, blobs, name=called)
    files |= {f"extension/{file}": content for file, content in torch.files.items()}
    return Handout(files=files, no_extension=torch.problem)
