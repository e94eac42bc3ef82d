// cuda::std is the host's own standard library.
#pragma once

#include <cstddef>

#include "../../../prelude.hpp"

namespace cuda {
namespace std = ::std;
}
