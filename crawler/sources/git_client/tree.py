"""Write the files of a commit without a checkout."""

from __future__ import annotations

import posixpath
import re
from contextlib import closing
from pathlib import Path
from typing import Final

from crawler.errors import BadArchive, NoKernels, TooLarge
from crawler.sources import file_names
from crawler.sources.git_client import kernel_triage
from crawler.sources.git_client.repository import BareRepository, TreeEntry
from crawler.sources.git_client.submodules import Submodule, read_submodules

_FILES: Final = frozenset({"100644", "100755", "100664"})
_LINK: Final = "120000"
_SUBMODULE: Final = "160000"
_HOPS: Final = 8
_LONGEST_TARGET: Final = 1_000
# pictures, sounds, weights, archives
_UNREAD: Final = re.compile(
    r"\.(?:png|jpe?g|gif|bmp|ico|tiff?|webp|psd|mp[34]|avi|mov|mkv|wav|ogg|flac|webm"
    r"|zip|gz|bz2|xz|7z|rar|tar|tgz|zst|whl|jar|egg|deb|rpm|iso|dmg|msi"
    r"|so|a|o|lib|dll|dylib|exe|pyc|class|wasm|cubin|fatbin|hsaco"
    r"|pth?|ckpt|onnx|safetensors|gguf|npy|npz|h5|hdf5|pkl|parquet|tfrecord|pb|tflite"
    r"|bin|caffemodel|weights|engine|rknn|mlmodel|mat|rds|sqlite3?|db|lz4|nii|dcm|exr|tga|dds|fbx|glb|blend|gds|root"
    r"|ttf|otf|woff2?|eot|pdf|docx|pptx|xlsx"
    # text, but none that a build or a parse reads
    r"|svg|ipynb|csv|tsv|ply|obj|stl|pgm|ppm|ps|eps|xyz|pdb|vtk|vtu|mtx|jsonl|drawio|bib)",
    re.IGNORECASE,
)


def write_commit_files(
    repository: BareRepository, commit: str, destination: Path, *, triage: bool = False
) -> tuple[Submodule, ...]:
    """Write the commit's files below `destination`, and return its submodules.

    A link to a file of the tree becomes that file; other links, and names that no compiler
    takes, are left out.
    Raises `TooLarge`, and `BadArchive` (`bad-repository`) where a name would leave the folder.
    With `triage`, `NoKernels` before anything more is brought, where nothing speaks for a
    kernel.
    """
    entries = _entries(repository, commit)
    files = {path: entry.oid for path, entry in entries.items() if entry.mode in _FILES}
    if triage:
        _look(repository, files)
    links = {path: entry.oid for path, entry in entries.items() if entry.mode == _LINK}
    _bring(repository, {*files.values(), *links.values()})
    files |= _followed(repository, files, links)
    _write(repository, files, destination)
    commits = {
        path: entry.oid for path, entry in entries.items() if entry.mode == _SUBMODULE
    }
    return read_submodules(
        commits,
        _gitmodules(repository, files) if commits else b"",
        repository.remote.url,
    )


def _gitmodules(repository: BareRepository, files: dict[str, str]) -> bytes:
    oid = files.get(".gitmodules", "")
    return (
        b"".join(repository.read_blobs([oid]))
        if oid in repository.read_blob_sizes()
        else b""
    )


def _entries(repository: BareRepository, commit: str) -> dict[str, TreeEntry]:
    """Return what could be read of the tree, by path, in git's order."""
    found: dict[str, TreeEntry] = {}
    most = repository.limits.files
    with closing(repository.iter_tree(commit)) as listed:
        for count, entry in enumerate(listed, 1):
            if count > most:
                raise TooLarge(
                    f"{repository.remote.url} has over {most} files: raise `files` to take it"
                )
            path = entry.path.decode("utf-8", "surrogateescape")
            _refuse(repository, path)
            if path in found:
                raise _malformed(repository, f"holds {path[:80]!r} twice")
            if _could_be_read(path):
                found[path] = entry
    return found


def _look(repository: BareRepository, files: dict[str, str]) -> None:
    """Raise `NoKernels` where no name of the tree, and none of the few files worth a look,
    speaks for a kernel.
    """
    if kernel_triage.has_device_source(files):
        return
    looked_at = {files[path] for path in kernel_triage.select_candidate_files(files)}
    _bring(repository, looked_at)
    here = sorted(looked_at & repository.read_blob_sizes().keys())
    if not any(
        kernel_triage.has_kernel_keyword(content)
        for content in repository.read_blobs(here)
    ):
        raise NoKernels(
            f"{repository.remote.url} has no CUDA or HIP source by the names of its files: "
            "crawl it by its git+https address to search all of them"
        )


def _could_be_read(path: str) -> bool:
    return (
        file_names.is_printable_name(path)
        and "\\" not in path
        and not _UNREAD.fullmatch(posixpath.splitext(path)[1])
    )


def _refuse(repository: BareRepository, path: str) -> None:
    parts = path.split("/")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise _malformed(repository, f"holds {path[:80]!r}")
    try:
        file_names.check_member_name(path.replace("\\", "_"))
    except BadArchive as error:
        raise _malformed(
            repository, f"holds a name that is too long ({path[:40]!r}…)"
        ) from error


def _bring(repository: BareRepository, wanted: set[str]) -> None:
    """Fetch the blobs that are not here yet, all at once."""
    missing = wanted - repository.read_blob_sizes().keys()
    if missing:
        repository.fetch(sorted(missing))


def _followed(
    repository: BareRepository, files: dict[str, str], links: dict[str, str]
) -> dict[str, str]:
    """Return the blob that each link to a file of the tree stands for."""
    sizes = repository.read_blob_sizes()
    short = {
        path: oid
        for path, oid in links.items()
        if sizes.get(oid, _LONGEST_TARGET + 1) <= _LONGEST_TARGET
    }
    content = repository.read_blobs(list(short.values()))
    targets = {
        path: text.decode("utf-8", "surrogateescape")
        for path, text in zip(short, content, strict=True)
    }
    followed = {path: _end(path, targets) for path in targets}
    return {path: files[end] for path, end in followed.items() if end in files}


def _end(path: str, targets: dict[str, str]) -> str:
    """Return the path that a chain of links ends at, empty where it leaves the tree or does not
    end.
    """
    for _ in range(_HOPS):
        if path not in targets:
            return path
        if targets[path].startswith("/"):
            return ""
        path = posixpath.normpath(
            posixpath.join(posixpath.dirname(path), targets[path])
        )
    return ""


def _write(
    repository: BareRepository, files: dict[str, str], destination: Path
) -> None:
    limits, sizes = repository.limits, repository.read_blob_sizes()
    lacking = [path for path, oid in files.items() if oid not in sizes]
    if lacking:
        raise _malformed(repository, f"does not send {lacking[0][:80]!r}")
    chosen = {
        path: oid
        for path, oid in sorted(files.items())
        if sizes[oid] <= limits.file_bytes
    }
    if sum(sizes[oid] for oid in chosen.values()) > limits.unpacked_bytes:
        raise TooLarge(
            f"{repository.remote.url} has over {limits.unpacked_bytes} bytes: raise `unpacked_bytes` to take it"
        )
    content = repository.read_blobs(list(chosen.values()))
    for path, blob in zip(chosen, content, strict=True):
        target = destination / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as opened:
                opened.write(blob)
        except (FileExistsError, NotADirectoryError) as error:
            raise _malformed(
                repository, f"holds {path[:80]!r} as a file and as a folder"
            ) from error


def _malformed(repository: BareRepository, why: str) -> BadArchive:
    return BadArchive(
        f"{repository.remote.url} {why}: it is refused, report it to its owner",
        code="bad-repository",
    )
