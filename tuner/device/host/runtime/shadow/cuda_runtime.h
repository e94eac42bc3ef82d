// Stands in for CUDA's header: all that the host device has of it is in the prelude.
#pragma once

#include "../prelude.hpp"
