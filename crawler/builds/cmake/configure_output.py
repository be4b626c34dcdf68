"""Sources and headers that a configure run has written into its build folder."""

from __future__ import annotations

from pathlib import Path

from crawler.builds.sandbox_paths import BUILD_MOUNT, SOURCE_MOUNT
from crawler.checkout.generated_files import (
    GENERATED_FOLDER,
    BuildOutput,
    collect_build_output,
)
from crawler.checkout.source_tree import SourceTree


def collect_configure_output(
    build_folder: Path,
    tree: SourceTree,
    earlier_output: BuildOutput,
    *,
    conflict_suffix: str,
    private_copy: Path | None = None,
) -> tuple[str, BuildOutput]:
    """Return where the build folder lies in the checkout, and what a run has written there.

    Runs share one folder of the checkout. A run that wrote a file with another text than an
    earlier run gets a folder of its own, whose name ends in `conflict_suffix`. Projects that
    write into their own sources do so in their `private_copy`.
    """
    checkout_folder = f"{GENERATED_FOLDER}/cmake"
    output = _collect_output(build_folder, tree, checkout_folder)
    if _is_conflicting(output, earlier_output):
        checkout_folder += conflict_suffix
        output = _collect_output(build_folder, tree, checkout_folder)

    if private_copy is not None:
        output += collect_build_output(private_copy, tree, mounts={SOURCE_MOUNT: ""})

    return checkout_folder, output


def _collect_output(
    build_folder: Path, tree: SourceTree, checkout_folder: str
) -> BuildOutput:
    return collect_build_output(
        build_folder,
        tree,
        checkout_folder=checkout_folder,
        mounts={BUILD_MOUNT: checkout_folder, SOURCE_MOUNT: ""},
    )


def _is_conflicting(output: BuildOutput, earlier_output: BuildOutput) -> bool:
    text_by_path = {file.path: file.text for file in earlier_output.files}
    return any(
        text_by_path.get(file.path, file.text) != file.text for file in output.files
    )
