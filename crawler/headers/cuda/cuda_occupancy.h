#pragma once
#include <kernelset/cuda.cuh>
