// Floats of 6 bits.
#pragma once
#include <kernelset/small_float_types.h>

enum KS_SMALL(fp6_interpretation_t) { KS_SMALL_WORD(E2M3), KS_SMALL_WORD(E3M2) };
namespace kernelset {
using E2M3 = SmallFloat<2, 3>;
using E3M2 = SmallFloat<3, 2>;
}  // namespace kernelset
typedef unsigned int KS_SMALL(fp6x4_storage_t);
KS_SMALL_STORAGE(6, unsigned short)
KS_SMALL_TYPE(e2m3, 6, kernelset::E2M3)
KS_SMALL_TYPE(e3m2, 6, kernelset::E3M2)
KS_SMALL_VECTORS(e2m3, 6, kernelset::E2M3, 8, KS_SMALL(fp6x4_storage_t))
KS_SMALL_VECTORS(e3m2, 6, kernelset::E3M2, 8, KS_SMALL(fp6x4_storage_t))
#define KS_FP6_CODE(kind, v) (kind == KS_SMALL_WORD(E2M3) ? kernelset::E2M3::code(v) : kernelset::E3M2::code(v))
#define KS_FP6_VALUE(kind, v) (kind == KS_SMALL_WORD(E2M3) ? kernelset::E2M3::value(v) : kernelset::E3M2::value(v))
KS_SMALL_CONVERSIONS(6, 8, KS_FP6_CODE, KS_FP6_VALUE)
