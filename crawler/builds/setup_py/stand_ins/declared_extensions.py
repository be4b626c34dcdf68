"""Stand-ins for `setup()`, extensions and build commands that record what a project declares."""

from __future__ import annotations

import os
from abc import ABCMeta
from collections.abc import Sequence
from typing import Any, Final

from crawler.builds.setup_py.stand_ins.placeholder import Placeholder

DECLARED_EXTENSIONS: Final[list[dict[str, Any]]] = []
_FIELDS: Final = ("include_dirs", "define_macros", "undef_macros", "extra_compile_args")


class Extension:
    """Writes down what it is made of."""

    def __init__(
        self,
        name: object = "",
        sources: Sequence[object] = (),
        *_: object,
        **options: Any,
    ) -> None:
        self.__dict__.update(options)
        self.name, self.sources, self.directory = name, [*sources], os.getcwd()  # noqa: PTH109
        for field in _FIELDS:
            self.__dict__.setdefault(field, [])
        DECLARED_EXTENSIONS.append(self.__dict__)


def load(name: object = "", sources: Any = (), *_: object, **options: Any) -> Any:
    """Stand for torch's compilation on the spot."""
    options["include_dirs"] = options.pop("extra_include_paths", None) or []
    flags = {
        "cxx": options.get("extra_cflags") or [],
        "nvcc": options.get("extra_cuda_cflags") or [],
    }
    Extension(
        name,
        [sources] if isinstance(sources, str) else sources,
        extra_compile_args=flags,
        **options,
    )
    return Placeholder()


class PlaceholderMeta(ABCMeta):
    """Gives a class every name."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") or name == "_abc_impl":
            raise AttributeError(name)
        return Placeholder()


class Command(metaclass=PlaceholderMeta):
    """Stands for the commands, and whatever else, that projects derive from."""

    extensions: Sequence[Any] = ()

    def __init__(self, *_: object, **__: object) -> None: ...

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Placeholder()

    @classmethod
    def with_options(cls, **_: object) -> type[Command]:
        """Return itself, as torch's does a subclass."""
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
        """Do nothing: the extension is written down already."""

    def get_ext_fullpath(self, name: object) -> str:
        """Return where it would be built."""
        return f"/tmp/{name}.so"  # noqa: S108


def setup(*_: object, **given: Any) -> Any:
    """Stand for `setup()`: a project that declares no sources, or lacks some, has commands that
    know or write them.
    """
    if not any(extension["sources"] for extension in DECLARED_EXTENSIONS) or any(
        map(_lacks_sources, DECLARED_EXTENSIONS)
    ):
        commands = given.get("cmdclass")
        for made in [*commands.values()] if isinstance(commands, dict) else []:
            _run(made, given.get("ext_modules"))
    _include_everywhere(given.get("include_dirs"))
    return Placeholder()


def _lacks_sources(extension: dict[str, Any]) -> bool:
    named = (
        os.path.join(extension["directory"], str(source))  # noqa: PTH118
        for source in extension["sources"]
    )
    return not all(map(os.path.exists, named))


def _include_everywhere(folders: Any) -> None:
    """Look for headers in `folders` after each extension's own, as distutils does for what
    `setup()` is given.
    """
    common = folders.split(os.pathsep) if isinstance(folders, str) else folders
    if isinstance(common, list | tuple):
        for extension in DECLARED_EXTENSIONS:
            own = extension["include_dirs"]
            extension["include_dirs"] = [
                *(own if isinstance(own, list | tuple) else [own]),
                *common,
            ]


def _run(made: Any, extensions: Any) -> None:
    if isinstance(made, type) and issubclass(made, Command):
        command = made(Placeholder())
        command.extensions = extensions if isinstance(extensions, list | tuple) else []
        for step in (command.initialize_options, command.finalize_options, command.run):
            try:
                step()
            except Exception as error:
                print(f"{made.__name__}: {type(error).__name__}: {error}")  # noqa: T201
