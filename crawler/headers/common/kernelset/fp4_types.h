// Floats of 4 bits.
#pragma once
#include <kernelset/small_float_types.h>

enum KS_SMALL(fp4_interpretation_t) { KS_SMALL_WORD(E2M1) };
namespace kernelset {
using E2M1 = SmallFloat<2, 1>;
}
typedef unsigned short KS_SMALL(fp4x4_storage_t);
KS_SMALL_STORAGE(4, unsigned char)
KS_SMALL_TYPE(e2m1, 4, kernelset::E2M1)
KS_SMALL_VECTORS(e2m1, 4, kernelset::E2M1, 4, KS_SMALL(fp4x4_storage_t))
#define KS_E2M1_CODE(kind, v) kernelset::E2M1::code(v)
#define KS_E2M1_VALUE(kind, v) kernelset::E2M1::value(v)
KS_SMALL_CONVERSIONS(4, 4, KS_E2M1_CODE, KS_E2M1_VALUE)
