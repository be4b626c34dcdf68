"""Tables of PTX instructions, special registers and operand types."""

from __future__ import annotations

from typing import Final

HIP_FUNCTIONS: Final = {
    "bfe.u32": "bfe<unsigned>",
    "bfe.u64": "bfe<unsigned long long>",
    "bfi.b32": "bfi<unsigned>",
    "bfi.b64": "bfi<unsigned long long>",
    "prmt.b32": "prmt",
    "lop3.b32": "lop3",
    "fma.rn.f16x2": "fma_f16x2",
    "add.f16x2": "add_f16x2",
    "sub.f16x2": "sub_f16x2",
    "mul.f16x2": "mul_f16x2",
    "cvt.rn.f16.f32": "half_bits",
    "cvt.f32.f16": "half_value",
    "cvt.rni.sat.s8.f16": "signed_byte",
    "ex2.approx.ftz.f32": "exp2",
    "ex2.approx.f32": "exp2",
    "lg2.approx.ftz.f32": "log2",
    "lg2.approx.f32": "log2",
    "rcp.approx.ftz.f32": "reciprocal",
    "rcp.approx.f32": "reciprocal",
    "rsqrt.approx.ftz.f32": "rsqrt",
    "rsqrt.approx.f32": "rsqrt",
    "tanh.approx.f32": "tanh",
    "redux.sync.add.u32": "reduce_add",
    "redux.sync.add.s32": "reduce_add",
    "redux.sync.max.u32": "reduce_max",
    "redux.sync.max.s32": "reduce_max",
    "redux.sync.min.u32": "reduce_min",
    "redux.sync.min.s32": "reduce_min",
}
"""Inline assembly that is a function of its operands: opcode to a function of `kernelset::ptx`
in the header.
"""

REGISTER_FUNCTIONS: Final = {
    "%laneid": "lane_id",
    "%lanemask_lt": "lanemask_lt",
    "%lanemask_le": "lanemask_le",
    "%lanemask_eq": "lanemask_eq",
    "%lanemask_ge": "lanemask_ge",
    "%lanemask_gt": "lanemask_gt",
    "%smid": "multiprocessor",
    "%warpid": "warp",
    "%clock": "clock",
    "%clock64": "clock",
    "%globaltimer": "clock",
    "%globaltimer_lo": "clock",
    "%tid.x": "thread_x",
    "%tid.y": "thread_y",
    "%tid.z": "thread_z",
    "%ntid.x": "threads_x",
    "%ntid.y": "threads_y",
    "%ntid.z": "threads_z",
    "%ctaid.x": "block_x",
    "%ctaid.y": "block_y",
    "%ctaid.z": "block_z",
    "%nctaid.x": "blocks_x",
    "%nctaid.y": "blocks_y",
    "%nctaid.z": "blocks_z",
}
"""What `mov` reads to a function of `kernelset::ptx`."""

FENCE_STATEMENTS: Final = {
    "membar.gl;": "__threadfence()",
    "membar.sys;": "__threadfence_system()",
    "membar.cta;": "__threadfence_block()",
    "fence.acq_rel.gpu;": "__threadfence()",
    "bar.sync 0;": "__syncthreads()",
    "trap;": "__builtin_trap()",
    "exit;": "__builtin_amdgcn_endpgm()",
    "griddepcontrol.wait;": "(void)0",
    "griddepcontrol.launch_dependents;": "(void)0",
    "prefetch.global.L1 [%0];": "(void)0",
    "prefetch.global.L2 [%0];": "(void)0",
}
"""Inline assembly without a result: barriers, fences, and hints that can be dropped."""

INSTRUCTION_CLASSES: Final = {
    "mma": (
        "mma.",
        "wmma.",
        "wgmma.",
        "ldmatrix.",
        "stmatrix.",
        "movmatrix.",
        "tcgen05.",
    ),
    "tma_cluster": (
        "cp.async.bulk",
        "cp.reduce.async.bulk",
        "barrier.cluster",
        "mapa.",
        "multimem.",
        "tensormap.",
    ),
    "async_copy": ("cp.async", "mbarrier."),
}
"""What else stands in inline assembly, by how an instruction begins; the first that fits."""

CPP_TYPES: Final = {
    "pred": "bool",
    "u8": "unsigned char",
    "s8": "signed char",
    "b8": "unsigned char",
    "u16": "unsigned short",
    "s16": "short",
    "b16": "unsigned short",
    "u32": "unsigned",
    "s32": "int",
    "b32": "unsigned",
    "u64": "unsigned long long",
    "s64": "long long",
    "b64": "unsigned long long",
    "f32": "float",
    "f64": "double",
    "f16": "__half",
    "f16x2": "__half2",
    "bf16": "__hip_bfloat16",
    "bf16x2": "__hip_bfloat162",
}
"""Type of an operand to C++."""

PRODUCT_TYPES: Final = {
    "u16": "unsigned",
    "s16": "int",
    "u32": "unsigned long long",
    "s32": "long long",
}
"""Type of the factors to that of a product twice as wide."""

_OPCODES: Final = """
    abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk
    bra brev brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy
    cvt cvta discard div dp2a dp4a elect ex2 exit fence fma fns getctarank
    griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match
    max mbarrier membar min mma mov movmatrix mul mul24 multimem nanosleep neg not or
    pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp set
    setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix
    sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq
    vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4
    vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma wmma xor
"""

OPCODES: Final = frozenset(_OPCODES.split())
"""Every instruction of PTX ISA 8.8, by its first part."""
