// Rule: CUDA Math API, "FP4 Intrinsics".
#pragma once
#include <kernelset/small_float_words.h>
#include <kernelset/fp4_types.h>
