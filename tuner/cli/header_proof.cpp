#include "tuner/cli/header_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "tuner/cli/spec_argument.hpp"
#include "tuner/core/error.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune::cli {
namespace {

/// Of one launch; a size that takes longer is for another device.
constexpr double longest_launch = 10;

/// For ordering sizes: the product of what is a number.
double volume(const Problem& problem) {
  double product = 1;
  for (const NamedValue& constant : problem) {
    product *= constant.value.is_number() ? std::max(1.0, constant.value.as_real()) : 1;
  }
  return product;
}

bool rules_hold(const Spec& spec, const NamedValues& parameters, const Problem& problem) {
  Scope scope;
  scope.set(problem);
  scope.set(parameters);
  try {
    scope.set(evaluate_geometry(spec, parameters, problem).derived);
    return std::all_of(spec.rules.begin(), spec.rules.end(), [&](const Rule& rule) {
      return rule.condition.expression.evaluate(scope).truthy();
    });
  } catch (const std::runtime_error&) {
    return false;  // such as a division by zero at a size that the spec does not list
  }
}

MeasureOptions once() {
  MeasureOptions options;
  options.minimum_seconds = 0;
  options.minimum_samples = 1;
  options.maximum_samples = 1;
  options.timeout_seconds = longest_launch;
  return options;
}

/// A configuration that cannot be tried here, which says nothing about the device it is for.
struct CannotTry {
  std::string why;
};

}  // namespace

Spec SpecsOfResults::load(const Results& results) const {
  const std::vector<Override> overrides = parse_overrides(results.overrides);
  std::string found;
  for (const std::string& file : files_) {
    Spec spec = load_spec(file, overrides);
    if (spec.hash == results.spec_hash) {
      return spec;
    }
    found += fmt::format("; {} has {}", file, spec.hash);
  }
  if (files_.empty()) {
    Spec spec = parse_spec(results.spec_text, results.spec_file, overrides);
    if (spec.hash == results.spec_hash) {
      return spec;
    }
    found = "; now it is " + spec.hash;
  }
  throw InputError(
      fmt::format("the spec of {} or its kernel's source changed since the results were made: they "
                  "have the spec hash {}{}",
                  results.spec_name, results.spec_hash, found),
      "tune again, or name the spec as it was by --spec");
}

const Spec& SpecsOfResults::of(const Results& results) {
  const auto found = by_hash_.find(results.spec_hash);
  return found != by_hash_.end() ? found->second
                                 : by_hash_.emplace(results.spec_hash, load(results)).first->second;
}

HeaderProof::HeaderProof(const std::vector<Results>& results,
                         const std::vector<std::string>& problems, SpecsOfResults& specs, Io& io)
    : problems_(problems), specs_(specs), io_(io) {
  for (const Results& it : results) {
    std::vector<Problem>& sizes = sizes_[it.spec_name];
    for (const Problem& problem : it.problems) {
      if (std::find(sizes.begin(), sizes.end(), problem) == sizes.end()) {
        sizes.push_back(problem);
      }
    }
  }
}

HeaderProof::~HeaderProof() = default;

void HeaderProof::give_up(const std::string& kernel, const std::string& why) {
  if (given_up_.insert(kernel).second) {
    io_.err << fmt::format("warning: {} is not verified here{}: {}\n", kernel,
                           device_ == nullptr ? "" : " at every size", why);
  }
}

const Spec* HeaderProof::spec_of(const Results& results) {
  try {
    return &specs_.of(results);
  } catch (const InputError& error) {
    give_up(results.spec_name, error.problem());
    return nullptr;
  }
}

Device& HeaderProof::device() {
  if (device_ == nullptr) {
    device_ = io_.open_device("auto");
  }
  return *device_;
}

std::string HeaderProof::objection(const Results& results, const Record& record) {
  const std::string key = results.spec_name + "\n" + to_string(record.parameters);
  const auto found = known_.find(key);
  return found != known_.end() ? found->second
                               : known_.emplace(key, prove(results, record)).first->second;
}

std::string HeaderProof::prove(const Results& results, const Record& record) {
  const Spec* found = spec_of(results);
  if (found == nullptr) {
    return "";
  }
  Spec sized = *found;
  sized.problems.clear();  // sizes are those of the results, and those given
  add_problem_sizes(sized, problems_);
  const std::vector<Problem>& measured = sizes_.at(results.spec_name);
  sized.problems.insert(sized.problems.end(), measured.begin(), measured.end());
  std::stable_sort(sized.problems.begin(), sized.problems.end(),
                   [](const Problem& a, const Problem& b) { return volume(a) < volume(b); });
  for (const Problem& problem : sized.problems) {
    if (given_up_.count(results.spec_name) > 0) {
      return "";
    }
    try {
      const std::string objection = prove_at(sized, record.parameters, problem);
      if (!objection.empty()) {
        return objection;
      }
    } catch (const CannotTry& reason) {
      give_up(results.spec_name, reason.why);
    } catch (const InputError& error) {
      give_up(results.spec_name, error.problem());
    }
  }
  return "";
}

std::string HeaderProof::prove_at(const Spec& spec, const NamedValues& parameters,
                                  const Problem& problem) {
  if (!rules_hold(spec, parameters, problem)) {
    return "";  // select() passes it by at this size
  }
  const auto judged = [&](const Failure& failure) -> std::string {
    const std::string text = fmt::format("at {}: {}", to_string(problem), failure.reason);
    if (failure.outcome == Outcome::wrong_result || failure.outcome == Outcome::crashed) {
      return text;
    }
    throw CannotTry{text};
  };
  const KernelInstance instance = instantiate(spec, parameters, problem);
  const CompileResult compiled = device().compile(instance);
  if (const auto* failure = std::get_if<Failure>(&compiled)) {
    return judged(*failure);
  }
  const MeasureResult measured =
      device().measure(instance, std::get<KernelBinary>(compiled), once());
  if (const auto* failure = std::get_if<Failure>(&measured)) {
    return judged(*failure);
  }
  return std::get<Measurement>(measured).verified ? "" : "the spec has no `verify` any more";
}

}  // namespace rooftune::cli
