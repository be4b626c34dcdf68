// Rule: CUDA Math API, "FP6 Intrinsics".
#pragma once
#include <kernelset/small_float_words.h>
#include <kernelset/fp6_types.h>
