// What a build that translates names makes of cub in sources that say HIP elsewhere.
#pragma once
#include <hipcub/hipcub.hpp>
namespace cub = hipcub;
