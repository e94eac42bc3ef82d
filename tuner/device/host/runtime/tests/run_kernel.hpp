// Launches kernels that tests write against the prelude.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "launch.hpp"
#include "prelude.hpp"

namespace rooftune_host {

/// Runs `body` as the kernel, by reference to the test's variables.
template <class Body>
LaunchReport run_kernel(const LaunchShape& shape, const Body& body, LaunchOptions options = {}) {
  const void* args[] = {&body};
  return launch(
      shape, [](void** arguments) { (*static_cast<const Body*>(arguments[0]))(); },
      const_cast<void**>(args), options);
}

/// The same, for kernels that must succeed.
template <class Body>
void expect_runs(const LaunchShape& shape, const Body& body, const LaunchOptions& options = {}) {
  const LaunchReport report = run_kernel(shape, body, options);
  EXPECT_FALSE(report.error) << report.error->message;
}

}  // namespace rooftune_host
