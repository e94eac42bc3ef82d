// Kernels through the whole host device: compiled, proved and timed in processes of their own.
#include "tuner/device/host/host_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tuner/core/error.hpp"
#include "tuner/space/space.hpp"
#include "tuner/spec/instance.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune {
namespace {

using testing::HasSubstr;

const std::filesystem::path specs = std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "tests" / "host";
const std::filesystem::path templates =
    std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "configs" / "kernels";

/// One configuration of a spec, compiled and measured.
class Runner {
 public:
  explicit Runner(const std::filesystem::path& spec, HostBuild build = HostBuild::time,
                  const std::vector<Override>& overrides = {})
      : spec_(load_spec(spec, overrides)), device_(make_host_device({build, 2, {}})) {
    options_.minimum_seconds = 1e-3;
    options_.minimum_samples = 2;
    options_.timeout_seconds = 60;
  }

  KernelInstance instance(const NamedValues& parameters) const {
    return instantiate(spec_, parameters, spec_.problems.front());
  }
  MeasureResult run(const NamedValues& parameters) {
    const KernelInstance kernel = instance(parameters);
    const CompileResult compiled = device_->compile(kernel);
    if (const auto* failure = std::get_if<Failure>(&compiled)) {
      return *failure;
    }
    return device_->measure(kernel, std::get<KernelBinary>(compiled), options_);
  }
  /// Runs a configuration that must be right.
  Measurement measure(const NamedValues& parameters) {
    const MeasureResult result = run(parameters);
    if (const auto* failure = std::get_if<Failure>(&result)) {
      ADD_FAILURE() << to_string(parameters) << ": " << failure->reason << "\n"
                    << failure->log.substr(0, 2000);
      return {};
    }
    return std::get<Measurement>(result);
  }
  /// Runs a configuration that must fail.
  Failure fail(const NamedValues& parameters) {
    const MeasureResult result = run(parameters);
    if (const auto* failure = std::get_if<Failure>(&result)) {
      return *failure;
    }
    ADD_FAILURE() << to_string(parameters) << " did not fail";
    return {};
  }

  const Spec& spec() const { return spec_; }
  MeasureOptions& options() { return options_; }

 private:
  Spec spec_;
  std::unique_ptr<Device> device_;
  MeasureOptions options_;
};

TEST(HostDevice, TheTemplatesAreRightAndTimed) {
  const std::vector<std::pair<std::string, std::vector<Override>>> cases = {
      {"triad.yaml", {{"n", "65536"}}},
      {"transpose.yaml", {{"rows", "256"}, {"columns", "192"}}},
      {"reduction.yaml", {{"n", "65536"}}},
  };
  for (const auto& [file, overrides] : cases) {
    Runner runner(templates / file, HostBuild::time, overrides);
    const Space space(runner.spec());
    std::mt19937_64 random(1);
    for (const Configuration& configuration : space.sample(2, random)) {
      const NamedValues parameters = space.values(configuration);
      const Measurement measurement = runner.measure(parameters);
      EXPECT_TRUE(measurement.verified) << file << " " << to_string(parameters);
      EXPECT_GT(measurement.seconds, 0.0);
      EXPECT_GE(measurement.samples.size(), 1U);
      EXPECT_EQ(measurement.clock, "cpu time per worker");
    }
  }
}

}  // namespace
}  // namespace rooftune
