"""What single PTX instructions become in HIP, and what kind of thing the others are."""

from __future__ import annotations

from typing import Final

PTX: Final = {
    "bfe.u32": "bfe",
    "bfe.u64": "bfe",
    "bfi.b32": "bfi",
    "bfi.b64": "bfi",
    "prmt.b32": "prmt",
    "lop3.b32": "lop3",
    "fma.rn.f16x2": "fma_f16x2",
    "add.f16x2": "add_f16x2",
    "sub.f16x2": "sub_f16x2",
    "mul.f16x2": "mul_f16x2",
    "cvt.rn.f16.f32": "half_bits",
    "cvt.f32.f16": "half_value",
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
"""Inline assembly that is a function of its operands: opcode to a function of `kernelset::ptx` in the header."""

PTX_REGISTERS: Final = {
    "%laneid": "lane_id",
    "%lanemask_lt": "lanemask_lt",
    "%lanemask_le": "lanemask_le",
    "%lanemask_eq": "lanemask_eq",
    "%lanemask_ge": "lanemask_ge",
    "%lanemask_gt": "lanemask_gt",
    "%clock64": "clock",
    "%globaltimer": "clock",
}
"""What `mov` reads to a function of `kernelset::ptx`."""

PTX_FENCES: Final = {
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

PTX_CLASSES: Final = {
    "mma": ("mma.", "wmma.", "wgmma.", "ldmatrix.", "stmatrix.", "movmatrix.", "tcgen05."),
    "tma_cluster": ("cp.async.bulk", "cp.reduce.async.bulk", "barrier.cluster", "mapa.", "multimem.", "tensormap."),
    "async_copy": ("cp.async", "mbarrier."),
}
"""What else stands in inline assembly, by how an instruction begins; the first that fits."""
