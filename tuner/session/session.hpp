// The session: the one loop from proposal to diagnosis, until the point reaches its ceiling.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "search/policy.hpp"
#include "tuner/session/results.hpp"

namespace rooftune {

struct TuneOptions {
  std::string policy;  ///< empty: the default
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> evaluations;  ///< over the spec's stop.evaluations
  std::optional<double> seconds;             ///< over the spec's stop.seconds
  bool resume = false;
  std::filesystem::path out;    ///< journal.jsonl and results.json; empty: nothing is written
  std::filesystem::path prior;  ///< results of another device or size; empty: none
  std::vector<std::string> overrides;  ///< as given, for the results
  std::string command;
  MeasureOptions measure;
  const std::atomic<bool>* interrupted = nullptr;  ///< set by Ctrl-C: the run ends cleanly
  /// Makes the policy in place of make_policy(policy): a policy of your own, under the name
  /// `policy`.
  std::function<std::unique_ptr<Policy>(const SearchContext&)> make_policy;
  /// Seconds since any fixed moment; the steady clock unless given.
  std::function<double()> clock;
};

/// Told of everything that happens, in order, from the session's thread.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_start(const Results& so_far);  ///< spec, space and device; no record yet
  virtual void on_proposal(std::uint64_t number, const NamedValues& parameters,
                           const Reason& reason);
  /// Of a configuration that was evaluated now; answers of a resumed run come without a call.
  virtual void on_record(const Record& record, const Results& so_far);
  virtual void on_message(const std::string& text);  ///< a warning, a remark
  virtual void on_stop(const Results& results);
};

/// Tunes. Throws InputError for a spec that cannot be tuned (no kernel, empty space with the table
/// of rules) and for a journal of another spec on resume. A journal that exists without `resume`
/// is kept under another name, never overwritten.
Results tune(const Spec& spec, Device& device, const TuneOptions& options, Listener& listener);

}  // namespace rooftune
