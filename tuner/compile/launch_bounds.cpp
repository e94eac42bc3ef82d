#include "tuner/compile/launch_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/compile/source.hpp"
#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

/// A piece of the text and what takes its place.
struct Edit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string text;
};

std::string last_name(const std::string& name) {
  const std::string plain = name.substr(0, name.find('<'));
  const std::size_t end = plain.find_last_not_of(' ');
  const std::size_t begin = plain.find_last_of(":& ", end);
  return plain.substr(begin + 1, end - begin);  // npos + 1 is 0
}

/// The index of the first token of the declaration that holds `index`.
std::size_t declaration_start(const TokenizedText& source, std::size_t index) {
  while (index > 0) {
    const Token& before = source.tokens[index - 1];
    const std::string_view token = source.view(before);
    if (before.kind == TokenKind::directive || token == ";" || token == "{" || token == "}") {
      break;
    }
    --index;
  }
  return index;
}

/// Blanks of the same length and lines.
std::string blanked(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c != '\n'; }, ' ');
  return text;
}

/// Removes the bounds between two tokens of a declaration.
void remove_bounds(const TokenizedText& source, std::size_t first, std::size_t last,
                   std::vector<Edit>& edits) {
  for (std::size_t i = first; i < last; ++i) {
    if (source.view(i) != "__launch_bounds__" && source.view(i) != "__maxnreg__") {
      continue;
    }
    const std::size_t end = after_parentheses(source, i + 1);
    const std::size_t from = source.tokens[i].offset;
    const Token& closing = source.tokens[end - 1];
    const std::size_t length = closing.offset + closing.length - from;
    edits.push_back({from, length, blanked(source.text.substr(from, length))});
    i = end - 1;
  }
}

/// Registers a thread that people cap kernels to.
constexpr std::array caps = {128, 96, 80, 64, 56, 48, 40, 32};

class Study {
 public:
  Study(const KernelInstance& instance, const std::string& architecture)
      : instance_(instance), architecture_(architecture), text_(read_source(instance.source)) {}

  LaunchBoundsStudy run(BinaryCache* cache) {
    plan();
    const auto results = compile_all(instances_, architecture_, 0, cache);
    for (std::size_t i = 0; i < results.size(); ++i) {
      BoundedVariant& variant = study_.variants[i];
      variant.result = results[i];
      const auto* binary = std::get_if<KernelBinary>(&variant.result);
      if (binary != nullptr && binary->resources) {
        variant.occupancy = occupancy_of(instance_, *binary->resources, architecture_);
      }
    }
    conclude();
    return std::move(study_);
  }

 private:
  void plan() {
    study_.variants.push_back({"as written", 0, 0, {}, {}});
    instances_.push_back(instance_);
    add("unbounded", 0, 0);
    const std::uint64_t threads = instance_.launch.block.count();
    // As many blocks as fit by warps and slots alone: more cannot be had by registers.
    const Occupancy free = occupancy_of(instance_, Resources{}, architecture_);
    const int most = std::min(free.by_warps.value_or(0), free.by_blocks.value_or(0));
    for (int blocks = 1; blocks <= most && threads <= 1024; ++blocks) {
      add(fmt::format("{} block{}", blocks, blocks == 1 ? "" : "s"), blocks, 0);
    }
    for (const int cap : caps) {
      add(fmt::format("{} registers", cap), 0, cap);
    }
  }

  void add(std::string label, int min_blocks, int cap) {
    const std::uint64_t threads = instance_.launch.block.count();
    const auto bounds = min_blocks > 0 ? fmt::format("{}, {}", threads, min_blocks) : "";
    const auto text = with_launch_bounds(text_, instance_.name_expression, bounds);
    if (!text) {
      throw InputError(fmt::format("{} does not declare {}: its launch bounds cannot be changed",
                                   instance_.source.string(), last_name(instance_.name_expression)),
                       "the kernel must be in kernel.source itself, not in an included file");
    }
    KernelInstance changed = instance_;
    changed.source_text = *text;
    if (cap > 0) {
      changed.options.push_back(fmt::format("--maxrregcount={}", cap));
    }
    instances_.push_back(std::move(changed));
    study_.variants.push_back({std::move(label), min_blocks, cap, {}, {}});
  }

  void conclude() {
    const std::int64_t before = spilled(study_.variants[1]);  // unbounded
    // The most blocks that any bound brings, and the least spilling that they cost.
    int most = 0;
    std::int64_t price = 0;
    for (const BoundedVariant& variant : study_.variants) {
      if (variant.min_blocks == 0 || !variant.occupancy) {
        continue;
      }
      const int blocks = variant.occupancy->active_blocks;
      if (blocks >= most) {
        price = blocks > most ? spilled(variant) : std::min(price, spilled(variant));
      }
      most = std::max(most, blocks);
      if (!study_.spills_from && spilled(variant) > before) {
        study_.spills_from = variant.min_blocks;
      }
    }
    for (const BoundedVariant& variant : study_.variants) {
      if (variant.min_blocks == 0 || !variant.occupancy) {
        continue;
      }
      if (spilled(variant) <= price) {
        study_.only_spills_from.reset();
      } else if (!study_.only_spills_from) {
        study_.only_spills_from = variant.min_blocks;
      }
    }
  }

  const KernelInstance& instance_;
  const std::string& architecture_;
  std::string text_;
  std::vector<KernelInstance> instances_;
  LaunchBoundsStudy study_;
};

}  // namespace

std::optional<std::string> with_launch_bounds(const std::string& text, const std::string& kernel,
                                              const std::string& bounds) {
  const TokenizedText source = tokenize(text, "");
  const std::string name = last_name(kernel);
  std::vector<Edit> edits;
  bool found = false;
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    if (source.view(i) != "__global__" || declared_function(source, i + 1) != name) {
      continue;
    }
    found = true;
    std::size_t end = i + 1;
    while (source.view(end) != name) {
      ++end;
    }
    remove_bounds(source, declaration_start(source, i), end, edits);
    if (!bounds.empty()) {
      const Token& global = source.tokens[i];
      edits.push_back(
          {global.offset + global.length, 0, fmt::format(" __launch_bounds__({}) ", bounds)});
    }
  }
  if (!found) {
    return std::nullopt;
  }
  std::sort(edits.begin(), edits.end(),
            [](const Edit& a, const Edit& b) { return a.offset > b.offset; });
  std::string changed = text;
  for (const Edit& edit : edits) {  // from the end, so that earlier offsets stay right
    changed.replace(edit.offset, edit.length, edit.text);
  }
  return changed;
}

std::int64_t spilled(const BoundedVariant& variant) {
  const auto* binary = std::get_if<KernelBinary>(&variant.result);
  if (binary == nullptr || !binary->resources) {
    return 0;
  }
  return binary->resources->spill_stores + binary->resources->spill_loads;
}

LaunchBoundsStudy study_launch_bounds(const KernelInstance& instance,
                                      const std::string& architecture, BinaryCache* cache) {
  return Study(instance, architecture).run(cache);
}

}  // namespace rooftune
