#include "tuner/device/host/ceilings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tuner/device/host/ceiling_kernels.hpp"
#include "tuner/device/host/host_device.hpp"

namespace rooftune::ceilings {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// An empty folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "ceilings.XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

void write_cache(const fs::path& folder, const std::string& level, const std::string& type,
                 const std::string& size, const std::string& shared) {
  write(folder / "level", level + "\n");
  write(folder / "type", type + "\n");
  write(folder / "size", size + "\n");
  write(folder / "shared_cpu_list", shared + "\n");
}

TEST(Cpu, IsReadFromProcAndSysfs) {
  const Folder folder;
  write(folder.path() / "cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\n");
  write_cache(folder.path() / "cache/index0", "1", "Data", "48K", "0,8");
  write_cache(folder.path() / "cache/index1", "1", "Instruction", "32K", "0,8");
  write_cache(folder.path() / "cache/index2", "3", "Unified", "32M", "0-7,16-23");
  write_cache(folder.path() / "cache/index3", "2", "Unified", "1024K", "0");
  const Cpu cpu = read_cpu(folder.path() / "cpuinfo", folder.path() / "cache");
  EXPECT_EQ(cpu.name, "Some CPU @ 3 GHz");
  ASSERT_EQ(cpu.caches.size(), 3U);
  EXPECT_EQ(cpu.caches[0].bytes, 48U << 10);
  EXPECT_EQ(cpu.caches[0].shared_by, 2U);
  EXPECT_EQ(cpu.caches[1].bytes, 1U << 20);
  EXPECT_EQ(cpu.caches[1].shared_by, 1U);
  EXPECT_EQ(cpu.caches[2].bytes, 32U << 20);
  EXPECT_EQ(cpu.caches[2].shared_by, 16U);
  EXPECT_GT(cpu.memory_bytes, 0U);
}

TEST(Cpu, HasCommonCachesWhereTheSystemHidesThem) {
  const Folder folder;
  const Cpu cpu = read_cpu(folder.path() / "none", folder.path() / "none");
  EXPECT_EQ(cpu.name, "unknown CPU");
  ASSERT_EQ(cpu.caches.size(), 3U);
  EXPECT_LT(cpu.caches[0].bytes, cpu.caches[1].bytes);
  EXPECT_LT(cpu.caches[1].bytes, cpu.caches[2].bytes);
}

class EveryKernel : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryKernel, ComputesWhatItSays) {
  const Kernels kernels = supported_kernels()[GetParam()];
  alignas(64) float to[granule] = {};
  alignas(64) float a[granule];
  alignas(64) float b[granule];
  for (std::size_t i = 0; i < granule; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = static_cast<float>(2 * i + 1);
  }
  kernels.triad(to, a, b, granule, 2);
  for (std::size_t i = 0; i < granule; ++i) {
    EXPECT_EQ(to[i], a[i] + 0.5F * b[i]) << i;
  }
  kernels.read(a, granule, 2);
  EXPECT_GT(kernels.fma_fp32(1), 0);
  EXPECT_DOUBLE_EQ(kernels.fma_fp32(10), 10 * kernels.fma_fp32(1));
  EXPECT_DOUBLE_EQ(kernels.fma_fp64(1) * 2, kernels.fma_fp32(1));
}

INSTANTIATE_TEST_SUITE_P(Sets, EveryKernel,
                         testing::Range<std::size_t>(0, supported_kernels().size()));

// Relations that hold on any machine under any load, with a little of every loop.
TEST(Ceilings, AreInTheOrderOfTheHierarchy) {
  const Effort little{2e-3, 5, std::uint64_t{64} << 20};
  const DeviceProfile host = measure(read_cpu(), 2, little);
  const auto value = [&](RoofKind kind, const char* name) {
    const Roof* roof = host.roof(kind, name);
    return roof == nullptr ? 0 : roof->value;
  };
  EXPECT_EQ(host.kind, DeviceKind::host);
  EXPECT_EQ(host.multiprocessors, 2);
  EXPECT_GT(value(RoofKind::compute, "fp32"), 1.2 * value(RoofKind::compute, "fp64"));
  EXPECT_GT(value(RoofKind::compute, "fp64"), 1e8);
  EXPECT_GT(value(RoofKind::bandwidth, "l1"), value(RoofKind::bandwidth, "dram"));
  EXPECT_GT(value(RoofKind::bandwidth, "dram"), 1e8);
  EXPECT_EQ(value(RoofKind::bandwidth, "shared"), value(RoofKind::bandwidth, "l1"));
  for (const char* level : {"l1", "l2", "dram"}) {
    const double read = value(RoofKind::bandwidth, (std::string(level) + ".read").c_str());
    const double triad = value(RoofKind::bandwidth, (std::string(level) + ".triad").c_str());
    EXPECT_EQ(value(RoofKind::bandwidth, level), std::max(read, triad)) << level;
  }
  for (const Roof& roof : host.roofs) {
    EXPECT_EQ(roof.source, RoofSource::measured);
    EXPECT_GE(roof.spread, 0) << roof.name;
    EXPECT_LT(roof.spread, 1) << roof.name;
    EXPECT_FALSE(roof.origin.empty()) << roof.name;
  }
}

/// Counts how often it measures.
struct FakeMeasurer {
  int calls = 0;
  Measurer measurer() {
    return [this] {
      ++calls;
      DeviceProfile profile;
      profile.id = "host";
      profile.name = "Some \"CPU\": 3 GHz";
      profile.kind = DeviceKind::host;
      profile.multiprocessors = 4;
      profile.roofs = {
          {RoofKind::compute, "fp32", 1e9 * calls + 1.0 / 3, RoofSource::measured, "how", 0.01, 0}};
      return profile;
    };
  }
};

const Key key = {"Some \"CPU\": 3 GHz", 4, "1.2.3", "box"};

TEST(StoredCeilings, AreMeasuredOnceAndReadBackTheSame) {
  const Folder folder;
  FakeMeasurer fake;
  const DeviceProfile first = stored_or_measured(folder.path(), key, false, fake.measurer());
  const DeviceProfile second = stored_or_measured(folder.path(), key, false, fake.measurer());
  EXPECT_EQ(fake.calls, 1);
  EXPECT_EQ(second.id, "host");
  EXPECT_EQ(second.name, first.name);
  EXPECT_EQ(second.kind, DeviceKind::host);
  ASSERT_EQ(second.roofs.size(), 1U);
  EXPECT_EQ(second.roofs[0].value, first.roofs[0].value);
  EXPECT_THAT(second.source, HasSubstr("measured by rooftune 1.2.3 on 20"));
  EXPECT_THAT(second.source, HasSubstr("4 workers"));
}

TEST(StoredCeilings, RefreshMeasuresAnewAndStoresThat) {
  const Folder folder;
  FakeMeasurer fake;
  stored_or_measured(folder.path(), key, false, fake.measurer());
  const double fresh = stored_or_measured(folder.path(), key, true, fake.measurer()).roofs[0].value;
  EXPECT_EQ(fake.calls, 2);
  EXPECT_EQ(stored_or_measured(folder.path(), key, false, fake.measurer()).roofs[0].value, fresh);
  EXPECT_EQ(fake.calls, 2);
}

TEST(StoredCeilings, BelongToOneCpuWorkerCountAndVersion) {
  const Folder folder;
  FakeMeasurer fake;
  stored_or_measured(folder.path(), key, false, fake.measurer());
  for (const Key& other : {Key{"Other CPU", 4, "1.2.3", "box"}, Key{key.cpu, 8, "1.2.3", "box"},
                           Key{key.cpu, 4, "1.2.4", "box"}, Key{key.cpu, 4, "1.2.3", "crate"}}) {
    const int before = fake.calls;
    stored_or_measured(folder.path(), other, false, fake.measurer());
    EXPECT_EQ(fake.calls, before + 1);
  }
}

TEST(StoredCeilings, ASpoiltFileIsReplaced) {
  const Folder folder;
  FakeMeasurer fake;
  const fs::path file = file_for(folder.path(), key);
  for (const char* text : {"", "name: [", "name: x\nspeed: 3\n"}) {
    write(file, text);
    const int before = fake.calls;
    stored_or_measured(folder.path(), key, false, fake.measurer());
    stored_or_measured(folder.path(), key, false, fake.measurer());
    EXPECT_EQ(fake.calls, before + 1) << text;
  }
}

TEST(StoredCeilings, SayWhenTheyCannotBeStored) {
  const Folder folder;
  FakeMeasurer fake;
  EXPECT_THAT(stored_or_measured(std::nullopt, key, false, fake.measurer()).source,
              HasSubstr("not stored: neither XDG_CACHE_HOME nor HOME is set"));
  write(folder.path() / "file", "a file where a folder is needed");
  EXPECT_THAT(stored_or_measured(folder.path() / "file", key, false, fake.measurer()).source,
              HasSubstr("cannot be written"));
  EXPECT_EQ(fake.calls, 2);
}

TEST(StoredCeilings, LieInTheUsersCacheFolder) {
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  setenv("XDG_CACHE_HOME", "/some/cache", 1);
  EXPECT_EQ(cache_folder(), fs::path("/some/cache/rooftune"));
  const auto file = host_ceilings_file(3);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->parent_path(), fs::path("/some/cache/rooftune"));
  EXPECT_THAT(file->filename().string(), testing::StartsWith("ceilings-"));
  EXPECT_NE(file, host_ceilings_file(4));
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(cache_folder(), fs::path("/home/someone/.cache/rooftune"));
  unsetenv("HOME");
  EXPECT_EQ(cache_folder(), std::nullopt);
  setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace rooftune::ceilings
