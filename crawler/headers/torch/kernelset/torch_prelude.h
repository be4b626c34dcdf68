// What every header name of PyTorch stands for in a parse.
#pragma once
#include <kernelset/torch_parse.cuh>
