"""Stand-ins for `setup()`, extensions and build commands that record what a project declares."""

from __future__ import annotations

import os
from abc import ABCMeta
from collections.abc import Sequence
from typing import Any, Final

from crawler.builds.setup_py.stand_ins.placeholder import Placeholder

DECLARED_EXTENSIONS: Final[list[dict[str, Any]]] = []
_LIST_FIELDS: Final = (
    "include_dirs",
    "define_macros",
    "undef_macros",
    "extra_compile_args",
)


class Extension:
    """Stands for any class of extensions, and records each instance."""

    def __init__(
        self,
        name: object = "",
        sources: Sequence[object] = (),
        *_: object,
        **options: Any,
    ) -> None:
        self.__dict__.update(options)
        self.name = name
        self.sources = [*sources]
        self.directory = os.getcwd()  # noqa: PTH109

        for field in _LIST_FIELDS:
            self.__dict__.setdefault(field, [])

        # The dictionary itself, since projects change an extension after it was made.
        DECLARED_EXTENSIONS.append(self.__dict__)


def load(name: object = "", sources: Any = (), *_: object, **options: Any) -> Any:
    """Stand for `torch.utils.cpp_extension.load`, and record it as an extension."""
    options["include_dirs"] = options.pop("extra_include_paths", None) or []
    # As `CUDAExtension` takes them.
    flags = {
        "cxx": options.get("extra_cflags") or [],
        "nvcc": options.get("extra_cuda_cflags") or [],
    }

    if isinstance(sources, str):
        sources = [sources]

    Extension(
        name,
        sources,
        extra_compile_args=flags,
        **options,
    )

    return Placeholder()


class PlaceholderMeta(ABCMeta):
    """Gives a class every attribute."""

    def __getattr__(cls, name: str) -> Any:
        # ABCMeta keeps `_abc_impl` in each class, and must find its own there.
        if name.startswith("__") or name == "_abc_impl":
            raise AttributeError(name)

        return Placeholder()


class Command(metaclass=PlaceholderMeta):
    """Stands for build commands, and for whatever other classes projects derive from."""

    extensions: Sequence[Any] = ()

    def __init__(self, *_: object, **__: object) -> None: ...

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        return Placeholder()

    @classmethod
    def with_options(cls, **_: object) -> type[Command]:
        """Return the class itself, where torch's returns a subclass."""
        return cls

    def initialize_options(self) -> None:
        """Do nothing."""

    def finalize_options(self) -> None:
        """Do nothing."""

    def run(self) -> None:
        """Build every extension, as setuptools' own command does."""
        self.build_extensions()

    def build_extensions(self) -> None:
        """Build every extension."""
        for extension in self.extensions:
            self.build_extension(extension)

    def build_extension(self, _: object) -> None:
        """Do nothing: the extension is recorded already."""

    def get_ext_fullpath(self, name: object) -> str:
        """Return where an extension would be built."""
        return f"/tmp/{name}.so"  # noqa: S108


def setup(*_: object, **options: Any) -> Any:
    """Stand for `setup()`.

    The build commands of a project only run where it declares no sources, or sources that do
    not exist: a command may know or generate them.
    """
    has_sources = any(extension["sources"] for extension in DECLARED_EXTENSIONS)

    if not has_sources or any(map(_lacks_sources, DECLARED_EXTENSIONS)):
        commands = options.get("cmdclass")
        if isinstance(commands, dict):
            for command_class in list(commands.values()):
                _run_command(command_class, options.get("ext_modules"))

    _add_common_include_folders(options.get("include_dirs"))

    return Placeholder()


def _lacks_sources(extension: dict[str, Any]) -> bool:
    for source in extension["sources"]:
        path = os.path.join(extension["directory"], str(source))  # noqa: PTH118
        if not os.path.exists(path):  # noqa: PTH110
            return True

    return False


def _add_common_include_folders(folders: Any) -> None:
    """Append what `setup()` is given to the folders of each extension, as distutils does."""
    if isinstance(folders, str):
        folders = folders.split(os.pathsep)

    if not isinstance(folders, list | tuple):
        return

    for extension in DECLARED_EXTENSIONS:
        own_folders = extension["include_dirs"]
        if not isinstance(own_folders, list | tuple):
            own_folders = [own_folders]

        extension["include_dirs"] = [*own_folders, *folders]


def _run_command(command_class: Any, extensions: Any) -> None:
    """Run a build command with each step on its own, so that one that fails spoils no other."""
    if not isinstance(command_class, type) or not issubclass(command_class, Command):
        return

    command = command_class(Placeholder())
    command.extensions = extensions if isinstance(extensions, list | tuple) else []

    for step in (command.initialize_options, command.finalize_options, command.run):
        try:
            step()
        except Exception as error:
            print(  # noqa: T201
                f"{command_class.__name__}: {type(error).__name__}: {error}"
            )
