// What each part of the roofline policy is worth: the policy against itself without a part, on
// recorded spaces, paired over seeds. The ratio is that of the mean evaluations to within 10% of
// the optimum, the policy's over the variant's, with a 95% bootstrap interval over the seeds.
// "After 10" is the optimum over the best of the first ten evaluations.
//
// usage: ablation RECORDINGS [REPEATS [NAME=REPEATS]...]
// RECORDINGS as for `rooftune replay --suite`; NAME is a recording that gets fewer repeats: where
// the optimum is flat every run takes the whole budget.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "search/roofline_policy.hpp"
#include "tuner/core/error.hpp"
#include "tuner/session/replay.hpp"

namespace rooftune {
namespace {

constexpr double target = 1.10;
constexpr int resamples = 2000;

struct Variant {
  const char* name;
  void (*change)(SearchContext&, search::RooflineOptions&);
};

/// Formulas of an author who took three reciprocals where he should not have.
void invert_formulas(SearchContext& context, search::RooflineOptions& /*options*/) {
  context.bounds = [right = context.bounds](const Configuration& configuration) {
    BoundTimes times = right(configuration);
    for (BoundTime& time : times) {
      if (time.bound == Bound::shared || time.bound == Bound::l1 || time.bound == Bound::issue) {
        time.seconds = 1e-6 / time.seconds;
      }
    }
    return times;
  };
}

const std::vector<Variant> variants = {
    {"the policy", [](SearchContext&, search::RooflineOptions&) {}},
    {"without diagnosis",
     [](SearchContext&, search::RooflineOptions& options) { options.diagnosis = false; }},
    {"without roofline mean",
     [](SearchContext&, search::RooflineOptions& options) { options.roofline_mean = false; }},
    {"without roofline start",
     [](SearchContext&, search::RooflineOptions& options) { options.roofline_start = false; }},
    {"without all three",
     [](SearchContext& context, search::RooflineOptions&) { context.bounds = nullptr; }},
    {"without features",
     [](SearchContext& context, search::RooflineOptions&) { context.geometry = nullptr; }},
    {"parameters alone",
     [](SearchContext& context, search::RooflineOptions&) {
       context.bounds = nullptr;
       context.geometry = nullptr;
     }},
    {"wrong formulas", invert_formulas},
};

/// Evaluations to the target by seed, for each variant.
using Needed = std::vector<std::vector<double>>;

double mean_of(const std::vector<double>& values, const std::vector<std::size_t>& chosen) {
  double sum = 0;
  for (const std::size_t i : chosen) {
    sum += values[i];
  }
  return sum / static_cast<double>(chosen.size());
}

std::vector<std::size_t> resample(std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> chosen(count);
  for (std::size_t& i : chosen) {
    i = random() % count;
  }
  return chosen;
}

/// Geometric mean over the recordings of the ratio of means, with its interval.
std::string ratio(const std::vector<Needed>& recordings, std::size_t variant) {
  std::mt19937_64 random(1);
  const auto once = [&](bool all_seeds) {
    double sum = 0;
    for (const Needed& needed : recordings) {
      std::vector<std::size_t> seeds = resample(needed.front().size(), random);
      if (all_seeds) {
        std::iota(seeds.begin(), seeds.end(), std::size_t{0});
      }
      sum += std::log(mean_of(needed[0], seeds) / mean_of(needed[variant], seeds));
    }
    return std::exp(sum / static_cast<double>(recordings.size()));
  };
  std::vector<double> drawn;
  for (int i = 0; i < resamples; ++i) {
    drawn.push_back(once(false));
  }
  std::sort(drawn.begin(), drawn.end());
  return fmt::format("{:5.2f} [{:.2f}, {:.2f}]", once(true), drawn[resamples / 40],
                     drawn[resamples - resamples / 40 - 1]);
}

std::vector<std::vector<ReplayRun>> run_variants(const ReplayTable& table, std::uint64_t repeats) {
  std::vector<PolicyMaker> makers;
  for (const Variant& variant : variants) {
    makers.emplace_back([&table, &variant](std::uint64_t seed) {
      SearchContext context = table.context(seed);
      search::RooflineOptions options;
      variant.change(context, options);
      return search::make_roofline(context, options);
    });
  }
  ReplayOptions options;
  options.repeats = repeats;
  return replay_runs(table, makers, options, [](std::uint64_t, std::uint64_t) {});
}

/// The optimum over the best so far after ten evaluations, mean over the runs.
double after_ten(const std::vector<ReplayRun>& runs, const ScoreBasis& basis) {
  double sum = 0;
  for (const ReplayRun& run : runs) {
    sum += basis.optimum / run.best_after[std::min<std::size_t>(10, run.best_after.size()) - 1];
  }
  return sum / static_cast<double>(runs.size());
}

Needed measure(const RecordedCase& it, std::uint64_t repeats, std::vector<double>& score_sums) {
  const Spec spec = load_spec(it.spec);
  const Space space(spec);
  const Recording recording = read_recording(it.recording);
  const DeviceProfile device = recorded_device(recording);
  const ReplayTable table(spec, space, recording, device);
  const auto runs = run_variants(table, repeats);
  Needed needed;
  for (const auto& of_variant : runs) {
    needed.emplace_back();
    for (const ReplayRun& run : of_variant) {
      const auto evaluations = evaluations_to(run, table.basis(), target);
      needed.back().push_back(static_cast<double>(evaluations.value_or(2 * table.basis().budget)));
    }
  }
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const PolicyScore score = summarise(variants[v].name, runs[v], table.basis());
    score_sums[v] += score.score;
    std::cout << fmt::format("{:<26} {:<24} {:6.3f} [{:6.3f}, {:6.3f}] {:7.1f} {:8.3f}   {}\n",
                             it.name(), variants[v].name, score.score, score.score_low,
                             score.score_high, score.to.at("1.10").mean,
                             after_ten(runs[v], table.basis()), v == 0 ? "" : ratio({needed}, v))
              << std::flush;
  }
  return needed;
}

/// By recording, "" for all that are not named.
using Repeats = std::map<std::string, std::uint64_t>;

Repeats parse_repeats(const std::vector<std::string>& arguments) {
  Repeats repeats = {{"", 30}};
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const bool named = equals != std::string::npos;
    const int count = std::atoi(argument.c_str() + (named ? equals + 1 : 0));
    repeats[named ? argument.substr(0, equals) : ""] =
        static_cast<std::uint64_t>(std::max(count, 2));
  }
  return repeats;
}

int run(const std::string& folder, const Repeats& repeats) {
  std::cout << fmt::format("{:<26} {:<24} {:>6} {:<16} {:>8} {:>8}   {}\n", "recording", "variant",
                           "score", " 95% interval", "to 10%", "after 10", "ratio");
  std::vector<double> score_sums(variants.size(), 0);
  std::vector<Needed> recordings;
  for (const RecordedCase& it : recorded_cases(folder)) {
    const auto named = repeats.find(it.name());
    recordings.push_back(
        measure(it, named != repeats.end() ? named->second : repeats.at(""), score_sums));
  }
  if (recordings.empty()) {
    throw InputError(folder + ": holds no recording with a spec in configs/recorded");
  }
  for (std::size_t v = 0; v < variants.size(); ++v) {
    std::cout << fmt::format("{:<26} {:<24} {:6.3f} {:36}   {}\n", "all", variants[v].name,
                             score_sums[v] / static_cast<double>(recordings.size()), "",
                             v == 0 ? "" : ratio(recordings, v));
  }
  return 0;
}

}  // namespace
}  // namespace rooftune

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: ablation RECORDINGS [REPEATS [NAME=REPEATS]...]\n";
    return 2;
  }
  try {
    return rooftune::run(argv[1], rooftune::parse_repeats({argv + 2, argv + argc}));
  } catch (const rooftune::InputError& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
