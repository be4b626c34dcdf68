"""Names that instructions and directives of PTX begin with."""

from __future__ import annotations

from typing import Final

# fmt: off
OPCODES: Final = frozenset({
    # numbers, bits and comparisons
    "abs", "add", "addc", "and", "bfe", "bfi", "bfind", "bmsk", "brev", "clz", "cnot", "copysign",
    "cos", "cvt", "div", "dp2a", "dp4a", "ex2", "fma", "fns", "lg2", "lop3", "mad", "mad24",
    "madc", "max", "min", "mul", "mul24", "neg", "not", "or", "popc", "prmt", "rcp", "rem",
    "rsqrt", "sad", "selp", "set", "setp", "shf", "shl", "shr", "sin", "slct", "sqrt", "sub",
    "subc", "szext", "tanh", "testp", "xor",
    # video: two or four parts of a register
    "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2", "vadd4", "vavrg2", "vavrg4", "vmad",
    "vmax", "vmax2", "vmax4", "vmin", "vmin2", "vmin4", "vset", "vset2", "vset4", "vshl", "vshr",
    "vsub", "vsub2", "vsub4",
    # memory
    "applypriority", "atom", "cp", "createpolicy", "cvta", "discard", "getctarank", "isspacep",
    "ld", "ldu", "mapa", "mov", "multimem", "prefetch", "prefetchu", "red", "st", "tensormap",
    # textures and surfaces
    "istypep", "suld", "suq", "sured", "sust", "tex", "tld4", "txq",
    # threads together
    "activemask", "bar", "barrier", "clusterlaunchcontrol", "elect", "fence", "griddepcontrol",
    "match", "mbarrier", "membar", "redux", "shfl", "vote",
    # matrices
    "ldmatrix", "mma", "movmatrix", "stmatrix", "tcgen05", "wgmma", "wmma",
    # where it goes on, and the stack
    "alloca", "bra", "brkpt", "brx", "call", "exit", "nanosleep", "pmevent", "ret", "setmaxnreg",
    "stackrestore", "stacksave", "trap",
})
DIRECTIVES: Final = frozenset({
    "align", "b128", "b16", "b32", "b64", "b8", "branchtargets", "callprototype", "calltargets",
    "const", "file", "global", "loc", "local", "maxnreg", "noreturn", "param", "pragma", "reg",
    "section", "shared",
})
"""Which may stand within the body of a function."""
# fmt: on
