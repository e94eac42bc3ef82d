#include "tuner/roofline/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

using testing::HasSubstr;

constexpr const char* small_file = R"(name: Toy
match: ["NVIDIA Toy*"]
compute_capability: "8.0"
multiprocessors: 10
clock_mhz: {boost: 1000, maximum: 1500}
memory_gib: 4
l2_mib: 0.5
peaks: dense
source: "a leaflet"
compute:
  fp32: {data_sheet: 1.25e12, per_clock: 128}
  fp16.tensor: {per_clock: 1024, origin: "a guess"}
bandwidth:
  dram: {data_sheet: 300e9, measured: 270.5e9, spread: 0.01, measured_origin: "today"}
issue: {per_clock: 4}
)";

/// The file with the first occurrence of `from` replaced.
std::string small_with(const std::string& from, const std::string& to) {
  std::string text = small_file;
  return text.replace(text.find(from), from.size(), to);
}

std::string message_of(const std::string& text) {
  try {
    parse_device(text, "toy.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Profile, ReadsEveryField) {
  const DeviceProfile toy = parse_device(small_file, "some/toy.yaml");
  EXPECT_EQ(toy.id, "toy");
  EXPECT_EQ(toy.name, "Toy");
  EXPECT_EQ(toy.kind, DeviceKind::cuda);
  EXPECT_EQ(toy.cc, (ComputeCapability{8, 0}));
  EXPECT_EQ(toy.multiprocessors, 10);
  EXPECT_EQ(toy.clock_hz, 1.5e9);
  EXPECT_EQ(toy.memory_bytes, 4ULL << 30);
  EXPECT_EQ(toy.l2_bytes, 512U * 1024);
  EXPECT_EQ(toy.schedulers(), 4);
  const Roof* tensor = toy.roof(RoofKind::compute, "fp16.tensor");
  ASSERT_NE(tensor, nullptr);
  EXPECT_DOUBLE_EQ(tensor->value, 1024 * 10 * 1e9);  // at the boost clock
  EXPECT_EQ(tensor->origin, "a guess");
  EXPECT_EQ(toy.roof(RoofKind::compute, "fp32")->origin, "a leaflet");
}

TEST(Profile, MeasuredRoofsStandBesideTheDataSheets) {
  const DeviceProfile toy = parse_device(small_file, "toy.yaml");
  EXPECT_EQ(toy.roof(RoofKind::bandwidth, "dram")->value, 270.5e9);
  EXPECT_EQ(toy.roof(RoofKind::bandwidth, "dram")->source, RoofSource::measured);
  EXPECT_EQ(toy.roof(RoofKind::bandwidth, "dram", RoofSource::data_sheet)->value, 300e9);
  EXPECT_EQ(toy.roof(RoofKind::compute, "fp32")->source, RoofSource::data_sheet);
  EXPECT_EQ(toy.roof(RoofKind::compute, "fp64"), nullptr);
}

TEST(Profile, TheoreticalIsNeverBelowAnyOtherFigure) {
  DeviceProfile toy = parse_device(small_file, "toy.yaml");
  // The rate at the maximum clock is above the data sheet's figure at the boost clock.
  EXPECT_DOUBLE_EQ(toy.theoretical(RoofKind::compute, "fp32"), 128 * 10 * 1.5e9);
  EXPECT_DOUBLE_EQ(toy.theoretical(RoofKind::bandwidth, "dram"), 300e9);
  toy.roofs.push_back({RoofKind::compute, "fp32", 2e12, RoofSource::measured, "now", 0, 0});
  EXPECT_DOUBLE_EQ(toy.theoretical(RoofKind::compute, "fp32"), 2e12);
  // What the user gives is taken before all else, but proves no more than it.
  toy.roofs.push_back({RoofKind::compute, "fp32", 1e12, RoofSource::given, "by hand", 0, 0});
  EXPECT_EQ(toy.roof(RoofKind::compute, "fp32")->value, 1e12);
  EXPECT_DOUBLE_EQ(toy.theoretical(RoofKind::compute, "fp32"), 2e12);
  // A measured peak alone proves nothing.
  toy.roofs = {{RoofKind::bandwidth, "dram", 20e9, RoofSource::measured, "now", 0, 0}};
  EXPECT_EQ(toy.theoretical(RoofKind::bandwidth, "dram"), 0);
  EXPECT_EQ(toy.theoretical(RoofKind::compute, "fp32"), 0);
}

TEST(Profile, WritesWhatItReads) {
  const DeviceProfile toy = parse_device(small_file, "toy.yaml");
  const DeviceProfile again = parse_device(device_yaml(toy), "toy.yaml");
  EXPECT_EQ(again.name, toy.name);
  EXPECT_EQ(again.match, toy.match);
  EXPECT_EQ(again.clock_hz, toy.clock_hz);
  EXPECT_EQ(again.l2_bytes, toy.l2_bytes);
  EXPECT_EQ(again.memory_bytes, toy.memory_bytes);
  ASSERT_EQ(again.roofs.size(), toy.roofs.size());
  for (std::size_t i = 0; i < toy.roofs.size(); ++i) {
    EXPECT_EQ(again.roofs[i].kind, toy.roofs[i].kind);
    EXPECT_EQ(again.roofs[i].name, toy.roofs[i].name);
    EXPECT_EQ(again.roofs[i].value, toy.roofs[i].value);
    EXPECT_EQ(again.roofs[i].source, toy.roofs[i].source);
    EXPECT_EQ(again.roofs[i].origin, toy.roofs[i].origin);
    EXPECT_EQ(again.roofs[i].spread, toy.roofs[i].spread);
    EXPECT_EQ(again.roofs[i].rate, toy.roofs[i].rate);
  }
}

TEST(Profile, RefusesAnUnknownKeyWithPlaceAndSuggestion) {
  EXPECT_EQ(message_of(small_with("memory_gib", "memory_gb")),
            "toy.yaml:6:1: unknown key \"memory_gb\" in a device file\n"
            "    6 | memory_gb: 4\n"
            "      | ^~~~~~~~~\n"
            "  did you mean \"memory_gib\"?");
  EXPECT_THAT(message_of(small_with("fp16.tensor", "fp16.tensors")),
              HasSubstr("toy.yaml:12:3: unknown key \"fp16.tensors\" in compute"));
  EXPECT_THAT(message_of(small_with("spread", "scatter")),
              HasSubstr("toy.yaml:14:48: unknown key \"scatter\" in the roof \"dram\""));
}

// A device file that holds sparse peaks halves every fraction of a dense kernel.
TEST(Profile, RefusesPeaksThatAreNotDense) {
  EXPECT_THAT(message_of(small_with("peaks: dense", "peaks: sparse")),
              HasSubstr("toy.yaml:8:8: peaks must be dense"));
  EXPECT_THAT(message_of(small_with("peaks: dense\n", "")), HasSubstr("lacks \"peaks\""));
}

TEST(Profile, RefusesWhatIsNoFigure) {
  EXPECT_THAT(message_of(small_with("1.25e12", "19.5 TFLOP/s")),
              HasSubstr("toy.yaml:11:22: \"data_sheet\" must be a number above zero"));
  EXPECT_THAT(message_of(small_with("300e9", "-300e9")), HasSubstr("must be a number above zero"));
  EXPECT_THAT(message_of(small_with("300e9", ".inf")), HasSubstr("must be a number above zero"));
  EXPECT_THAT(message_of(small_with("per_clock: 1024, ", "")), HasSubstr("has no value"));
  EXPECT_THAT(message_of(small_with("\"8.0\"", "eight")), HasSubstr("not a compute capability"));
  EXPECT_THAT(message_of(small_with("maximum: 1500", "maximum: 900")),
              HasSubstr("below the boost clock"));
  EXPECT_THAT(message_of(small_with("multiprocessors: 10\n", "")),
              HasSubstr("lacks \"multiprocessors\""));
  EXPECT_THAT(message_of(small_with("l2_mib: 0.5", "memory_gib: 0.5")), HasSubstr("given twice"));
  EXPECT_THAT(message_of(small_with("[\"NVIDIA Toy*\"]", "[[a]]")),
              HasSubstr("a name pattern must be a text"));
  EXPECT_THAT(message_of("name: [\n"), HasSubstr("not YAML"));
  EXPECT_THAT(message_of(""), HasSubstr("must be a mapping"));
}

TEST(DeviceFiles, AnUnknownIdGetsASuggestion) {
  try {
    load_device("h100-smx");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "unknown device \"h100-smx\"\n  did you mean \"h100-sxm\"?");
  }
}

class EveryDeviceFile : public testing::TestWithParam<std::string> {};

// Multiprocessors x FLOP/clock x clock is what a peak is made of: a slip in any of the figures
// shows as a gap.
TEST_P(EveryDeviceFile, PeaksAgreeWithRates) {
  const DeviceProfile device = load_device(GetParam());
  for (const char* name : {"fp64", "fp32"}) {
    const Roof* roof = device.roof(RoofKind::compute, name);
    ASSERT_NE(roof, nullptr) << name;
    ASSERT_GT(roof->rate, 0) << name;
    const double clock = roof->value / (roof->rate * device.multiprocessors);
    EXPECT_LE(clock, device.clock_hz * 1.015) << name;
    EXPECT_GE(clock, device.clock_hz * 0.70) << name;
  }
  const auto sheet_clock = [&](const char* name) {
    const Roof* roof = device.roof(RoofKind::compute, name);
    return roof->value / (roof->rate * device.multiprocessors);
  };
  EXPECT_NEAR(sheet_clock("fp64") / sheet_clock("fp32"), 1, 0.04);
  EXPECT_NE(device.roof(RoofKind::bandwidth, "dram"), nullptr);
  EXPECT_NE(device.roof(RoofKind::compute, "fp16.tensor"), nullptr);
  EXPECT_NO_THROW(limits_of(device.cc));
}

TEST_P(EveryDeviceFile, NoFigureIsAboveTheTheoreticalOne) {
  const DeviceProfile device = load_device(GetParam());
  for (const Roof& roof : device.roofs) {
    if (roof.rate > 0) {
      EXPECT_LE(roof.value, roof.rate * device.multiprocessors * device.clock_hz * 1.015)
          << roof.name;
    }
    EXPECT_FALSE(roof.origin.empty()) << roof.name;
  }
}

TEST_P(EveryDeviceFile, MatchesOnlyItsOwnNames) {
  const DeviceProfile device = load_device(GetParam());
  ASSERT_FALSE(device.match.empty());
  for (std::string name : device.match) {
    name.erase(std::remove(name.begin(), name.end(), '*'), name.end());
    ASSERT_TRUE(match_device(name).has_value()) << name;
    EXPECT_EQ(match_device(name)->id, device.id) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, EveryDeviceFile, testing::ValuesIn(device_ids()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

struct NameCase {
  const char* reported;
  const char* id;  ///< empty: none
};

TEST(DeviceFiles, MatchWhatDriversReport) {
  for (const NameCase& c : {NameCase{"NVIDIA A100-SXM4-40GB", "a100-40"},
                            {"A100-PCIE-40GB", "a100-40"},
                            {"NVIDIA A100-SXM4-80GB", "a100-80-sxm"},
                            {"NVIDIA A100 80GB PCIe", "a100-80-pcie"},
                            {"NVIDIA H100 80GB HBM3", "h100-sxm"},
                            {"NVIDIA H100 PCIe", "h100-pcie"},
                            {"NVIDIA H200", "h200"},
                            {"NVIDIA B200", "b200"},
                            {"Tesla T4", "t4"},
                            {"Tesla V100-SXM2-32GB", "v100-sxm2"},
                            {"NVIDIA GeForce RTX 3090", "rtx-3090"},
                            {"GeForce RTX 2080 Ti", "rtx-2080-ti"},
                            {"NVIDIA L4", "l4"},
                            {"NVIDIA L40S", "l40s"},
                            {"NVIDIA A10", "a10"},
                            // Other chips with names that begin alike.
                            {"NVIDIA A10G", ""},
                            {"NVIDIA L40", ""},
                            {"NVIDIA GeForce RTX 3090 Ti", ""},
                            {"NVIDIA GeForce RTX 4090 Laptop GPU", ""},
                            {"NVIDIA H100 NVL", ""},
                            {"Tesla V100-PCIE-16GB", ""}}) {
    const auto found = match_device(c.reported);
    EXPECT_EQ(found ? found->id : "", c.id) << c.reported;
  }
}

struct RidgeCase {
  const char* device;
  const char* unit;
  double ridge;
};

// Published ridge points, dense, from the data sheets' figures.
TEST(DeviceFiles, TextbookRidges) {
  for (const RidgeCase& c : {RidgeCase{"h100-sxm", "bf16.tensor", 295},
                             {"h100-sxm", "fp16.tensor", 295},
                             {"h100-sxm", "fp8.tensor", 591},
                             {"v100-sxm2", "fp16.tensor", 138.9},
                             {"a100-80-sxm", "fp16.tensor", 153},
                             {"a100-40", "fp32", 12.5},
                             {"l40s", "fp32", 106},
                             {"h100-sxm", "fp32", 20.0},
                             {"h200", "fp32", 13.9},
                             {"v100-sxm2", "fp32", 17.4},
                             {"rtx-5090", "fp32", 58.5}}) {
    const DeviceProfile device = load_device(c.device);
    const double ridge = device.roof(RoofKind::compute, c.unit)->value /
                         device.roof(RoofKind::bandwidth, "dram")->value;
    EXPECT_NEAR(ridge / c.ridge, 1, 0.005) << c.device << ' ' << c.unit;
  }
}

}  // namespace
}  // namespace rooftune
