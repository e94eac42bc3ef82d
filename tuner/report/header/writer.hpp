// A kernel's table as C++ text.
#pragma once

#include <string>

#include "tuner/report/header/embed.hpp"
#include "tuner/report/header/model.hpp"
#include "tuner/report/header/names.hpp"

namespace rooftune::header {

/// "MACHINE GENERATED ..." and the command that makes it again, each line of a comment.
std::vector<std::string> provenance(const HeaderOptions& options);
/// What a person wants to know of a line: time, roof, bound, error, versions; a line of text each.
std::vector<std::string> remarks(const Candidate& measured);
/// The kernel's name expression with the configuration's values in it.
std::string kernel_name(const Candidate& measured);
/// Largest error against the reference at any size of the record.
double largest_error(const Record& record);

/// Namespace `space` with everything of one kernel; `embedded` is nullptr where nothing of it goes
/// into the header.
std::string kernel_section(const Kernel& kernel, const std::string& space,
                           const EmbeddedKernel* embedded);

}  // namespace rooftune::header
