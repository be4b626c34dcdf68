"""Sources that want a file of the host in what is compiled of them, or something run meanwhile.

`{victim}` is the path of a file with a secret, `{name}` and `{folder}` its parts.
"""

from __future__ import annotations

from typing import Final

SOURCES: Final = {
    "a file embedded": 'const char mine[] = {\n#embed "{victim}"\n};',
    "a file embedded from the root": "const char mine[] = {\n#embed </{victim}>\n};",
    "a file embedded through /proc": (
        'const char mine[] = {\n#embed "/proc/self/root{victim}"\n};'
    ),
    "a file embedded by a climb": (
        'const char mine[] = {\n#embed "../../../../../../../..{victim}"\n};'
    ),
    "a file in the messages": '#include "{victim}"',
    "a file in a macro of an include": '#define WHERE "{victim}"\n#include WHERE',
    "a file found by __has_include": (
        '#if __has_include("{victim}")\n#error hunter2-secret is there\n#endif'
    ),
    "a file assembled": 'asm(".incbin \\"{victim}\\"");',
    "a file assembled in a part": 'asm(".incbin \\"{victim}\\", 0, 14");',
    "a file of assembly": 'asm(".include \\"{victim}\\"");',
    "passwords": 'asm(".incbin \\"/etc/shadow\\"");',
    "the environment of the compiler": 'asm(".incbin \\"/proc/self/environ\\"");',
    "the environment of the worker": 'asm(".incbin \\"/proc/{worker}/environ\\"");',
    "a module map": "#pragma clang module load hunter2_secret",
    "another's precompiled header": '#pragma GCC pch_preprocess "{victim}"',
    "a library to link with": '#pragma comment(lib, "{victim}")\nint mine;',
    "a header on a device": '#include "/dev/stdin"',
    "a header without an end": '#include "/dev/zero"',
    "itself without an end": "#include __FILE__",
    "macros without an end": (
        "#define A(x) B(x x x x x x x x)\n#define B(x) C(x x x x x x x x)\n"
        "#define C(x) D(x x x x x x x x)\n#define D(x) E(x x x x x x x x)\n"
        "#define E(x) F(x x x x x x x x)\n#define F(x) x x x x x x x x\n"
        "int mine[] = { A(A(A(A(1,)))) };"
    ),
    "templates without an end": (
        "template <int N> struct T { typename T<N + 1>::type x; }; T<0> mine;"
    ),
    "memory without an end": "char mine[1UL << 40] = {1};",
    "brackets without an end": "int mine = " + "(" * 20_000 + "1" + ")" * 20_000 + ";",
}
