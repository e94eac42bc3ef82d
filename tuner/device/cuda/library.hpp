// Shared libraries that may be missing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rooftune::cuda {

class Library {
 public:
  virtual ~Library() = default;
  /// nullptr where the library has no such symbol.
  virtual void* find(const char* symbol) const = 0;
  virtual std::string path() const = 0;
};

/// The first of `names` that can be loaded; where the environment variable is set, what it names
/// alone. nullptr, and `why`, where none can be.
std::shared_ptr<const Library> load_library(const char* variable,
                                            const std::vector<std::string>& names,
                                            std::string& why);

}  // namespace rooftune::cuda
