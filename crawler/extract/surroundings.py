"""Everything of one translation unit that a kernel of it may need, and what each declaration of it names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from copy import copy
from dataclasses import dataclass, field
from typing import Final

from clang.cindex import CursorKind

from crawler.extract.declarations import Declaration
from crawler.extract.deduced import asked_for
from crawler.extract.fragments import is_directive
from crawler.extract.host_parts import Cut, Wanted, host_parts, made_of
from crawler.extract.macros import Macro, macros
from crawler.extract.mentions import Mention, mentions
from crawler.extract.operators import Operator, operators
from crawler.extract.pasted import pasted
from crawler.extract.scopes import Scope, Scopes
from crawler.extract.source import Sources
from crawler.extract.typenames import types_alone
from crawler.model import Dialect

_DEVICE: Final = "__device__"
_CONTAINER: Final = re.compile(
    r"\bstd\s*::\s*(?:vector|string|string_view|map|unordered_map|set|list|deque|shared_ptr|unique_ptr|function|ostream)\b"
)


@dataclass(frozen=True, slots=True)
class Needs:
    """What one declaration names."""

    declarations: dict[int, Declaration]
    """By their identity: a name of a template library may mean hundreds."""
    scopes: frozenset[Scope]
    """That these stand in."""
    macros: tuple[Macro, ...]
    calls: tuple[Mention, ...]
    """Calls that may find a function by the types of their arguments."""
    words: frozenset[str]
    """All names in it, without those of its macros."""


@dataclass(slots=True)
class Surroundings:
    """Everything of one translation unit that a kernel of it may need."""

    sources: Sources
    declarations: list[Declaration]
    files: tuple[str, ...]
    """The project's files of the unit, included ones before those that include them."""
    defines: tuple[str, ...]
    """Macros of the command line, as `NAME` or `NAME=VALUE`."""
    dialect: Dialect
    names: frozenset[str] = frozenset()
    macros: dict[str, list[Macro]] = field(default_factory=lambda: defaultdict(list))
    active: frozenset[tuple[str, int]] = frozenset()
    """(path, offset of its name) of each macro that the preprocessor took."""
    order: dict[str, int] = field(default_factory=dict)
    operators: tuple[Operator, ...] = ()
    types: frozenset[str] = frozenset()
    """Names that the unit's files give to types alone."""
    asked: frozenset[str] = frozenset()
    """Names of functions whose bodies tell types that the unit's files ask for."""
    scopes: Scopes = field(init=False)
    moved: dict[int, tuple[Cut, ...]] = field(default_factory=dict)
    """Default arguments that stand elsewhere in a unit, by the identity of a declaration."""
    position: dict[int, int] = field(default_factory=dict)
    wanted: Wanted = field(default_factory=Wanted)
    """What the host calls to make what it passes to a kernel."""
    plain: Surroundings | None = None
    """The same where nothing is wanted."""
    _needs: dict[int, Needs] = field(default_factory=dict)
    _cuts: dict[int, tuple[Cut, ...]] = field(default_factory=dict)
    _containers: dict[int, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.operators = operators(self.declarations)
        self.scopes = Scopes(self.declarations, self.files, self.sources, self.defines)
        self.names = frozenset(name for declaration in self.declarations for name in declaration.names)
        self.position = {id(declaration): at for at, declaration in enumerate(self.declarations)}
        for position, path in enumerate(self.files):
            self.order[path] = position
            for macro in macros(self.sources[path]):
                if (path, macro.name_offset) in self.active:
                    self.macros[macro.name].append(macro)
        device = {name for name, listed in self.macros.items() if any(_DEVICE in one.words for one in listed)}
        self.types = types_alone(self.sources[path] for path in self.files)
        self.asked = asked_for((self.sources[path] for path in self.files), {_DEVICE, *device})

    def wanting(self, wanted: Wanted) -> Surroundings:
        """Return the same where what is `wanted` is left out of no declaration."""
        other = copy(self)
        other.wanted, other.plain = wanted, self.plain or self
        other._needs, other._cuts, other.moved = {}, {}, dict(other.plain.moved)
        return other

    def needs(self, declaration: Declaration) -> Needs:
        """Return what a declaration names, its macros unfolded."""
        known = self._needs.get(id(declaration))
        if known is None:
            if self.plain is not None and self.cuts(declaration) == self.plain.cuts(declaration):
                known = self.plain.needs(declaration)
            else:
                known = self.named(self._mentions(declaration), declaration)
            self._needs[id(declaration)] = known
        return known

    def named(self, found: Collection[Mention], by: Declaration) -> Needs:
        """Return what is meant by mentions in a declaration."""
        used, through = self._unfolded({one.name for one in found})
        every = dict.fromkeys((*found, *through))
        meant = {id(one): one for mention in every for one in self.meant(mention, by)}
        calls = tuple(mention for mention in every if self.scopes.may_be_elsewhere(mention))
        words = frozenset(mention.name for mention in found)
        if by.kind != "using" and not any("at" in mention.qualifier for mention in found):
            words -= {"at"}  # a variable or a member, as many have
        return Needs(meant, frozenset(map(self.scopes.scope, meant.values())), tuple(used), calls, words)

    def meant(self, mention: Mention, by: Declaration, known: Collection[Scope] = ()) -> list[Declaration]:
        """Return what is meant; a host function only where device code calls it and there is no other.

        `known` are the namespaces of types that a call may bring along.
        """
        every = [one for one in self.scopes.meant(mention, by, known) if mention.is_scope or not _is_scope(one)]
        fitting = [one for one in every if fits(one)]
        found = [one for one in fitting if not self._takes_container(one)] or fitting
        if found or not mention.is_called or by.kind == "kernel":
            return found
        return [one for one in every if one.kind == "function" and self._may_be_declared(one)]

    def _may_be_declared(self, function: Declaration) -> bool:
        """Tell whether a function for the host may stand in a unit: its type is told, or asked for."""
        is_told = (
            "auto" not in self._head(function)
            or not function.is_definition
            or not self.wanted.words.isdisjoint(function.names)
        )
        return is_told or not self.asked.isdisjoint(function.names)

    def _takes_container(self, function: Declaration) -> bool:
        """Tell whether an overload takes what only a host has: no call in device code can mean it."""
        if function.kind != "function":
            return False
        known = self._containers.get(id(function))
        if known is None:
            taken = function.written.partition("(")[2].partition("{")[0]
            known = self._containers[id(function)] = bool(_CONTAINER.search(taken))
        return known

    def _head(self, function: Declaration) -> str:
        return self.sources[function.path].raw[function.start : function.end].partition("(")[0]

    def cuts(self, declaration: Declaration) -> tuple[Cut, ...]:
        """Return what is left out of a declaration."""
        if id(declaration) not in self._cuts:
            self._cuts[id(declaration)] = self._cuts_of(declaration)
        return self._cuts[id(declaration)]

    def _cuts_of(self, declaration: Declaration) -> tuple[Cut, ...]:
        source = self.sources[declaration.path]
        if self.plain is not None:
            known = self.plain.cuts(declaration)
            if not known or self.wanted.words.isdisjoint(source.words(declaration.start, declaration.end)):
                return known
        return host_parts(declaration, source, self.asked, self.wanted)

    def made_of(self, declaration: Declaration) -> frozenset[str]:
        """Return the words of what is wanted in a declaration."""
        source = self.sources[declaration.path]
        if self.wanted.words.isdisjoint(source.words(declaration.start, declaration.end)):
            return frozenset()
        return made_of(declaration, source, self.cuts(declaration), self.wanted)

    def _mentions(self, declaration: Declaration) -> frozenset[Mention]:
        source = self.sources[declaration.path]
        found: set[Mention] = set()
        start = declaration.start
        for cut, behind, _ in (*self.cuts(declaration), (declaration.end, declaration.end, "")):
            found |= mentions(source, start, cut)
            found.update(pasted(source, start, cut, self.macros))
            start = behind
        found.update(Mention(name) for wrapper in declaration.wrappers for name in wrapper.split()[1:-1])
        return frozenset(found)

    def _unfolded(self, names: Collection[str]) -> tuple[list[Macro], list[Mention]]:
        """Return the macros that names mean, transitively, and what those mention."""
        used: list[Macro] = []
        through: list[Mention] = []
        pending, seen = set(names), set(names)
        while pending:
            macros_named = [macro for name in sorted(pending) for macro in self.macros.get(name, ())]
            used += macros_named
            fresh = [mention for macro in macros_named for mention in macro.mentions]
            through += fresh
            pending = {mention.name for mention in fresh} - seen
            seen |= pending
        return used, through


def _is_scope(declaration: Declaration) -> bool:
    """Tell whether a declaration is another name of a namespace, which a variable may have too."""
    return declaration.cursor.kind is CursorKind.NAMESPACE_ALIAS


def fits(declaration: Declaration) -> bool:
    """Tell whether a kernel's closure may hold a declaration."""
    if declaration.kind in ("kernel", "assertion"):
        return False
    if declaration.kind == "using":
        return not is_directive(declaration)
    return declaration.on_device
