// What a run says while it goes on: one line that is kept up to date on a terminal, a line for each
// improvement elsewhere, and each step with its reason on request.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "tuner/session/session.hpp"

namespace rooftune::cli {

struct ProgressOptions {
  bool terminal = false;
  bool explain = false;
  std::optional<std::uint64_t> evaluations;  ///< the budgets, for the time that is left
  std::optional<double> seconds;
};

/// Of the budgets, the one that ends first; nullopt where there is none to go by.
std::optional<double> seconds_left(const Results& so_far, const ProgressOptions& options);
/// "12/200  best 1.23 ms (71% of its roof)  bound by shared  2 failed  40.0 s left".
std::string progress_line(const Results& so_far, const ProgressOptions& options);
/// "1.23 ms, 71% of its roof, bound by shared", or "compile_failed: REASON".
std::string outcome_text(const Record& record);
/// A line for each way in which configurations failed or were dropped, with the first reason.
std::string failures_text(const Results& results);

class Progress : public Listener {
 public:
  Progress(std::ostream& out, ProgressOptions options) : out_(out), options_(options) {}
  void on_start(const Results& so_far) override;
  void on_proposal(std::uint64_t number, const NamedValues& parameters,
                   const Reason& reason) override;
  void on_record(const Record& record, const Results& so_far) override;
  void on_message(const std::string& text) override;
  void on_stop(const Results& results) override;

 private:
  void line(const std::string& text);
  void clear_live_line();

  std::ostream& out_;
  ProgressOptions options_;
  bool live_line_ = false;
};

}  // namespace rooftune::cli
