// What is forced into the parse of sources that use the C++ library: the prelude of their units, and the headers that
// host code mostly includes, so that they are read once a machine and not once a source.
// Rule: headers of ISO C++17 alone; nothing here may change what device code means.
#pragma once
#include <kernelset/cuda.cuh>
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <chrono>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>
