#include "tuner/compile/includes.hpp"

#include <gmock/gmock.h>

#include "tuner/compile/test_folder.hpp"

namespace rooftune {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Includes, AreFollowedThroughFiles) {
  const TestFolder folder;
  const auto a = folder.write("a.h", "#include \"sub/b.h\"\n#include <missing.h>\n");
  const auto b = folder.write("sub/b.h", "#include \"c.h\"\n#include \"../a.h\"\n");
  const auto c = folder.write("sub/c.h", "int c;\n");
  const Includes found =
      includes_of("  #  include \"a.h\"\n#include <missing.h>\n", folder.path() / "k.cu", {});
  EXPECT_THAT(found.files, ElementsAre(a, b, c));
  EXPECT_THAT(found.missing, ElementsAre("missing.h"));
  EXPECT_FALSE(found.computed);
}

TEST(Includes, AreSearchedInOrder) {
  const TestFolder folder;
  const auto first = folder.write("one/h.h", "1\n");
  const auto second = folder.write("two/h.h", "2\n");
  const auto own = folder.write("src/h.h", "3\n");
  const auto find = [&](const std::string& text, std::vector<std::filesystem::path> folders) {
    return includes_of(text, folder.path() / "src/k.cu", folders).files;
  };
  EXPECT_THAT(find("#include <h.h>\n", {first.parent_path(), second.parent_path()}),
              ElementsAre(first));
  EXPECT_THAT(find("#include <h.h>\n", {second.parent_path(), first.parent_path()}),
              ElementsAre(second));
  EXPECT_THAT(find("#include \"h.h\"\n", {first.parent_path()}), ElementsAre(own));
}

TEST(Includes, HashFollowsContents) {
  const TestFolder folder;
  folder.write("a.h", "#include \"b.h\"\n");
  folder.write("b.h", "int b;\n");
  const auto hash = [&](const std::string& text) {
    return includes_of(text, folder.path() / "k.cu", {}).hash;
  };
  const auto before = hash("#include \"a.h\"\n");
  EXPECT_EQ(hash("#include \"a.h\"\n"), before);
  folder.write("b.h", "int c = 1;\n");
  EXPECT_NE(hash("#include \"a.h\"\n"), before);
  EXPECT_NE(hash("#include <x.h>\n"), hash("#include <y.h>\n"));
}

TEST(Includes, AreMarkedWhereTheyCannotBeFollowed) {
  EXPECT_TRUE(includes_of("#define H \"a.h\"\n#include H\n", "k.cu", {}).computed);
  EXPECT_FALSE(includes_of("// #include H\n#include_next\n", "k.cu", {}).files.size());
}

TEST(CudaFolders, AreFoundByTheHeaderThatIsNeeded) {
  // A package of NVRTC alone has nvrtc.h without cuda_fp16.h: it must not win for being first.
  const TestFolder folder;
  folder.write("nvrtc_only/include/nvrtc.h", "");
  folder.write("toolkit/include/cuda_fp16.h", "");
  folder.write("toolkit/include/cccl/cuda/std/cstdint", "");
  const ScopedVariable path("CUDA_PATH", (folder.path() / "nvrtc_only").string());
  const ScopedVariable home("CUDA_HOME", (folder.path() / "toolkit").string());
  const auto include = folder.path() / "toolkit/include";
  EXPECT_THAT(cuda_folders({"cuda_fp16.h"}, {}).use, ElementsAre(include, include / "cccl"));
  EXPECT_THAT(cuda_folders({"cuda/std/cstdint"}, {}).use, ElementsAre(include, include / "cccl"));
  EXPECT_THAT(cuda_folders({"nvrtc.h"}, {}).use, ElementsAre(folder.path() / "nvrtc_only/include"));
  EXPECT_THAT(cuda_folders({"no_such_header.h"}, {}).use, IsEmpty());
  EXPECT_THAT(cuda_folders({}, {}).use, IsEmpty());
  EXPECT_THAT(cuda_folders({}, {}).tried, Contains(folder.path() / "nvrtc_only/include"));
  EXPECT_THAT(cuda_folders({}, {}).tried, Contains(include / "cccl"));
}

TEST(CudaFolders, AreThoseBesideTheLibraryInAWheel) {
  // nvidia/cu13/{include,lib} of NVIDIA's PyPI wheels.
  const TestFolder folder;
  const auto library = folder.write("nvidia/cu13/lib/libnvrtc.so.13", "");
  folder.write("nvidia/cu13/include/only_here.h", "");
  EXPECT_THAT(cuda_folders({"only_here.h"}, library).use,
              ElementsAre(folder.path() / "nvidia/cu13/include"));
}

TEST(CudaFolders, NeverServeTheHostsLibrary) {
  // Before 11.0 NVRTC searched /usr/include by mistake, and people relied on it.
  const TestFolder folder;
  folder.write("include/stdint.h", "");
  const ScopedVariable path("CUDA_PATH", folder.path().string());
  EXPECT_THAT(cuda_folders({"stdint.h", "vector"}, {}).use, IsEmpty());
  EXPECT_TRUE(is_host_library_header("cstdint"));
  EXPECT_TRUE(is_host_library_header("vector"));
  EXPECT_FALSE(is_host_library_header("cuda_fp16.h"));
  EXPECT_EQ(libcudacxx_header("stdint.h"), "cuda/std/cstdint");
  EXPECT_EQ(libcudacxx_header("type_traits"), "cuda/std/type_traits");
}

TEST(CudaFolders, TellTheirVersion) {
  const TestFolder folder;
  folder.write("cuda.h", "#ifndef X\n#define CUDA_VERSION 12040\n");
  EXPECT_EQ(header_version(folder.path()), "12.4");
  EXPECT_EQ(header_version(folder.path() / "none"), "");
}

}  // namespace
}  // namespace rooftune
