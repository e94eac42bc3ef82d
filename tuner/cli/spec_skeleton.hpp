// The beginning of a spec, from what a kernel's source says: `rooftune init`.
#pragma once

#include <string>

#include "tuner/spec/spec.hpp"

namespace rooftune::cli {

/// A spec in YAML with comments, which loads as it stands where the source says enough; what has to
/// be looked at says TODO. `source` is the text, `file` how the spec shall name it. Without
/// `kernel` the first kernel whose name does not say that it is a reference. Throws InputError
/// where there is no such kernel.
std::string spec_skeleton(const std::string& source, const std::string& file,
                          const std::string& kernel = "");

/// What a parameter's name says about its role; `other` where it says nothing.
Role role_by_name(const std::string& name);

}  // namespace rooftune::cli
