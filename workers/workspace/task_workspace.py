"""What a stage gets besides claim and storage: settings, scratch space and unpacked snapshots."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from crawler.checkout.generated_files import write_generated_files
from crawler.model import GeneratedFile
from storage.interfaces import BlobStore
from workers.config.settings import Settings
from workers.workspace import scratch, snapshot


@dataclass(slots=True)
class Workspace:
    """The settings in force, and a scratch folder in which the last snapshot stays unpacked for
    the next task.
    """

    settings: Settings
    scratch: Path
    _unpacked: dict[tuple[str, int], Path] = field(default_factory=dict)

    @contextmanager
    def temporary_folder(self) -> Iterator[Path]:
        """Give an empty folder, and remove it afterwards."""
        path = Path(tempfile.mkdtemp(dir=self.scratch))
        path.chmod(0o755)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def checkout(
        self, digest: str, blobs: BlobStore, generated: tuple[GeneratedFile, ...] = ()
    ) -> Path:
        """Return the root of the unpacked snapshot, with what builds have written.

        Callers only read it: the next task on the same snapshot gets the same folder.
        """
        key = (digest, hash(generated))
        if key not in self._unpacked:
            # only the last stays: a disk has no room for many repositories
            self.close()
            root = Path(tempfile.mkdtemp(dir=self.scratch)) / "tree"
            # `mkdtemp` lets in nobody else, and the sandbox is another user
            root.parent.chmod(0o755)
            snapshot.unpack_snapshot(blobs.get(digest), root)
            write_generated_files(root, generated)
            self._unpacked[key] = root
        return self._unpacked[key]

    def close(self) -> None:
        """Remove what was unpacked."""
        for root in self._unpacked.values():
            shutil.rmtree(root.parent, ignore_errors=True)
        self._unpacked.clear()


@contextmanager
def open_workspace(settings: Settings) -> Iterator[Workspace]:
    """Give this process's workspace, and remove it afterwards."""
    folder = scratch.create_process_folder(settings.home)
    workspace = Workspace(settings=settings, scratch=folder)
    try:
        yield workspace
    finally:
        shutil.rmtree(workspace.scratch, ignore_errors=True)
