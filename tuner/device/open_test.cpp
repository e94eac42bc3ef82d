#include "tuner/device/open.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& name) {
  try {
    open_device(name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "opened";
}

TEST(Devices, ListsTheHostWithItsCompiler) {
  const std::vector<DeviceListing> devices = list_devices();
  const auto host = std::find_if(devices.begin(), devices.end(),
                                 [](const DeviceListing& d) { return d.id == "host"; });
  ASSERT_NE(host, devices.end());
  EXPECT_TRUE(host->available) << host->remark;
  EXPECT_THAT(host->remark, HasSubstr("g++"));
  EXPECT_EQ(host->profile.kind, DeviceKind::host);
  EXPECT_GT(host->profile.multiprocessors, 0);
  EXPECT_GT(host->profile.memory_bytes, 0U);
}

TEST(Devices, AnUnavailableDeviceSaysWhy) {
  for (const DeviceListing& device : list_devices()) {
    if (!device.available) {
      EXPECT_NE(device.remark, "");
      EXPECT_THAT(refusal(device.id), HasSubstr(device.remark));
    }
  }
}

TEST(Devices, AnUnknownNameGetsASuggestion) {
  EXPECT_EQ(refusal("hots"), "unknown device \"hots\"\n  did you mean \"host\"?");
}

TEST(Devices, OpensTheHost) {
  EXPECT_EQ(refusal("host"), "opened");
}

}  // namespace
}  // namespace rooftune
