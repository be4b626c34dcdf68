"""Build a project's extension modules for this machine's CPU, against a real PyTorch."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Semaphore
from typing import Final

from crawler import cache, headers
from crawler.builds.setup_py.extension_modules import ExtensionModule
from crawler.checkout.source_tree import open_tree
from crawler.cpp.language_standard import requested_standard
from crawler.model import CompileCommand
from crawler.sandbox.work_folder import open_work_folder
from crawler.toolchains import discovery
from crawler.validate.programs.host_build.build_failure import (
    COMPILE_ERROR,
    BuildFailed,
)
from crawler.validate.programs.host_build.host_compiler import (
    HostCompiler,
    KernelNumbers,
)
from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.suites.device_libraries import (
    DeviceLibraries,
    list_host_flags,
    list_library_flags,
    list_link_words,
    list_torch_flags,
)
from crawler.validate.suites.known_objects import (
    OBJECT,
    KnownObjects,
    SourceNumbers,
)
from crawler.validate.suites.source_objects import (
    PreprocessedSource,
    SourceFailed,
    SourceFailure,
    SourceObject,
    wait_for_all,
)
from crawler.validate.suites.torch_environment import TorchEnvironment
from crawler.validate.suites.unbuilt_functions import (
    list_unbuilt_functions,
    render_throwing_functions,
)

_MAX_WAITING_TEXTS: Final = 8
"""Preprocessed sources that wait to be compiled: each has megabytes."""
# PyTorch's own builder of extensions sets them
_DEFAULT_FLAGS: Final = (
    "-D__CUDA_NO_HALF_OPERATORS__",
    "-D__CUDA_NO_HALF_CONVERSIONS__",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltExtensions:
    """Modules of a project, built for the CPU model."""

    libraries: dict[str, bytes]
    """Shared libraries by the module's dotted name."""
    kernels: tuple[KernelPlace, ...]
    """Kernels by their numbers, which are the same in all modules."""
    failures: dict[str, SourceFailure]
    """Why a module is not there, by its name: the first thing that went wrong. Of a module that is
    there, the sources that it comes without, by their own names.
    """


def build_extensions(
    root: Path,
    modules: Sequence[ExtensionModule],
    environment: TorchEnvironment,
    libraries: DeviceLibraries,
    report_progress: Callable[[str], None] = lambda line: None,
    *,
    first_number: int = 0,
) -> BuiltExtensions:
    """Build the modules of the checkout `root`, whose kernels are numbered from `first_number`.

    `report_progress` is told of each source before it is compiled.
    """
    clang = discovery.find_clang()
    if clang is None:
        raise BuildFailed("no-compiler", "no clang++ of version 18 or newer")

    with open_work_folder("cpu") as work:
        for library in (libraries.runtime, libraries.torch):
            shutil.copyfile(library, work / library.name)
        build = _ExtensionBuild(
            root=root,
            clang=clang,
            work=work,
            environment=environment,
            libraries=libraries,
            report_progress=report_progress,
            numbers=KernelNumbers(first_number),
        )
        return build.build_modules(modules)


class _ExtensionBuild:
    """One build of all modules of a project, each source compiled once for each set of flags."""

    def __init__(
        self,
        *,
        root: Path,
        clang: discovery.Clang,
        work: Path,
        environment: TorchEnvironment,
        libraries: DeviceLibraries,
        report_progress: Callable[[str], None],
        numbers: KernelNumbers,
    ) -> None:
        self._root = root
        self._clang = clang
        self._work = work
        self._environment = environment
        self._libraries = libraries
        self._report_progress = report_progress
        self._numbers = numbers
        self._free_texts = Semaphore(_MAX_WAITING_TEXTS)
        self._objects: dict[CompileCommand, SourceObject] = {}
        self._known_objects = KnownObjects(open_tree(root), repr((environment, clang)))
        self._source_count = 0

    def build_modules(self, modules: Sequence[ExtensionModule]) -> BuiltExtensions:
        """Build every module, as many sources at once as there are processors."""
        built: dict[str, bytes] = {}
        failures: dict[str, SourceFailure] = {}
        commands = {command for module in modules for command in module.commands}
        self._source_count = len(commands)

        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            # kernels are numbered in the order of the sources, whichever is compiled first
            objects = {
                module.name: [self._begin(command, pool) for command in module.commands]
                for module in modules
            }
            for number, module in enumerate(modules):
                try:
                    names, missing = wait_for_all(objects[module.name])
                    library = self._link(names, number)
                    built[module.name] = library.read_bytes()
                    failures |= {failure.file: failure for failure in missing}
                except SourceFailed as error:
                    failures[module.name] = error.failure
                except BuildFailed as error:
                    failures[module.name] = SourceFailure(
                        file=module.name, code=error.code, message=str(error)
                    )

        return BuiltExtensions(
            libraries=built, kernels=self._numbers.list_places(), failures=failures
        )

    def _begin(self, command: CompileCommand, pool: ThreadPoolExecutor) -> SourceObject:
        """Preprocess a source here, and compile it in `pool`: each once, however many modules
        it is in.
        """
        if command in self._objects:
            return self._objects[command]

        number = len(self._objects) + 1
        self._report_progress(f"{number} of {self._source_count}: {command.file}")
        name = f"source{len(self._objects)}"
        begun = SourceObject(
            file=command.file, name=name, is_device_code=command.dialect is not None
        )
        self._objects[command] = begun
        compiler = self._make_compiler(command, name)
        key = self._known_objects.name_source(command, compiler.flags)
        known_object = self._known_objects.find(key, self._numbers)
        if known_object is not None:
            begun.future = pool.submit(self._copy_object, known_object, name)
            return begun

        self._free_texts.acquire()
        try:
            source = self._preprocess(command, compiler, name, key)
            begun.future = pool.submit(self._compile, source)
            begun.future.add_done_callback(lambda _: self._end_source(compiler))
        except BuildFailed as error:
            begun.error = error
            self._end_source(compiler)

        return begun

    def _end_source(self, compiler: HostCompiler) -> None:
        """Let the next text come, and remove what compiling this one has left: of hundreds of
        sources that is more than a linker's sandbox has room for.
        """
        shutil.rmtree(compiler.work, ignore_errors=True)
        self._free_texts.release()

    def _preprocess(
        self, command: CompileCommand, compiler: HostCompiler, name: str, key: str
    ) -> PreprocessedSource:
        numbers = SourceNumbers(self._numbers)
        text = (
            compiler.translate(command, numbers)
            if command.dialect
            else compiler.preprocess_host_source(command)
        )
        return PreprocessedSource(
            command=command,
            compiler=compiler,
            name=name,
            key=key,
            text=text,
            kernels=numbers.kernels,
        )

    def _compile(self, source: PreprocessedSource) -> str:
        """Return the object in the work folder that a preprocessed source becomes."""
        compiler = source.compiler

        def compile_object(folder: Path) -> bool:
            written = compiler.compile_text(source.text, source.name)
            shutil.copyfile(compiler.work / written, folder / OBJECT)
            return True

        # our own headers are in the text, wherever they lie
        identity = headers.drop_place(repr((source.text, compiler.flags, self._clang)))
        digest = hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()
        object_folder = f"{cache.OBJECT_PREFIX}{digest}"
        folder = cache.get_or_build(object_folder, compile_object, required_file=OBJECT)
        if folder is None:
            raise BuildFailed(COMPILE_ERROR, "the object was not written")

        self._known_objects.keep(
            source.key, source.command, source.text, object_folder, source.kernels
        )
        return self._copy_object(folder / OBJECT, source.name)

    def _copy_object(self, known_object: Path, name: str) -> str:
        target = f"{name}.o"
        shutil.copyfile(known_object, self._work / target)
        return target

    def _make_compiler(self, command: CompileCommand, name: str) -> HostCompiler:
        work = self._work / name
        work.mkdir()
        work.chmod(0o755)
        # PyTorch's headers may need a newer standard than the project names
        standard = max(
            requested_standard(command.arguments), self._environment.standard
        )
        flags = (
            (*list_library_flags(standard), *_DEFAULT_FLAGS)
            if command.dialect
            else list_host_flags(standard)
        )
        return HostCompiler(
            root=self._root,
            compiler=self._clang.path,
            work=work,
            flags=flags,
            system_flags=list_torch_flags(self._environment),
            mounts=self._environment.list_mounts(),
            is_own_build=True,
        )

    def _link(self, objects: Sequence[str], number: int) -> Path:
        """Return the library that objects make, with functions that throw for what they lack."""
        linker = HostCompiler(
            root=self._root,
            compiler=self._clang.path,
            work=self._work,
            flags=(),
            mounts=self._environment.list_mounts(),
        )
        target = f"module{number}.so"
        words = (
            "-shared",
            *objects,
            self._libraries.runtime.name,
            *list_link_words(self._environment),
        )
        # a process has the device's library by the time that it imports the module
        known_words = (*words, self._libraries.torch.name, "-Wl,-z,defs")
        messages = linker.explain_link(known_words, target)
        unbuilt = list_unbuilt_functions(messages)
        if unbuilt:
            text = render_throwing_functions(unbuilt)
            name = linker.compile_plain(text, f"unbuilt{number}", ("-fPIC",))
            words = (*words, name)
        return linker.link(words, target)
