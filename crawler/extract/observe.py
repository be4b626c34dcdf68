"""What one translation unit shows: its kernels with their closures, its launches, what it instantiates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from clang.cindex import CursorKind

from crawler.errors import ParseFailed
from crawler.extract import parse
from crawler.extract.bindings import bindings
from crawler.extract.closure import Surroundings, closure
from crawler.extract.declarations import Declaration, active_macros, declarations
from crawler.extract.labels import label
from crawler.extract.macros import macros
from crawler.extract.source import Sources, SourceText
from crawler.extract.syntactic import Definition, LaunchText, definitions, launches, split
from crawler.extract.uses import TemplateTexts, Use, uses
from crawler.model import (
    CompileCommand,
    Dialect,
    Instantiation,
    InstantiationOrigin,
    KernelSighting,
    Launch,
    LaunchSighting,
    Layer,
    Parameter,
    TemplateParameter,
    UnitFacts,
)

_KINDS: Final = {
    CursorKind.TEMPLATE_TYPE_PARAMETER: "type",
    CursorKind.TEMPLATE_NON_TYPE_PARAMETER: "value",
    CursorKind.TEMPLATE_TEMPLATE_PARAMETER: "template",
}
_CONSTANT: Final = re.compile(r"\b(?:constexpr|const)\b[^;={}()]*?\b(\w+)\s*=\s*([^;{}]+);")
_GLOBAL: Final = "__global__"


def observe(root: Path, command: CompileCommand) -> UnitFacts:
    """Return the facts of one translation unit; what goes wrong in the parse is in them."""
    sources = Sources(root)
    dialect = command.dialect or Dialect.CUDA
    try:
        unit = parse.parse(root, command, torch=parse.speaks_torch(sources[command.file].raw))
    except ParseFailed as error:
        return syntax_alone(root, command, error.code)
    files = _files(unit, root, command)
    if any(parse.speaks_torch(sources[path].raw) for path in files[:-1]) and not parse.speaks_torch(
        sources[command.file].raw
    ):
        unit = parse.parse(root, command, torch=True)
        files = _files(unit, root, command)
    words = kernel_words(sources, files)
    texts = _Texts(sources, files, words)
    seen = _Seen(root, command, sources, files, dialect, texts)
    kernels = seen.kernels(unit)
    errors = len(parse.diagnostics(unit, root))
    if errors and kernels:
        again = _Seen(root, command, sources, files, dialect, texts)
        on_device = parse.parse(
            root, command, torch=any(parse.speaks_torch(sources[p].raw) for p in files), device=True
        )
        if len(parse.diagnostics(on_device, root)) < errors:
            unit, seen, kernels = on_device, again, again.kernels(on_device)
    hidden = texts.missing({(sighting.span.path, sighting.name) for sighting in kernels})
    if hidden:
        kernels += _shown_on_device(seen, root, command, sources, files, hidden)
    missing = texts.missing({(sighting.span.path, sighting.name) for sighting in kernels})
    kernels += [syntactic(sources[path], found, dialect, "not in the AST of this unit") for path, found in missing]
    return UnitFacts(
        command=command,
        kernels=tuple(kernels),
        launches=tuple(seen.launches()),
        bindings=tuple(binding for path in files for binding in bindings(sources[path])),
        diagnostics=parse.diagnostics(unit, root),
        files=(command.file, *(path for path in files if path != command.file)),
    )


def syntax_alone(root: Path, command: CompileCommand, failure: str) -> UnitFacts:
    """Return what the syntactic layer alone sees of a unit's own file."""
    sources = Sources(root)
    source, dialect = sources[command.file], command.dialect or Dialect.CUDA
    words = kernel_words(sources, (command.file,))
    kernels = [syntactic(source, found, dialect, failure) for found in definitions(source, words) if not found.in_macro]
    sighted = [_sighting(source, text, (), None, (), "") for text in launches(source)]
    return UnitFacts(
        command=command, kernels=tuple(kernels), launches=tuple(sighted), files=(command.file,), failure=failure
    )


def kernel_words(sources: Sources, files: Iterable[str]) -> frozenset[str]:
    """Return what marks a kernel in these files: `__global__`, and the project's own macros that stand for it."""
    aliases = {
        macro.name
        for path in files
        for macro in macros(sources[path])
        if _GLOBAL in macro.words and "{" not in macro.text
    }
    return frozenset({_GLOBAL, *aliases})


def syntactic(source: SourceText, found: Definition, dialect: Dialect, reason: str) -> KernelSighting:
    """Return a definition that only the syntactic layer showed."""
    head = source.raw[found.start : found.body]
    at = source.position(found.parameters[0])
    within = source.lexemes[at : source.position(found.parameters[1])]
    return KernelSighting(
        span=source.span(found.start, found.end),
        name=found.name,
        qualified_name=found.name,
        dialect=dialect,
        found_by=Layer.SYNTACTIC,
        reason=reason,
        source=source.text(found.start, found.end),
        template_head=_template_head(head),
        parameters=tuple(_written_parameter(text) for text in split(source, within)),
        attributes=_attributes(head),
    )


class _Texts:
    """The syntactic layer's answers about the files of a unit."""

    def __init__(self, sources: Sources, files: Iterable[str], words: frozenset[str]) -> None:
        self.sources = sources
        self.definitions = {path: definitions(sources[path], words) for path in files}
        self.launches = {path: launches(sources[path]) for path in files}

    def missing(self, seen: set[tuple[str, str]]) -> list[tuple[str, Definition]]:
        """Return the definitions that the AST did not show."""
        return [
            (path, found)
            for path, all_found in self.definitions.items()
            for found in all_found
            if not found.in_macro and (path, found.name) not in seen
        ]

    def launch_at(self, path: str, offset: int) -> LaunchText | None:
        """Return the launch whose callee stands at `offset`."""
        written = self.launches.get(path, ())
        return next((text for text in written if text.start <= offset <= text.configuration), None)

    def launch_in_macro(self, name: str) -> LaunchText | None:
        """Return a launch of `name`, or of a macro's parameter, that a macro's body holds."""
        inside = [text for written in self.launches.values() for text in written if text.in_macro]
        return next((text for text in inside if text.name == name), inside[0] if len(inside) == 1 else None)

    def arguments_at(self, path: str, offset: int) -> tuple[str, ...]:
        """Return the template arguments as written behind the name at `offset`."""
        if not path:
            return ()
        source = self.sources[path]
        lexemes, at = source.lexemes, source.position(offset) + 1
        if at >= len(lexemes) or lexemes[at].text != "<":
            return ()
        depth = 0
        for end in range(at, min(len(lexemes), at + 200)):
            depth += (lexemes[end].text == "<") - (lexemes[end].text == ">")
            if depth == 0:
                return split(source, lexemes[at + 1 : end])
        return ()

    def constants_of(self, declaration: Declaration) -> dict[str, str]:
        """Return the constants that a function's body defines by an expression, as they are written."""
        text = self.sources[declaration.path].raw[declaration.start : declaration.end]
        return {name: f"({value.strip()})" for name, value in _CONSTANT.findall(text)}


class _Seen:
    """The AST's answers about one translation unit, joined with the texts."""

    def __init__(
        self,
        root: Path,
        command: CompileCommand,
        sources: Sources,
        files: tuple[str, ...],
        dialect: Dialect,
        texts: _Texts,
    ) -> None:
        self.root, self.command, self.sources, self.files = root, command, sources, files
        self.dialect, self.texts = dialect, texts
        self.uses: list[Use] = []

    def kernels(self, unit: Any) -> list[KernelSighting]:
        """Return the kernels that the AST shows, and remember how they are used."""
        found = declarations(unit, self.root, self.command.directory, self.sources)
        defined = [declaration for declaration in found if declaration.kind == "kernel"]
        names = frozenset(name for declaration in defined for name in declaration.names)
        texts = TemplateTexts(self.texts.arguments_at, self.texts.constants_of)
        self.uses = uses(found, names, self.root, self.command.directory, texts)
        around = Surroundings(
            sources=self.sources,
            declarations=found,
            files=self.files,
            defines=_defines(self.command),
            dialect=self.dialect,
            active=active_macros(unit, self.root, self.command.directory),
        )
        definitions_only = [declaration for declaration in defined if declaration.is_definition]
        return [self._kernel(declaration, around) for declaration in definitions_only]

    def _kernel(self, declaration: Declaration, around: Surroundings) -> KernelSighting:
        cursor, source = declaration.cursor, self.sources[declaration.path]
        instantiations = self._instantiations(declaration)
        words = frozenset(word for one in instantiations for part in one.arguments for word in re.findall(r"\w+", part))
        text = source.text(declaration.start, declaration.end)
        head = text[: text.find("{")] if "{" in text else text
        children = list(cursor.get_children())
        return KernelSighting(
            span=source.span(declaration.start, declaration.end),
            name=cursor.spelling,
            qualified_name="::".join((*declaration.namespaces, cursor.spelling)),
            dialect=self.dialect,
            found_by=Layer.AST,
            mangled=cursor.mangled_name if cursor.kind is CursorKind.FUNCTION_DECL else "",
            source=text,
            template_head=_template_head(head),
            parameters=tuple(_parameter(child) for child in children if child.kind is CursorKind.PARM_DECL),
            template_parameters=tuple(_template_parameter(child, source) for child in children if child.kind in _KINDS),
            attributes=_attributes(head),
            instantiations=instantiations,
            closure=closure(declaration, words, around),
        )

    def _instantiations(self, declaration: Declaration) -> tuple[Instantiation, ...]:
        place = (declaration.path, declaration.cursor.extent.start.offset)
        name = declaration.cursor.spelling
        found: dict[tuple[str, ...], InstantiationOrigin] = {}
        for use in self.uses:
            mine = use.target == place or (use.target[1] < 0 and use.kernel == name)
            if mine and use.arguments and all(use.arguments) and "(lambda" not in "".join(use.arguments):
                origins = [found.get(use.arguments, use.origin), use.origin]
                found[use.arguments] = min(origins, key=list(InstantiationOrigin).index)
        return tuple(
            Instantiation(arguments=arguments, label=label(arguments), origin=origin)
            for arguments, origin in found.items()
        )

    def launches(self) -> list[LaunchSighting]:
        """Return every launch of the unit's files, once each, with what the AST knows of it."""
        found: dict[tuple[str, int], LaunchSighting] = {}
        grouped: dict[tuple[str, int, str], list[Use]] = {}
        for use in self.uses:
            if use.is_launch and use.path:
                grouped.setdefault((use.path, use.offset, use.kernel), []).append(use)
        for (path, offset, name), same in grouped.items():
            text = self.texts.launch_at(path, offset) or self.texts.launch_in_macro(name)
            if text is not None:
                arguments = tuple(dict.fromkeys(use.arguments for use in same if use.arguments))
                target = next((use.target for use in same if use.target[0]), None)
                place = (path, text.start if not text.in_macro else offset)
                made_by = self.sources[path]
                found[place] = _sighting(made_by, text, arguments, target, (name,), same[0].enclosing, at=offset)
        for path, written in self.texts.launches.items():
            for text in written:
                if (path, text.start) not in found and not text.in_macro:
                    found[(path, text.start)] = _sighting(self.sources[path], text, (), None, (), "")
        return list(found.values())


def _shown_on_device(
    seen: _Seen,
    root: Path,
    command: CompileCommand,
    sources: Sources,
    files: tuple[str, ...],
    hidden: list[tuple[str, Definition]],
) -> list[KernelSighting]:
    """Parse once more as for a device, for what stands under `#if __CUDA_ARCH__`."""
    again = _Seen(root, command, sources, files, seen.dialect, seen.texts)
    torch = any(parse.speaks_torch(sources[path].raw) for path in files)
    unit = parse.parse(root, command, torch=torch, device=True)
    wanted = {(path, found.name) for path, found in hidden}
    shown = [kernel for kernel in again.kernels(unit) if (kernel.span.path, kernel.name) in wanted]
    return shown


def _files(unit: Any, root: Path, command: CompileCommand) -> tuple[str, ...]:
    """Return the project's files of a unit, included ones before those that include them."""
    entered: list[tuple[int, str]] = []
    for inclusion in unit.get_includes():
        path = parse.relative(inclusion.include.name, root, command.directory)
        if path is not None:
            entered.append((inclusion.depth, path))
    closed: list[str] = []
    stack: list[tuple[int, str]] = []
    for depth, path in entered:
        while stack and stack[-1][0] >= depth:
            closed.append(stack.pop()[1])
        stack.append((depth, path))
    closed += [path for _, path in reversed(stack)]
    return tuple(dict.fromkeys((*closed, command.file)))


def _defines(command: CompileCommand) -> tuple[str, ...]:
    arguments = command.arguments
    joined = [argument[2:] for argument in arguments if argument.startswith("-D") and len(argument) > len("-D")]
    apart = [value for word, value in pairwise(arguments) if word == "-D"]
    return tuple(joined + apart)


def _sighting(
    source: SourceText,
    text: LaunchText,
    arguments: tuple[tuple[str, ...], ...],
    target: tuple[str, int] | None,
    names: tuple[str, ...],
    enclosing: str,
    at: int = -1,
) -> LaunchSighting:
    in_place = not text.in_macro or at < 0
    start, end = (text.start, text.end) if in_place else (at, at + len(text.name))
    launch = Launch(
        span=source.span(start, end),
        kernel_name=names[0] if names else text.name,
        grid=text.grid,
        block=text.block,
        shared_bytes=text.shared_bytes,
        stream=text.stream,
        template_arguments=arguments,
        argument_map=tuple(("", argument) for argument in text.arguments),
        enclosing=enclosing,
        setup=_setup(source, text) if in_place else "",
        found_by=Layer.AST if names else Layer.SYNTACTIC,
    )
    path, offset = target or ("", -1)
    return LaunchSighting(launch=launch, target_path=path, target_offset=offset)


def _setup(source: SourceText, text: LaunchText) -> str:
    """Return the statements before a launch, in the same file, that define the names in its configuration."""
    names = set(re.findall(r"[A-Za-z_]\w*", " ".join((text.grid, text.block, text.shared_bytes))))
    before = source.text(max(0, text.start - 4_000), text.start)
    found: list[str] = []
    for statement in reversed(re.split(r"(?<=[;{}])", before)):
        lines = [line for line in statement.strip().splitlines() if not line.lstrip().startswith(("//", "#"))]
        cleaned = "\n".join(lines).strip()
        defined = re.match(r"(?:[\w:<>,*&\s]+?[\s*&])?([A-Za-z_]\w*)\s*(?:=[^=]|\(|\{)", cleaned)
        if defined and cleaned.endswith(";") and defined.group(1) in names and "return" not in cleaned:
            found.append(cleaned)
            names |= set(re.findall(r"[A-Za-z_]\w*", cleaned))
    return "\n".join(reversed(found[:20]))


def _template_head(head: str) -> str:
    at = head.find("template")
    if at < 0:
        return ""
    depth = 0
    for position in range(at, len(head)):
        depth += (head[position] == "<") - (head[position] == ">")
        if head[position] == ">" and depth == 0:
            return head[at : position + 1]
    return ""


def _attributes(head: str) -> tuple[str, ...]:
    found = re.findall(
        r"__launch_bounds__\s*\([^;{]*?\)(?=\s)|__cluster_dims__\s*\([^)]*\)|\bstatic\b|\binline\b", head
    )
    external = ['extern "C"'] if 'extern "C"' in head else []
    return tuple(dict.fromkeys((*external, *found)))


def _parameter(cursor: Any) -> Parameter:
    kind = cursor.type
    pointee = kind.get_pointee()
    qualifiers = {
        "pointer": kind.kind.name == "POINTER",
        "reference": kind.kind.name in ("LVALUEREFERENCE", "RVALUEREFERENCE"),
        "const": pointee.is_const_qualified() or kind.is_const_qualified(),
        "restrict": kind.is_restrict_qualified(),
    }
    return Parameter(
        name=cursor.spelling,
        type=kind.spelling,
        canonical_type=kind.get_canonical().spelling,
        qualifiers=tuple(name for name, holds in qualifiers.items() if holds),
    )


def _written_parameter(text: str) -> Parameter:
    match = re.match(r"(.*?)([A-Za-z_]\w*)?\s*(?:=.*)?$", text, re.DOTALL)
    kind, name = (match.group(1).strip(), match.group(2) or "") if match else (text, "")
    marks = {"pointer": "*" in kind, "reference": "&" in kind, "const": "const" in kind, "restrict": "restrict" in kind}
    return Parameter(name=name, type=kind or name, qualifiers=tuple(mark for mark, holds in marks.items() if holds))


def _template_parameter(cursor: Any, source: SourceText) -> TemplateParameter:
    text = source.text(cursor.extent.start.offset, cursor.extent.end.offset)
    kind = _KINDS[cursor.kind]
    default = text.split("=", 1)[1].strip() if "=" in text else ""
    return TemplateParameter(
        name=cursor.spelling, kind=kind, type=cursor.type.spelling if kind == "value" else "", default=default
    )
