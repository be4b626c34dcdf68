"""Write the files of a commit without a checkout."""

from __future__ import annotations

import posixpath
import re
from contextlib import closing
from pathlib import Path
from typing import Final

from crawler.errors import BadArchive, CrawlError, NoKernels, TooLarge
from crawler.sources import file_names
from crawler.sources.git_client import kernel_triage
from crawler.sources.git_client.repository import BareRepository, TreeEntry
from crawler.sources.git_client.submodules import Submodule, read_submodules

_FILE_MODES: Final = frozenset({"100644", "100755", "100664"})
_LINK_MODE: Final = "120000"
_SUBMODULE_MODE: Final = "160000"
_MAX_LINK_HOPS: Final = 8
_MAX_LINK_TARGET: Final = 1_000
# Pictures, sounds, weights and archives.
_UNREAD_SUFFIX: Final = re.compile(
    r"\.(?:png|jpe?g|gif|bmp|ico|tiff?|webp|psd|mp[34]|avi|mov|mkv|wav|ogg|flac|webm"
    r"|zip|gz|bz2|xz|7z|rar|tar|tgz|zst|whl|jar|egg|deb|rpm|iso|dmg|msi"
    r"|so|a|o|lib|dll|dylib|exe|pyc|class|wasm|cubin|fatbin|hsaco"
    r"|pth?|ckpt|onnx|safetensors|gguf|npy|npz|h5|hdf5|pkl|parquet|tfrecord|pb|tflite"
    r"|bin|caffemodel|weights|engine|rknn|mlmodel|mat|rds|sqlite3?|db|lz4|nii|dcm|exr|tga|dds|fbx|glb|blend|gds|root"
    r"|ttf|otf|woff2?|eot|pdf|docx|pptx|xlsx"
    # Text, but none that a build or a parse reads
    r"|svg|ipynb|csv|tsv|ply|obj|stl|pgm|ppm|ps|eps|xyz|pdb|vtk|vtu|mtx|jsonl|drawio|bib)",
    re.IGNORECASE,
)


def write_commit_files(
    repository: BareRepository, commit: str, destination: Path, *, triage: bool = False
) -> tuple[tuple[Submodule, ...], tuple[str, ...]]:
    """Write the commit's files below `destination`; return its submodules, and the sources that
    a partial clone on this machine lacks itself.

    A link to a file of the tree becomes that file; other links are left out, and names are
    spelled as text. Raises `TooLarge`, and `BadArchive` (`bad-repository`) where a name
    would leave the folder, or no device source is sent. With `triage`, raises `NoKernels` before
    the bulk is fetched, where nothing shows a kernel.
    """
    # Object ids by path.
    entries = _read_tree(repository, commit)
    files: dict[str, str] = {}
    links: dict[str, str] = {}
    submodules: dict[str, str] = {}

    for path, entry in entries.items():
        if entry.mode in _FILE_MODES:
            files[path] = entry.oid
        elif entry.mode == _LINK_MODE:
            links[path] = entry.oid
        elif entry.mode == _SUBMODULE_MODE:
            submodules[file_names.spell_path(path)] = entry.oid

    if triage:
        _check_for_kernels(repository, _spell_paths(files))
    absent_oids = _fetch_missing(repository, {*files.values(), *links.values()})
    files = _spell_paths(files | _resolve_links(repository, files, links))
    files, absent_sources = _split_absent(repository, files, absent_oids)
    _write_files(repository, files, destination)

    gitmodules = _read_gitmodules(repository, files) if submodules else b""

    return read_submodules(
        submodules, gitmodules, repository.remote.url
    ), absent_sources


def _split_absent(
    repository: BareRepository, files: dict[str, str], absent_oids: set[str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the files that are sent, and the sources that are not.

    Data that a partial clone lacks nobody misses.
    """
    sent_files = {path: oid for path, oid in files.items() if oid not in absent_oids}
    absent_sources = tuple(
        path
        for path in sorted(files.keys() - sent_files.keys())
        if kernel_triage.may_hold_code(path)
    )
    if kernel_triage.has_device_source(
        absent_sources
    ) and not kernel_triage.has_device_source(sent_files):
        raise _make_error(repository, f"does not send {absent_sources[0][:80]!r}")

    return sent_files, absent_sources


def _spell_paths(files: dict[str, str]) -> dict[str, str]:
    return {file_names.spell_path(path): oid for path, oid in files.items()}


def _read_gitmodules(repository: BareRepository, files: dict[str, str]) -> bytes:
    oid = files.get(".gitmodules", "")
    if oid not in repository.read_blob_sizes():
        return b""
    return b"".join(repository.read_blobs([oid]))


def _read_tree(repository: BareRepository, commit: str) -> dict[str, TreeEntry]:
    """Return the entries of the tree that a build or a parse could read, in git's order."""
    entries: dict[str, TreeEntry] = {}
    max_files = repository.limits.files

    with closing(repository.iter_tree(commit)) as tree_entries:
        for count, entry in enumerate(tree_entries, 1):
            if count > max_files:
                raise TooLarge(
                    f"{repository.remote.url} has over {max_files} files: "
                    "raise `files` to take it"
                )

            path = entry.path.decode("utf-8", "surrogateescape")
            _check_path(repository, path)
            if path in entries:
                raise _make_error(repository, f"holds {path[:80]!r} twice")
            if _is_readable(path):
                entries[path] = entry

    return entries


def _check_for_kernels(repository: BareRepository, files: dict[str, str]) -> None:
    """Raise `NoKernels` where neither the names nor the few files worth a look show a kernel."""
    if kernel_triage.has_device_source(files):
        return

    candidates = kernel_triage.select_candidate_files(files)
    oids = {files[path] for path in candidates}
    _fetch_missing(repository, oids)

    present_oids = sorted(oids & repository.read_blob_sizes().keys())
    contents = repository.read_blobs(present_oids)
    if not any(kernel_triage.has_kernel_keyword(content) for content in contents):
        raise NoKernels(
            f"{repository.remote.url} has no CUDA or HIP source by the names of its files: "
            "crawl it by its git+https address to search all of them"
        )


def _is_readable(path: str) -> bool:
    """Tell whether a build or a parse could read a file of this name."""
    suffix = posixpath.splitext(path)[1]

    return not _UNREAD_SUFFIX.fullmatch(suffix)


def is_usable_path(path: str) -> bool:
    """Tell whether a file of this path may be written below a folder, and is worth it."""
    parts = path.split("/")
    is_inside = not any(
        part in ("", ".", "..") or part.lower() == ".git" for part in parts
    )
    if not is_inside or file_names.spell_path(path) != path or not _is_readable(path):
        return False

    try:
        file_names.check_member_name(path)
    except BadArchive:
        return False

    return True


def _check_path(repository: BareRepository, path: str) -> None:
    """Raise `BadArchive` for a path that would leave the folder, or lie in git's own."""
    for part in path.split("/"):
        if part in ("", ".", "..") or part.lower() == ".git":
            raise _make_error(repository, f"holds {path[:80]!r}")

    try:
        # A backslash is no separator here.
        file_names.check_member_name(path.replace("\\", "_"))
    except BadArchive as error:
        raise _make_error(
            repository, f"holds a name that is too long ({path[:40]!r}…)"
        ) from error


def _fetch_missing(repository: BareRepository, oids: set[str]) -> set[str]:
    """Fetch the blobs that are not here yet, all at once; return those that a partial clone on
    this machine lacks itself.
    """
    missing_oids = oids - repository.read_blob_sizes().keys()
    if not missing_oids:
        return set()

    try:
        repository.fetch(sorted(missing_oids))
    except CrawlError:
        absent_oids = repository.list_absent(missing_oids)
        if not absent_oids:
            raise
        repository.fetch(sorted(missing_oids - absent_oids))
        return absent_oids

    return set()


def _resolve_links(
    repository: BareRepository, files: dict[str, str], links: dict[str, str]
) -> dict[str, str]:
    """Return the blob that each link to a file of the tree stands for."""
    size_by_oid = repository.read_blob_sizes()
    # No path is longer, and contents are read into memory.
    short_links = {
        path: oid
        for path, oid in links.items()
        if size_by_oid.get(oid, _MAX_LINK_TARGET + 1) <= _MAX_LINK_TARGET
    }

    contents = repository.read_blobs(list(short_links.values()))
    target_by_link = {
        path: content.decode("utf-8", "surrogateescape")
        for path, content in zip(short_links, contents, strict=True)
    }

    resolved: dict[str, str] = {}

    for path in target_by_link:
        end = _follow_links(path, target_by_link)
        if end in files:
            resolved[path] = files[end]

    return resolved


def _follow_links(path: str, target_by_link: dict[str, str]) -> str:
    """Return the path that a chain of links ends at.

    It is empty where the chain leaves the tree, or does not end.
    """
    for _ in range(_MAX_LINK_HOPS):
        if path not in target_by_link:
            return path

        target = target_by_link[path]
        if target.startswith("/"):
            return ""

        folder = posixpath.dirname(path)
        path = posixpath.normpath(posixpath.join(folder, target))

    return ""


def _write_files(
    repository: BareRepository, files: dict[str, str], destination: Path
) -> None:
    limits = repository.limits
    size_by_oid = repository.read_blob_sizes()
    for path, oid in files.items():
        if oid not in size_by_oid:
            raise _make_error(repository, f"does not send {path[:80]!r}")

    chosen_files = {
        path: oid
        for path, oid in sorted(files.items())
        if size_by_oid[oid] <= limits.file_bytes
    }

    total_bytes = sum(size_by_oid[oid] for oid in chosen_files.values())
    if total_bytes > limits.unpacked_bytes:
        raise TooLarge(
            f"{repository.remote.url} has over {limits.unpacked_bytes} bytes: "
            "raise `unpacked_bytes` to take it"
        )

    contents = repository.read_blobs(list(chosen_files.values()))
    for path, content in zip(chosen_files, contents, strict=True):
        target = destination / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            # Two names may be one on a file system that ignores case.
            with target.open("xb") as file:
                file.write(content)
        except (FileExistsError, NotADirectoryError) as error:
            raise _make_error(
                repository, f"holds {path[:80]!r} as a file and as a folder"
            ) from error


def _make_error(repository: BareRepository, fault: str) -> BadArchive:
    return BadArchive(
        f"{repository.remote.url} {fault}: it is refused, report it to its owner",
        code="bad-repository",
    )
