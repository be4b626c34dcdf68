"""Types of the libclang objects that extraction reads.

libclang's Python bindings carry no annotations. These protocols list the attributes and methods
that extraction uses, as libclang 18 defines them, so that mypy checks every use of a cursor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol


class File(Protocol):
    """`clang.cindex.File`: a file that the parse opened."""

    @property
    def name(self) -> str:
        """The path as clang opened it, relative to the working directory or absolute."""


class SourceLocation(Protocol):
    """`clang.cindex.SourceLocation`: a place after macro expansion."""

    @property
    def file(self) -> File | None:
        """The file; none for what the compiler predefines."""

    @property
    def line(self) -> int:
        """The line, counted from 1."""

    @property
    def offset(self) -> int:
        """The offset in bytes."""


class SourceRange(Protocol):
    """`clang.cindex.SourceRange`: a half-open range after macro expansion."""

    @property
    def start(self) -> SourceLocation:
        """Where it begins."""

    @property
    def end(self) -> SourceLocation:
        """The location behind its last character."""


class CursorKind(Protocol):
    """`clang.cindex.CursorKind`: one of a fixed set of objects, to be compared with `is`."""

    @property
    def name(self) -> str:
        """The name, such as `FUNCTION_DECL`."""

    @property
    def value(self) -> int:
        """The number that libclang's C interface uses."""

    def is_attribute(self) -> bool:
        """Tell whether cursors of this kind are attributes, such as `__global__`."""


class TypeKind(Protocol):
    """`clang.cindex.TypeKind`: one of a fixed set of objects, to be compared with `is`."""

    @property
    def name(self) -> str:
        """The name, such as `POINTER`."""


class ClangType(Protocol):
    """`clang.cindex.Type`: a type as clang resolved it."""

    @property
    def kind(self) -> TypeKind:
        """Its kind; `INVALID` where there is no such type."""

    @property
    def spelling(self) -> str:
        """The type as clang prints it."""

    def get_canonical(self) -> ClangType:
        """Return the type with every alias resolved."""

    def get_pointee(self) -> ClangType:
        """Return the type that it points to; of kind `INVALID` where it is no pointer."""

    def get_declaration(self) -> Cursor:
        """Return the declaration of the type."""

    def get_fields(self) -> Iterator[Cursor]:
        """Yield the members of a class that hold something, those that have no name too."""

    def argument_types(self) -> Sequence[ClangType]:
        """Return the types of the parameters of a function's type."""

    def is_const_qualified(self) -> bool:
        """Tell whether the type itself is const, which `const int *` is not."""

    def is_restrict_qualified(self) -> bool:
        """Tell whether the type itself is `__restrict__`."""


class Cursor(Protocol):
    """`clang.cindex.Cursor`: a node of the syntax tree."""

    _kind_id: int
    """The number of its kind: many times faster to read than `kind`."""
    _tu: ClangUnit
    """The unit that it belongs to, which must outlive it."""

    @property
    def kind(self) -> CursorKind:
        """What the node is."""

    @property
    def spelling(self) -> str:
        """The name of what it declares or refers to; empty where that has none."""

    @property
    def mangled_name(self) -> str:
        """The symbol of what it declares."""

    @property
    def hash(self) -> int:
        """A number that equal cursors share."""

    @property
    def storage_class(self) -> object:
        """`extern`, `static` or none, as one of the objects of `clang.cindex.StorageClass`."""

    @property
    def type(self) -> ClangType:
        """The type of what it declares or refers to."""

    @property
    def result_type(self) -> ClangType:
        """The type that a function returns."""

    def is_scoped_enum(self) -> bool:
        """Tell whether it is an `enum class`."""

    @property
    def enum_value(self) -> int:
        """The number of an enumerator."""

    @property
    def underlying_typedef_type(self) -> ClangType:
        """The type that an alias stands for."""

    @property
    def location(self) -> SourceLocation:
        """Where its name stands."""

    @property
    def extent(self) -> SourceRange:
        """The range of its text."""

    @property
    def canonical(self) -> Cursor:
        """The first declaration of the same entity."""

    @property
    def referenced(self) -> Cursor | None:
        """The declaration that it refers to."""

    @property
    def semantic_parent(self) -> Cursor | None:
        """The scope that it belongs to: the class of a member that is defined outside of it."""

    @property
    def lexical_parent(self) -> Cursor | None:
        """The scope that its text stands in."""

    def is_virtual_method(self) -> bool:
        """Tell whether it is a member function that classes derived from its own may override."""

    def is_definition(self) -> bool:
        """Tell whether it defines what it declares."""

    def get_definition(self) -> Cursor | None:
        """Return the definition of what it declares or refers to, if the unit holds it."""

    def get_children(self) -> Iterator[Cursor]:
        """Return the nodes directly below it; `list_child_cursors` is faster."""

    def get_arguments(self) -> Iterator[Cursor | None]:
        """Yield the arguments of a call, or the parameters of a function."""

    def is_const_method(self) -> bool:
        """Tell whether it is a member function that leaves its object as it is."""

    def get_num_template_arguments(self) -> int:
        """Return the number of template arguments; -1 where it is no specialisation."""

    def get_template_argument_kind(self, num: int) -> object:
        """Return a `TemplateArgumentKind`; raises `ValueError` for a pack or an expression."""

    def get_template_argument_type(self, num: int) -> ClangType:
        """Return the type that a template argument is."""

    def get_template_argument_value(self, num: int) -> int:
        """Return the number that a template argument is."""


class ClangDiagnostic(Protocol):
    """`clang.cindex.Diagnostic`: a message of the compiler."""

    @property
    def severity(self) -> int:
        """2 for a warning, 3 for an error, 4 for one that ends the parse."""

    @property
    def spelling(self) -> str:
        """The text of the message."""

    @property
    def option(self) -> str:
        """The flag that asks for it, such as `-Wundefined-inline`; empty for an error proper."""

    @property
    def location(self) -> SourceLocation:
        """What it is about."""

    @property
    def children(self) -> Sequence[ClangDiagnostic]:
        """The notes that belong to it."""


class FileInclusion(Protocol):
    """`clang.cindex.FileInclusion`: one `#include` that the preprocessor followed."""

    @property
    def include(self) -> File:
        """The file that was included."""

    @property
    def location(self) -> SourceLocation:
        """The place of the directive; its file is none where the command line includes."""

    @property
    def source(self) -> File | None:
        """The file that includes it; none for the unit itself."""

    @property
    def depth(self) -> int:
        """The number of files that it is nested in."""


class ClangUnit(Protocol):
    """`clang.cindex.TranslationUnit`: a parsed file with everything that it includes."""

    @property
    def cursor(self) -> Cursor:
        """The root of the syntax tree."""

    @property
    def diagnostics(self) -> Sequence[ClangDiagnostic]:
        """What the compiler complained about."""

    def get_includes(self) -> Iterator[FileInclusion]:
        """Return the inclusions, in the order in which the preprocessor met them."""

    def save(self, filename: str) -> None:
        """Write the unit as a precompiled header; raises `TranslationUnitSaveError`."""


class ClangIndex(Protocol):
    """`clang.cindex.Index`: what parses units."""

    def parse(
        self,
        path: str,
        args: Sequence[str] | None = None,
        unsaved_files: Sequence[tuple[str, str | bytes]] | None = None,
        options: int = 0,
    ) -> ClangUnit:
        """Parse a file; raises `TranslationUnitLoadError` where clang gives up."""
