// rooftune as a library: tune a kernel from C++.
//
//     const rooftune::Spec spec = rooftune::load_spec("sgemm.yaml");
//     const auto device = rooftune::open_device("auto");
//     rooftune::Listener silent;
//     const rooftune::Results results = rooftune::tune(spec, *device, {}, silent);
//     std::cout << rooftune::verdict(results) << '\n';
//
// Wrong input is a rooftune::InputError. A whole program: examples/tune_from_cpp.
#pragma once

#include "search/policy.hpp"            // IWYU pragma: export
#include "tuner/core/error.hpp"         // IWYU pragma: export
#include "tuner/core/outcome.hpp"       // IWYU pragma: export
#include "tuner/core/units.hpp"         // IWYU pragma: export
#include "tuner/core/value.hpp"         // IWYU pragma: export
#include "tuner/device/open.hpp"        // IWYU pragma: export
#include "tuner/report/report.hpp"      // IWYU pragma: export
#include "tuner/roofline/roofline.hpp"  // IWYU pragma: export
#include "tuner/session/results.hpp"    // IWYU pragma: export
#include "tuner/session/session.hpp"    // IWYU pragma: export
#include "tuner/space/space.hpp"        // IWYU pragma: export
#include "tuner/spec/spec.hpp"          // IWYU pragma: export
