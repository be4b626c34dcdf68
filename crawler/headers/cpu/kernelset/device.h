// Device functions on a CPU, one header a subject; it stands where the CUDA tree has its own `device.h`.
// Rule: CUDA C++ Programming Guide, "C++ Language Extensions".
#pragma once
#include <kernelset/attributes.h>
#include <kernelset/vectors.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

#include <kernelset/cpu/mutants.h>
#include <kernelset/cpu/findings.h>
#include <kernelset/cpu/switch.h>
#include <kernelset/cpu/fiber.h>
#include <kernelset/cpu/barrier.h>
#include <kernelset/cpu/warp.h>
#include <kernelset/cpu/vote.h>
#include <kernelset/cpu/quiescence.h>

#include <kernelset/minmax.h>
#include <kernelset/cpu/atomic.h>
#include <kernelset/cpu/integer.h>
#include <kernelset/cpu/float.h>
#include <kernelset/cpu/rounding.h>
#include <kernelset/cpu/memory.h>
