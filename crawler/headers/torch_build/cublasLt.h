// The handle of cuBLASLt stands with cuBLAS.
#pragma once
#include <cublas_v2.h>
