// A run on the double of the driver, in a folder of its own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tuner/device/open.hpp"
#include "tuner/session/session.hpp"
#include "tuner/session/temporary_folder.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune::testing {

/// Everything that the run tells.
class Told : public Listener {
 public:
  void on_message(const std::string& text) override { messages.push_back(text); }
  std::vector<std::string> messages;
};

class OnTheDouble : public ::testing::Test {
 protected:
  OnTheDouble() {
    setenv("ROOFTUNE_CUDA_DRIVER", FAKE_CUDA_LIBRARY, 1);
    setenv("ROOFTUNE_NVML", FAKE_CUDA_LIBRARY, 1);
    setenv("ROOFTUNE_CUPTI", FAKE_CUDA_LIBRARY, 1);
    setenv("FAKE_CUDA_SCRIPT", (folder / "script").c_str(), 1);
    // Kernels are compiled once for all tests.
    setenv("XDG_CACHE_HOME", ROOFTUNE_BINARY_DIR "/tests/device_double_cache", 1);
  }

  void script(const std::string& text) { std::ofstream(folder / "script") << text; }

  /// Five configurations of `scale`, told apart by BLOCK.
  static std::string spec_text(const std::string& kernel = "scale",
                               const std::string& access = "out", const std::string& more = "") {
    std::ostringstream text;
    text << "kernel:\n  source: " << ROOFTUNE_SOURCE_DIR << "/tests/fake_cuda/kernels.cu\n"
         << "  name: \"" << kernel << "<{BLOCK}>\"\n"
         << "constants: {n: 4096}\n"
         << "parameters:\n  BLOCK: {values: [32, 64, 128, 256, 512], role: block}\n"
         << "launch: {block: [BLOCK], grid: [\"ceil_div(n, BLOCK)\"]}\n"
         << "arguments:\n  - {name: in, type: float, count: n, fill: \"uniform(-1, 1)\"}\n"
         << "  - {name: out, type: float, count: n, access: " << access << "}\n"
         << "  - {name: n, type: int, value: n}\n"
         << "work:\n  flops: {fp32: n}\n  bytes: {dram: 8 * n}\n"
         << "verify: {kernel: " << kernel << "_reference, block: [32], grid: [1]}\n"
         << more;
    return text.str();
  }

  Spec spec(const std::string& text) const { return parse_spec(text, folder / "spec.yaml"); }

  TuneOptions options() const {
    TuneOptions it;
    it.out = folder / "out";
    it.measure.minimum_seconds = 0.005;
    it.measure.minimum_samples = 3;
    it.measure.maximum_samples = 20;
    it.measure.timeout_seconds = 0.4;
    return it;
  }

  Results run(const std::string& text, const TuneOptions& with,
              const std::string& device = "cuda:0") {
    const std::unique_ptr<Device> opened = open_device(device);
    return tune(spec(text), *opened, with, told);
  }

  static const Record* record_of(const Results& results, int block) {
    const auto found =
        std::find_if(results.records.begin(), results.records.end(), [block](const Record& r) {
          return find_value(r.parameters, "BLOCK")->as_integer() == block;
        });
    return found != results.records.end() ? &*found : nullptr;
  }

  std::string journal() const { return read(folder / "out" / "journal.jsonl"); }
  static std::string read(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  TemporaryFolder temporary;
  std::filesystem::path folder = temporary.path();
  Told told;
};

}  // namespace rooftune::testing
