// Results of another device or size as a prior for this run.
#pragma once

#include <filesystem>
#include <memory>

#include "search/policy.hpp"

namespace rooftune {

/// Any recording or results of the same parameters. What the spec has as constants and the
/// recording as parameters may differ: that is the size. Configurations that are not in this space
/// are left out. Throws InputError where the parameters differ, naming them, and where no
/// configuration of this space succeeded.
std::shared_ptr<const Prior> load_prior(const std::filesystem::path& file, const Spec& spec,
                                        const Space& space);

}  // namespace rooftune
