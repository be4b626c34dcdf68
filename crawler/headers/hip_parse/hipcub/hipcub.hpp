#pragma once
#include <hip/hip_runtime.h>
#include <cub/cub.cuh>
namespace hipcub = cub;
#define HIPCUB_MAX CUB_MAX
#define HIPCUB_MIN CUB_MIN
#define HIPCUB_WARP_THREADS 32
#define HIPCUB_ARCH CUB_PTX_ARCH
