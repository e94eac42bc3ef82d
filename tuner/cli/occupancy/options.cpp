// From the command line's texts to a question, or a message and status 2.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "tuner/cli/occupancy/numbers.hpp"
#include "tuner/core/error.hpp"
#include "tuner/spec/expression.hpp"

namespace rooftune::cli {
namespace {

constexpr std::int64_t kib = 1024;

/// A whole number of at least `least`.
std::int64_t whole(const std::string& option, std::string_view text, std::int64_t least) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    throw CLI::ValidationError(option, fmt::format("{} does not fit 64 bits", text));
  }
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw CLI::ValidationError(option, fmt::format("\"{}\" is not a whole number", text));
  }
  if (value < least) {
    throw CLI::ValidationError(option, fmt::format("{} is less than {}", text, least));
  }
  return value;
}

std::int64_t whole_or(const std::string& option, const std::string& text, std::int64_t least,
                      std::int64_t otherwise) {
  return text.empty() ? otherwise : whole(option, text, least);
}

/// "x", "x,y" or "x,y,z".
Dim3 dimensions(const std::string& option, std::string_view text) {
  std::array<std::uint64_t, 3> sides = {1, 1, 1};
  for (std::size_t i = 0;; ++i) {
    if (i == sides.size()) {
      throw CLI::ValidationError(option, "at most three numbers: x,y,z");
    }
    const std::size_t comma = text.find(',');
    sides[i] = static_cast<std::uint64_t>(whole(option, text.substr(0, comma), 1));
    if (comma == std::string_view::npos) {
      return {sides[0], sides[1], sides[2]};
    }
    text.remove_prefix(comma + 1);
  }
}

std::uint64_t blocks_of_grid(const std::string& text) {
  const Dim3 grid = dimensions("--grid", text);
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  if (grid.y > most / grid.x || grid.z > most / (grid.x * grid.y)) {
    throw CLI::ValidationError("--grid", "the number of blocks does not fit 64 bits");
  }
  return grid.count();
}

/// A known compute capability, in any way in which it is written.
ComputeCapability capability(const std::string& text) {
  const auto cc = compute_capability_from(text);
  try {
    if (cc) {
      return limits_of(*cc).cc;
    }
    std::vector<std::string> known;
    std::transform(all_limits().begin(), all_limits().end(), std::back_inserter(known),
                   [](const auto& limits) { return to_string(limits.cc); });
    throw CLI::ValidationError("--cc", fmt::format("\"{}\" is no compute capability; known: {}",
                                                   text, fmt::join(known, ", ")));
  } catch (const InputError& error) {
    throw CLI::ValidationError("--cc", fmt::format("{}; {}", error.problem(), error.hint()));
  }
}

/// Axes of `--sweep block --sweep regs` or `--sweep block,regs`.
std::vector<Axis> axes(const std::vector<std::string>& words) {
  std::vector<Axis> found;
  for (const std::string& word : words) {
    const auto axis = axis_from(word);
    if (!axis) {
      throw CLI::ValidationError("--sweep",
                                 fmt::format("\"{}\" cannot be swept; {}", word,
                                             suggest(word, {"block", "regs", "shared"})));
    }
    if (std::find(found.begin(), found.end(), *axis) != found.end()) {
      throw CLI::ValidationError("--sweep", fmt::format("{} is given twice", word));
    }
    found.push_back(*axis);
  }
  if (found.size() > 2) {
    throw CLI::ValidationError("--sweep", "one axis, or two for a heat map");
  }
  return found;
}

/// Threads to bytes. A value that is negative, or no integer, is an InputError when it is asked.
SharedOfThreads shared_formula(const std::string& text) {
  try {
    const Expression formula = Expression::parse(text);
    const auto& names = formula.names();
    const auto strange = std::find_if(names.begin(), names.end(),
                                      [](const auto& name) { return name != "threads"; });
    if (strange != names.end()) {
      throw CLI::ValidationError("--shared-formula",
                                 fmt::format("\"{}\" is unknown; it may use threads", *strange));
    }
    return [formula, text](std::int64_t threads) {
      Scope scope;
      scope.set("threads", threads);
      try {
        const std::int64_t bytes = formula.evaluate(scope).as_integer();
        if (bytes >= 0) {
          return bytes;
        }
      } catch (const ValueError& error) {
        throw InputError(fmt::format("--shared-formula: {}", error.what()));
      }
      throw InputError(
          fmt::format("--shared-formula: \"{}\" is negative for {} threads", text, threads));
    };
  } catch (const ExpressionError& error) {
    throw CLI::ValidationError("--shared-formula", error.what());
  }
}

void require(const std::string& option, const std::string& text, bool swept) {
  if (text.empty() && !swept) {
    throw CLI::RequiredError(option);
  }
}

bool holds(const std::vector<Axis>& axes, Axis axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

void refuse_contradictions(const NumberOptions& options, const OccupancyOutput& output,
                           const std::vector<Axis>& sweep) {
  if (options.cc.empty() == options.device.empty()) {
    throw CLI::ValidationError("--cc", options.cc.empty()
                                           ? "give a compute capability, or --device"
                                           : "--device has a compute capability of its own");
  }
  if (!options.formula.empty() && !(options.shared + options.dynamic_shared).empty()) {
    throw CLI::ValidationError("--shared-formula", "it replaces --shared and --dynamic-shared");
  }
  if (sweep.empty() && (output.csv || !output.svg.empty())) {
    throw CLI::ValidationError(output.csv ? "--csv" : "--svg",
                               "a single answer has no chart: "
                               "add --sweep block|regs|shared");
  }
  if (!sweep.empty() && !options.grid.empty()) {
    throw CLI::ValidationError("--grid", "waves belong to a single answer: leave --sweep out");
  }
}

/// Where the hardware is known here already; a device's is checked when it is loaded.
void refuse_carveout(const NumberQuestion& question) {
  try {
    if (question.device.empty()) {
      carveout_in_force(question.request);
    }
  } catch (const InputError& error) {
    throw CLI::ValidationError("--carveout", fmt::format("{}; {}", error.problem(), error.hint()));
  }
}

}  // namespace

NumberQuestion parse_numbers(const NumberOptions& options, const OccupancyOutput& output) {
  NumberQuestion question;
  question.sweep = axes(options.sweep);
  refuse_contradictions(options, output, question.sweep);
  require("--block", options.block, holds(question.sweep, Axis::block));
  require("--regs", options.registers, holds(question.sweep, Axis::registers));
  question.is_point = !options.block.empty() && !options.registers.empty();
  question.device = options.device;
  OccupancyRequest& request = question.request;
  if (!options.cc.empty()) {
    request.cc = capability(options.cc);
  }
  if (!options.block.empty()) {
    request.block = dimensions("--block", options.block);
  }
  // More registers than an int holds are as impossible as those that it holds.
  request.registers = static_cast<int>(
      std::min<std::int64_t>(whole_or("--regs", options.registers, 1, request.registers),
                             std::numeric_limits<int>::max()));
  request.static_shared = whole_or("--shared", options.shared, 0, 0);
  request.dynamic_shared = whole_or("--dynamic-shared", options.dynamic_shared, 0, 0);
  if (!options.formula.empty()) {
    question.shared = shared_formula(options.formula);
  }
  if (!options.carveout.empty()) {
    const std::int64_t size = whole("--carveout", options.carveout, 0);
    request.carveout = std::min(size, std::numeric_limits<std::int64_t>::max() / kib) * kib;
    refuse_carveout(question);
  }
  if (!options.grid.empty()) {
    question.grid = blocks_of_grid(options.grid);
  }
  if (!options.multiprocessors.empty()) {
    question.multiprocessors = static_cast<int>(std::min<std::int64_t>(
        whole("--multiprocessors", options.multiprocessors, 1), std::numeric_limits<int>::max()));
  }
  return question;
}

}  // namespace rooftune::cli
