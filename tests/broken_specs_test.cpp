// Every spec in tests/broken_specs is refused by the command, with the message beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tuner/cli/test_command.hpp"

namespace rooftune {
namespace {

namespace fs = std::filesystem;

const fs::path folder = ROOFTUNE_SOURCE_DIR "/tests/broken_specs";

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// What `rooftune space` says, with FOLDER for the folder of the specs.
std::string refusal(const std::string& name) {
  const std::string file = (folder / (name + ".yaml")).string();
  const cli::CommandResult result = cli::run_command({"space", file});
  EXPECT_EQ(result.status, 1);
  std::string message = result.err;
  const std::string path = folder.string();
  for (std::size_t at = 0; (at = message.find(path, at)) != std::string::npos;) {
    message.replace(at, path.size(), "FOLDER");
  }
  return message;
}

class BrokenSpec : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenSpec, IsRefusedWithItsMessage) {
  EXPECT_EQ(refusal(GetParam()), "rooftune: " + read(folder / (GetParam() + ".expected")));
}

INSTANTIATE_TEST_SUITE_P(Specs, BrokenSpec, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

TEST(BrokenSpecs, EachExpectationHasItsSpec) {
  ASSERT_FALSE(names().empty());
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".expected") {
      EXPECT_TRUE(fs::exists(fs::path(entry.path()).replace_extension(".yaml"))) << entry.path();
    }
  }
}

}  // namespace
}  // namespace rooftune
