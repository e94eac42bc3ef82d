// Counterparts of the tests' kernels, by name.
#pragma once

#include <cstddef>
#include <string>

namespace fake_cuda {

/// Where a kernel's output lies.
struct Output {
  char* data = nullptr;
  std::size_t bytes = 0;
};

/// nullptr for a name that is not registered. Takes the launch's arguments.
using Kernel = Output (*)(void** arguments);
/// By the mangled name, template arguments aside: "_Z5scaleILi128EEvPKfPfi" is "scale".
Kernel find_kernel(const std::string& mangled_name);

/// Whether a range of the profiler is open.
bool is_profiled();
void set_profiled(bool is_open);

/// What this process' kernels took, as the GPU's counter shows it: in steps of 50 ms.
double shown_joules();

}  // namespace fake_cuda
