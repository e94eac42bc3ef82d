#include "tuner/cli/roofline/question.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <utility>

#include "tuner/core/error.hpp"
#include "tuner/spec/expression.hpp"

namespace rooftune::cli {
namespace {

[[noreturn]] void wrong(const std::string& option, const std::string& message) {
  throw CLI::ValidationError(option, message);
}

/// A positive, finite figure.
double figure(const std::string& option, const std::string& text) {
  double value = 0;
  try {
    value = Expression::parse(text).evaluate(Scope()).as_real();
  } catch (const ExpressionError& error) {
    wrong(option, fmt::format("\"{}\": {} at character {}{}{}", text, error.what(),
                              error.offset() + 1, error.hint().empty() ? "" : "; ", error.hint()));
  } catch (const ValueError& error) {
    wrong(option, fmt::format("\"{}\": {}", text, error.what()));
  }
  if (!std::isfinite(value) || value <= 0) {
    wrong(option, fmt::format("\"{}\" is {}; it must be a number above zero", text, value));
  }
  return value;
}

ComputeUnit unit_named(const std::string& option, const std::string& name) {
  const auto unit = compute_unit_from(name);
  if (!unit) {
    std::vector<std::string> known;
    for (int i = 0; i <= static_cast<int>(Precision::int8); ++i) {
      for (const bool tensor : {false, true}) {
        known.push_back(to_string(ComputeUnit{static_cast<Precision>(i), tensor}));
      }
    }
    wrong(option, fmt::format("unknown precision \"{}\"; {}", name, suggest(name, known)));
  }
  return *unit;
}

/// NAME and EXPR of "NAME=EXPR"; NAME is empty where the first sign of equality is part of ==, <=
/// and the like, or there is none.
std::pair<std::string, std::string> split_assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool assigns = equals != std::string::npos && equals > 0 && equals + 1 < text.size() &&
                       text[equals + 1] != '=' &&
                       std::string("<>!").find(text[equals - 1]) == std::string::npos;
  return assigns ? std::pair{text.substr(0, equals), text.substr(equals + 1)}
                 : std::pair{std::string(), text};
}

void add_flops(RooflineQuestion& question, const std::vector<std::string>& given) {
  for (const std::string& text : given) {
    const auto [name, expression] = split_assignment(text);
    const ComputeUnit unit = name.empty() ? question.unit : unit_named("--flops", name);
    question.input.model.work.flops[unit] += figure("--flops", expression);
  }
}

void add_traffic(RooflineQuestion& question, const std::vector<std::string>& given) {
  for (const std::string& text : given) {
    const auto [name, expression] = split_assignment(text);
    if (name.empty()) {
      wrong("--traffic", fmt::format("\"{}\": write LEVEL=BYTES, such as l2=4e9", text));
    }
    const auto level = level_from(name);
    if (!level) {
      wrong("--traffic", fmt::format("unknown level \"{}\"; {}", name,
                                     suggest(name, {"dram", "l2", "l1", "shared"})));
    }
    question.input.model.work.traffic[*level] += figure("--traffic", expression);
  }
}

void add_roof(RooflineQuestion& question, const std::string& option, const std::string& text,
              RoofKind kind, const std::string& name) {
  if (!text.empty()) {
    question.roofs.push_back(
        {kind, name, figure(option, text), RoofSource::given, "the command line", 0, 0});
  }
}

}  // namespace

void refuse_numbers_beside_results(const RooflineNumbers& numbers) {
  const bool any = !numbers.device.empty() || !numbers.peak.empty() || !numbers.bandwidth.empty() ||
                   !numbers.flops.empty() || !numbers.bytes.empty() || !numbers.traffic.empty() ||
                   !numbers.time.empty();
  if (any) {
    wrong("results", "a results file says it all: give it alone, or numbers without it");
  }
}

RooflineQuestion parse_question(const RooflineNumbers& numbers) {
  RooflineQuestion question;
  question.device = numbers.device;
  question.unit = unit_named("--precision", numbers.precision);
  add_roof(question, "--peak", numbers.peak, RoofKind::compute, to_string(question.unit));
  add_roof(question, "--bandwidth", numbers.bandwidth, RoofKind::bandwidth, "dram");
  if (question.device.empty() && question.roofs.empty()) {
    wrong("roofline", "needs roofs: --device ID, or --peak and --bandwidth; or a results file");
  }
  add_flops(question, numbers.flops);
  add_traffic(question, numbers.traffic);
  if (!numbers.bytes.empty()) {
    question.input.model.work.bytes[Level::dram] = figure("--bytes", numbers.bytes);
  }
  const Work& work = question.input.model.work;
  if (work.flops.empty() && work.bytes.empty() && work.traffic.empty()) {
    wrong("roofline", "needs work: --flops, --bytes, or both");
  }
  if (!numbers.time.empty()) {
    try {
      question.input.seconds = parse_seconds(numbers.time);
    } catch (const ValueError& error) {
      wrong("--time", error.what());
    }
    if (question.input.seconds <= 0) {
      wrong("--time", "must be above zero");
    }
  }
  return question;
}

}  // namespace rooftune::cli
