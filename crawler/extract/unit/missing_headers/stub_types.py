"""The C++ text of stubs: types that take, become and have anything."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

STUB_NAMESPACE: Final = "kernelset_unknown"
_MEMBER_ACCESS: Final = re.compile(
    r"(?:\.|->)\s*(?:template\s+)?([A-Za-z_]\w*)(\s*<(?![<=\s]))?"
)
"""A member's name, and the `<` of its template arguments if it has any."""
# texts that do not parse, for want of this very type: `Vector<float, 4>` takes a number
_NUMBER_ARGUMENT: Final = r"\b{}\s*<[^<>;{{}}()]*,\s*-?\d"
_MAX_MEMBERS: Final = 4_000
_KEYWORDS: Final = (
    "alignas and auto bool break case catch char class const constexpr continue "
    "default delete do double else enum explicit export extern false float for "
    "friend goto if inline int long mutable namespace new noexcept not operator or "
    "private protected public register return short signed sizeof static struct "
    "switch template this throw true try typedef typeid typename union unsigned "
    "using virtual void volatile while"
)
_NO_MEMBERS: Final = frozenset((*_KEYWORDS.split(), "Any", "Of", "begin", "end"))
_OPERATORS: Final = (
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    ">",
    "<=",
    ">=",
    "&&",
    "||",
    "&",
    "|",
    "<<",
    ">>",
)
_ASSIGNMENTS: Final = ("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
_ANY_TYPE: Final = """#include <type_traits>
namespace {scope} {{
struct Any {{
  __host__ __device__ Any();
  template <class... A> __host__ __device__ Any(A &&...);
  template <class T> __host__ __device__ operator T() const;
  template <class... A> Any operator()(A &&...) const;
  template <class A> Any operator[](A &&) const;
  Any *operator->() const;
  Any operator*() const;
  Any operator-() const;
  Any operator~() const;
  bool operator!() const;
  Any &operator++();
  Any &operator--();
  Any operator++(int);
  Any operator--(int);
  template <class... A> Any begin(A &&...) const;
  template <class... A> Any end(A &&...) const;
  {members}
}};
template <class T = Any> struct Of : Any {{
  using Any::Any;
  T *operator->() const;
  T &operator*() const;
  T &operator[](long) const;
}};
template <class T> inline constexpr bool is_any = std::is_base_of_v<Any, std::decay_t<T>>;
template <class A, class B> using if_any = std::enable_if_t<is_any<A> || is_any<B>, Any>;
{operators}
}}
"""


def render_any_type(texts: Iterable[str]) -> str:
    """Return the type that is everything: it has every member that the texts name."""
    is_template_by_member: dict[str, bool] = {}
    for text in texts:
        for name, angle in _MEMBER_ACCESS.findall(text):
            is_template = is_template_by_member.get(name, False) or bool(angle)
            is_template_by_member[name] = is_template

    names = sorted(is_template_by_member.keys() - _NO_MEMBERS)[:_MAX_MEMBERS]
    members = [_render_member(name, is_template_by_member[name]) for name in names]
    operators = [
        f"template <class A, class B> if_any<A, B> operator{sign}(A &&, B &&);"
        for sign in _OPERATORS
    ]
    operators += [
        "template <class A, class B, class = if_any<A, B>> "
        f"A &&operator{sign}(A &&, B &&);"
        for sign in _ASSIGNMENTS
    ]

    return _ANY_TYPE.format(
        scope=STUB_NAMESPACE,
        members="\n  ".join(members),
        operators="\n".join(operators),
    )


def _render_member(name: str, is_template: bool) -> str:
    if is_template:
        return f"template <class..., class... A> static Any {name}(A &&...);"
    return f"static Any {name};"


def render_stub_type(name: str, is_template: bool, texts: Iterable[str]) -> str:
    """Return the stub of one type, or of one class template.

    Arguments of a template behind the first are numbers where the texts write numbers there.
    """
    if not is_template:
        return f"struct {name} : Any {{ using Any::Any; }};"

    number_argument = re.compile(_NUMBER_ARGUMENT.format(name))
    takes_numbers = any(number_argument.search(text) for text in texts)
    kind = "int" if takes_numbers else "class"

    return (
        f"template <class T = Any, {kind}...> struct {name} : Of<T> "
        "{ using Of<T>::Of; };"
    )
