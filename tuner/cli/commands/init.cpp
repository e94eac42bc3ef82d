#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/spec_skeleton.hpp"
#include "tuner/compile/compiler.hpp"
#include "tuner/core/error.hpp"
#include "tuner/session/files.hpp"

namespace rooftune::cli {
namespace {

namespace fs = std::filesystem;

struct Init {
  std::string source;
  std::string kernel;
  std::string output;
};

/// The source as the spec names it: from the spec's folder, where there is a way.
std::string source_from(const fs::path& source, const fs::path& spec) {
  const fs::path from = fs::absolute(spec).parent_path();
  const fs::path relative = fs::absolute(source).lexically_relative(from);
  return relative.empty() ? fs::absolute(source).string() : relative.string();
}

int run_init(const Init& init, Io& io) {
  const std::string text = read_source(init.source);
  if (init.output.empty()) {
    io.out << spec_skeleton(text, source_from(init.source, "here.yaml"), init.kernel);
    return 0;
  }
  if (fs::exists(init.output)) {
    throw InputError(fmt::format("{}: it exists already", init.output),
                     "give another name by -o, or move it away");
  }
  write_file_durably(init.output,
                     spec_skeleton(text, source_from(init.source, init.output), init.kernel));
  io.out << init.output << '\n';
  return 0;
}

}  // namespace

void add_init(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "init",
      "a commented spec skeleton from a kernel's signature, template parameters and macros");
  const auto init = std::make_shared<Init>();
  command->add_option("KERNEL.cu", init->source, "the kernel's source")->required();
  command->add_option("--kernel", init->kernel, "which kernel, where there are several");
  command->add_option("-o,--output", init->output, "file to write (default: stdout)");
  command->footer(
      "Examples:\n"
      "  rooftune init saxpy.cu -o saxpy.yaml\n"
      "  rooftune init kernels.cu --kernel sgemm");
  command->callback([&action, init] { action = [init](Io& io) { return run_init(*init, io); }; });
}

}  // namespace rooftune::cli
