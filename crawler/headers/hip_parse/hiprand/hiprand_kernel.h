#pragma once
#include <hip/hip_runtime.h>
#define KERNELSET_RAND(name) hiprand##name
#include <kernelset/random.h>
