"""Suites that pytest runs, of projects whose `setup.py` extends PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from crawler.builds.setup_py.declaring_setups import find_setups
from crawler.builds.setup_py.extension_modules import (
    ExtensionModule,
    find_extension_modules,
)
from crawler.checkout.source_tree import SourceTree
from crawler.toolchains import discovery
from crawler.validate.programs.host_build.build_failure import (
    BuildFailed,
)
from crawler.validate.suites.device_libraries import (
    DeviceLibraries,
    build_device_libraries,
)
from crawler.validate.suites.extension_build import BuiltExtensions, build_extensions
from crawler.validate.suites.interface import (
    ReadySuite,
    SuiteKind,
    SuiteRefused,
    SuiteRequest,
)
from crawler.validate.suites.suite_project import find_test_files, open_suite_project
from crawler.validate.suites.torch_environment import TorchEnvironment

_MAX_KERNELS: Final = 1_000_000
"""Of a project."""


class PytestExtension:
    """Builds extension modules against a real PyTorch, whose CUDA device is the CPU model."""

    name = "pytest_extension"
    order = 10
    needs_torch = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether a `setup.py` declares device code."""
        return bool(find_setups(tree)) and bool(find_extension_modules(tree))

    @contextmanager
    def open(self, request: SuiteRequest) -> Iterator[ReadySuite]:
        """Build the modules, and lay the project out with them."""
        tree, environment = request.tree, request.environment
        modules = find_extension_modules(tree)
        if not modules:
            raise SuiteRefused("no-extension", "no setup.py declares device code")
        if environment is None:
            raise SuiteRefused("no-torch", "its tests need an interpreter with PyTorch")

        try:
            libraries = _build_libraries(environment)
            extensions, needed = _build_all(request, modules, environment, libraries)
        except BuildFailed as error:
            raise SuiteRefused(error.code, str(error)) from error

        failures = extensions.failures
        broken = {
            name: f"{failure.file}: {failure.message}"
            for name, failure in failures.items()
        }
        if not extensions.libraries:
            code = next(iter(failures.values())).code
            raise SuiteRefused(code, next(iter(broken.values())), broken)
        if not find_test_files(tree):
            raise SuiteRefused("no-test", "no file that pytest takes", broken)

        needed_projects = tuple(zip(request.needed, needed, strict=True))
        with open_suite_project(
            tree, extensions, environment, libraries, needed_projects
        ) as project:
            yield ReadySuite(
                project=project,
                kernels=extensions.kernels,
                modules=tuple(extensions.libraries),
                broken=broken,
            )


def _build_libraries(environment: TorchEnvironment) -> DeviceLibraries:
    clang = discovery.find_clang()
    if clang is None:
        raise BuildFailed("no-compiler", "no clang++ of version 18 or newer")
    return build_device_libraries(clang.path, environment)


def _build_all(
    request: SuiteRequest,
    modules: Sequence[ExtensionModule],
    environment: TorchEnvironment,
    libraries: DeviceLibraries,
) -> tuple[BuiltExtensions, list[BuiltExtensions]]:
    """Return the modules of the project, and those of each project that its tests need."""
    extensions = build_extensions(
        request.tree.root, modules, environment, libraries, request.report_progress
    )
    needed = [
        build_extensions(
            module.root,
            find_extension_modules(module),
            environment,
            libraries,
            request.report_progress,
            # out of the way of the project's own
            first_number=number * _MAX_KERNELS,
        )
        for number, module in enumerate(request.needed, start=1)
    ]
    return extensions, needed


PLUGIN: Final[SuiteKind] = PytestExtension()
