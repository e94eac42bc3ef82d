#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/test_folder.hpp"

namespace rooftune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

KernelBinary some_binary(std::size_t size = 100) {
  KernelBinary binary;
  binary.image.assign(size, 'x');
  binary.image[0] = '\0';
  binary.entry = "_Z1kPf";
  binary.architecture = "sm_90";
  binary.resources = Resources{32, 1, 2, 3, 4, 5, 6};
  binary.notes = {"a note"};
  binary.log = "a log\nwith a byte that is no UTF-8: \xff";
  return binary;
}

TEST(BinaryCache, GivesBackWhatWasStored) {
  const TestFolder folder;
  BinaryCache cache(folder.path() / "a" / "b");
  EXPECT_EQ(cache.problem(), "");
  EXPECT_EQ(cache.find("key"), std::nullopt);
  cache.store("key", some_binary());
  const auto found = cache.find("key");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->image, some_binary().image);
  EXPECT_EQ(found->entry, "_Z1kPf");
  EXPECT_EQ(found->architecture, "sm_90");
  EXPECT_EQ(found->resources->registers, 32);
  EXPECT_EQ(found->resources->spill_stores, 1);
  EXPECT_EQ(found->resources->spill_loads, 2);
  EXPECT_EQ(found->resources->stack_frame, 3);
  EXPECT_EQ(found->resources->static_shared, 4);
  EXPECT_EQ(found->resources->constant, 5);
  EXPECT_EQ(found->resources->max_threads, 6);
  EXPECT_EQ(found->notes, some_binary().notes);
  EXPECT_THAT(found->log, HasSubstr("a log\nwith"));
  EXPECT_TRUE(found->cached);
  EXPECT_EQ(cache.statistics().hits, 1U);
  EXPECT_EQ(cache.statistics().misses, 1U);
  EXPECT_EQ(cache.summary(), "1 hit, 1 miss");
}

TEST(BinaryCache, TakesDamagedEntriesForMisses) {
  const TestFolder folder;
  BinaryCache cache(folder.path());
  cache.store("key", some_binary());
  const fs::path file = folder.path() / "key.bin";
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::vector<std::string> damaged = {"",
                                      "x",
                                      whole.substr(0, whole.size() - 1),
                                      whole + "y",
                                      whole.substr(0, whole.find('\n')),
                                      "rooftune binary 2" + whole.substr(17)};
  std::string flipped = whole;
  flipped.back() ^= 1;
  damaged.push_back(flipped);
  for (const std::string& text : damaged) {
    folder.write("key.bin", text);
    EXPECT_EQ(cache.find("key"), std::nullopt) << text.size();
    EXPECT_FALSE(fs::exists(file)) << "a damaged entry stays";
  }
  folder.write("key.bin", whole);
  EXPECT_TRUE(cache.find("key").has_value());
}

TEST(BinaryCache, StaysWithinItsBound) {
  const TestFolder folder;
  BinaryCache cache(folder.path(), 100000);
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 9; ++i) {
    const std::string key = "old" + std::to_string(i);
    cache.store(key, some_binary(10000));
    fs::last_write_time(folder.path() / (key + ".bin"), now - std::chrono::hours(20 - i));
  }
  EXPECT_EQ(cache.statistics().removed, 0U);
  EXPECT_TRUE(cache.find("old0").has_value());  // used last, so that it stays
  cache.store("new", some_binary(10000));
  EXPECT_GT(cache.statistics().removed, 0U);
  EXPECT_TRUE(cache.find("new").has_value());
  EXPECT_TRUE(cache.find("old0").has_value());
  EXPECT_FALSE(cache.find("old1").has_value());
  std::uintmax_t total = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    total += entry.file_size();
  }
  EXPECT_LE(total, 100000U);
}

TEST(BinaryCache, RemovesWhatAKilledProcessLeft) {
  const TestFolder folder;
  const auto left = folder.write("key.bin.1.0.tmp", "half");
  const auto writing = folder.write("key.bin.2.0.tmp", "half");
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
  BinaryCache cache(folder.path());
  cache.store("other", some_binary());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(writing));
}

TEST(BinaryCache, LivesWithoutAFolder) {
  const TestFolder folder;
  const auto file = folder.write("file", "");
  BinaryCache cache(file / "below");
  EXPECT_THAT(cache.problem(), HasSubstr("cannot write to"));
  cache.store("key", some_binary());
  EXPECT_EQ(cache.find("key"), std::nullopt);
  EXPECT_FALSE(BinaryCache(fs::path()).problem().empty());
}

TEST(BinaryCache, FollowsTheXdgSpecification) {
  const ScopedVariable home("HOME", "/home/user");
  {
    const ScopedVariable xdg("XDG_CACHE_HOME", "/caches");
    EXPECT_EQ(BinaryCache::default_folder(), "/caches/rooftune/binaries");
  }
  for (const char* ignored : {"", "relative"}) {
    const ScopedVariable xdg("XDG_CACHE_HOME", ignored);
    EXPECT_EQ(BinaryCache::default_folder(), "/home/user/.cache/rooftune/binaries");
  }
}

/// Several processes store and find the same keys; every answer is whole.
TEST(BinaryCache, IsSharedByProcesses) {
  const TestFolder folder;
  constexpr int processes = 4;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      BinaryCache cache(folder.path(), 50000);  // small, so that they also remove
      int wrong = 0;
      for (int i = 0; i < 60; ++i) {
        const std::string key = "key" + std::to_string(i % 7);
        const std::size_t size = 5000 + 100 * static_cast<std::size_t>(i % 7);
        cache.store(key, some_binary(size));
        const auto found = cache.find(key);
        wrong += found && found->image.size() != size ? 1 : 0;
      }
      _exit(wrong);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    EXPECT_EQ(entry.path().extension(), ".bin") << entry.path();
  }
}

class CachedCompile : public testing::Test {
 protected:
  KernelInstance instance(const std::string& source) {
    KernelInstance made;
    made.source = folder_.write("k.cu", source);
    made.name_expression = "k<4>";
    return made;
  }
  bool hits(const KernelInstance& what, const std::string& architecture = "sm_80") {
    const auto result = compile_nvrtc(what, architecture, &cache_);
    return std::get<KernelBinary>(result).cached;
  }
  TestFolder folder_;
  BinaryCache cache_{folder_.path() / "cache"};
};

constexpr const char* source =
    "#include \"mine.h\"\ntemplate <int N> __global__ void k(float* a) { *a = N + mine; }\n";

TEST_F(CachedCompile, HitsWithNameExpressions) {
  folder_.write("mine.h", "constexpr int mine = 1;\n");
  const auto first = compile_nvrtc(instance(source), "sm_80", &cache_);
  const auto second = compile_nvrtc(instance(source), "sm_80", &cache_);
  const auto& made = std::get<KernelBinary>(first);
  const auto& found = std::get<KernelBinary>(second);
  EXPECT_FALSE(made.cached);
  EXPECT_TRUE(found.cached);
  EXPECT_EQ(found.image, made.image);
  EXPECT_EQ(found.entry, made.entry);
  EXPECT_EQ(found.resources->registers, made.resources->registers);
  EXPECT_EQ(cache_.statistics().hits, 1U);
  EXPECT_EQ(cache_.statistics().misses, 1U);
}

TEST_F(CachedCompile, MissesWhateverChangesTheBinary) {
  folder_.write("mine.h", "constexpr int mine = 1;\n");
  const KernelInstance base = instance(source);
  EXPECT_FALSE(hits(base));
  EXPECT_TRUE(hits(base));
  EXPECT_FALSE(hits(base, "sm_90"));
  KernelInstance other = base;
  other.name_expression = "k<5>";
  EXPECT_FALSE(hits(other));
  other = base;
  other.options = {"--use_fast_math"};
  EXPECT_FALSE(hits(other));
  other = base;
  other.defines = {{"M", 1}};
  EXPECT_FALSE(hits(other));
  EXPECT_FALSE(hits(instance(std::string(source) + "// more\n")));
  EXPECT_TRUE(hits(instance(source)));
  folder_.write("mine.h", "constexpr int mine = 22;\n");
  EXPECT_FALSE(hits(base));
  EXPECT_TRUE(hits(base));
}

TEST_F(CachedCompile, DoesNotTrustIncludesThatItCannotFollow) {
  folder_.write("mine.h", "constexpr int mine = 1;\n");
  const KernelInstance made = instance(
      "#define HEADER \"mine.h\"\n#include HEADER\n"
      "template <int N> __global__ void k(float* a) { *a = N + mine; }\n");
  EXPECT_FALSE(hits(made));
  EXPECT_FALSE(hits(made));
}

TEST_F(CachedCompile, DoesNotKeepFailures) {
  const KernelInstance made = instance("template <int N> __global__ void k(float* a) { wrong; }\n");
  for (int trial = 0; trial < 2; ++trial) {
    EXPECT_TRUE(std::holds_alternative<Failure>(compile_nvrtc(made, "sm_80", &cache_)));
  }
  EXPECT_EQ(cache_.statistics().hits, 0U);
}

}  // namespace
}  // namespace rooftune
