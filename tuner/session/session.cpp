#include "tuner/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "tuner/core/error.hpp"
#include "tuner/core/units.hpp"
#include "tuner/session/begin.hpp"
#include "tuner/session/evaluation.hpp"
#include "tuner/session/finals.hpp"
#include "tuner/session/foreknowledge.hpp"
#include "tuner/session/health.hpp"
#include "tuner/session/journal.hpp"
#include "tuner/session/prior.hpp"
#include "tuner/session/stopping.hpp"

namespace rooftune {
namespace {

/// Proposals that may be under way at once. More would leave the policy further behind what is
/// known.
constexpr unsigned most_ahead = 4;

/// Proposals that are known beforehand are dropped, at most so many between two looks at the clock.
constexpr int most_drops = 64;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A proposal whose configuration is being compiled.
struct Ahead {
  Proposal proposal;
  NamedValues parameters;
  std::future<std::variant<Prepared, Failure>>
      prepared;                ///< not valid where the answer is recorded
  std::future<Record> record;  ///< valid where it is being measured
};

class Session {
 public:
  Session(const Spec& spec, const Space& space, Device& device, const TuneOptions& options,
          Listener& listener)
      : spec_(spec),
        options_(options),
        listener_(listener),
        device_(device),
        space_(space),
        known_(spec, space, device.profile(), spec.objective == Objective::time),
        evaluator_(spec, device, options.measure),
        measure_jobs_(std::max(1U, device.measure_jobs())),
        compile_jobs_(std::clamp(device.compile_jobs(), measure_jobs_,
                                 std::max(most_ahead, 2 * measure_jobs_))),
        results_(begin_results(spec, space, device, options)),
        journal_(open_journal(results_, options)),
        rules_{spec.stop.ceiling, spec.stop.improvement,
               options.evaluations ? options.evaluations : spec.stop.evaluations,
               options.seconds ? options.seconds : spec.stop.seconds, spec.objective} {
    policy_ = make_session_policy();
    answers_.assign(journal_.resumed().records.begin(), journal_.resumed().records.end());
    began_ = now();
  }

  Results run();

 private:
  std::unique_ptr<Policy> make_session_policy();
  std::optional<StopDecision> should_stop();
  void ask_ahead();
  std::size_t wanted_ahead() const;
  std::future<std::variant<Prepared, Failure>> prepare(const NamedValues& parameters);
  bool drop_if_known(const Configuration& configuration, const NamedValues& parameters);
  void take(Ahead next);
  void take_baseline();
  std::optional<Failure> known_beforehand(const Configuration& configuration,
                                          const NamedValues& parameters) const;
  std::optional<Record> answer(Ahead& next);
  Record evaluate(Ahead& next);
  void note_started(std::uint64_t number, const NamedValues& parameters);
  void start_measuring();
  void take_what_is_measured();
  void relay_device_messages();
  std::deque<Record>::iterator find_answer(const NamedValues& parameters);
  void take_remaining_answers();
  void keep(Record record);
  void tell(const Record& record);
  std::optional<Configuration> find_in_space(const NamedValues& parameters) const;
  double cost(const Record& record);
  void drop(const Configuration& configuration, const Failure& failure);
  void check_health(const Record& record);
  void hold_session_finals();
  void finish(const StopDecision& decision);

  void greet();
  double now() const { return options_.clock ? options_.clock() : steady_seconds(); }
  double elapsed() const { return before_ + (now() - began_); }
  bool is_interrupted() const {
    return options_.interrupted != nullptr && options_.interrupted->load();
  }
  bool is_seen(const Configuration& c) const { return seen_.count(c) > 0; }

  const Spec& spec_;
  const TuneOptions& options_;
  Listener& listener_;
  Device& device_;
  const Space& space_;
  Foreknowledge known_;
  Evaluator evaluator_;
  unsigned measure_jobs_;
  unsigned compile_jobs_;
  Results results_;
  Journal journal_;
  std::mutex journal_mutex_;  ///< evaluations on other threads write that they start
  StopRules rules_;
  std::unique_ptr<Policy> policy_;
  std::deque<Ahead> ahead_;
  bool exhausted_ = false;      ///< the policy has nothing left to propose
  std::deque<Record> answers_;  ///< of the run that is resumed, not yet asked for again
  std::unordered_set<Configuration, ConfigurationHash> seen_;
  Health health_;
  bool used_up_ = false;
  double watts_ = 0;   ///< of the first configuration, where energy is the objective
  double before_ = 0;  ///< seconds of the run that is resumed
  double began_ = 0;
};

// The loop: what comes next is asked for, tried (or was tried before), kept, and told.
Results Session::run() {
  greet();
  take_baseline();
  std::optional<StopDecision> stop;
  while (!(stop = should_stop())) {
    ask_ahead();
    start_measuring();
    if (!ahead_.empty()) {
      Ahead next = std::move(ahead_.front());
      ahead_.pop_front();
      take(std::move(next));
    } else if (exhausted_) {
      take_remaining_answers();
      used_up_ = true;
    }
  }
  take_what_is_measured();
  if (stop->reason != StopReason::interrupted && stop->reason != StopReason::device_lost) {
    hold_session_finals();
    const auto again = should_stop();  // in the figures of the finals
    stop = again && again->reason == stop->reason ? again : stop;
  }
  finish(*stop);
  return results_;
}

void Session::greet() {
  listener_.on_start(results_);
  relay_device_messages();
  if (const auto& kept = journal_.kept()) {
    listener_.on_message(
        fmt::format("an earlier run's journal is kept as {}; --resume would have gone on with it",
                    kept->string()));
  }
  if (!answers_.empty()) {
    listener_.on_message(fmt::format("resuming: {} evaluations are taken from the journal",
                                     format_count(answers_.size())));
  } else if (options_.resume) {
    listener_.on_message("nothing to resume: the run begins anew");
  }
}

std::unique_ptr<Policy> Session::make_session_policy() {
  SearchContext context;
  context.space = &space_;
  context.seed = options_.seed;
  context.budget = rules_.evaluations;
  context.bounds = [this](const Configuration& c) { return known_.model().bounds(c); };
  context.geometry = [this](const Configuration& c) { return known_.model().geometry(c); };
  context.device = &results_.device;
  if (!options_.prior.empty()) {
    context.prior = load_prior(options_.prior, spec_, space_);
    listener_.on_message(fmt::format("prior: {} configurations of this space on {}",
                                     format_count(context.prior->points.size()),
                                     context.prior->name));
  }
  return options_.make_policy ? options_.make_policy(context)
                              : make_policy(results_.policy, context);
}

/// Asks for more than one proposal where they can be compiled at the same time. On the host,
/// compilers would disturb what is measured: there a handful is compiled, then measured.
void Session::ask_ahead() {
  const bool is_quiet = results_.device.kind == DeviceKind::host;
  if (is_quiet && !ahead_.empty()) {
    return;
  }
  for (int drops = 0; ahead_.size() < wanted_ahead() && drops < most_drops && !exhausted_;) {
    std::optional<Proposal> proposal = policy_->ask();
    if (!proposal) {
      exhausted_ = true;
      break;
    }
    NamedValues parameters = space_.values(proposal->configuration);
    if (drop_if_known(proposal->configuration, parameters)) {
      ++drops;
      continue;
    }
    auto prepared = prepare(parameters);
    ahead_.push_back({std::move(*proposal), std::move(parameters), std::move(prepared), {}});
  }
  if (is_quiet) {
    for (const Ahead& ahead : ahead_) {
      if (ahead.prepared.valid()) {
        ahead.prepared.wait();
      }
    }
  }
}

/// No more than the budget will measure.
std::size_t Session::wanted_ahead() const {
  const std::uint64_t done = results_.records.size();
  const std::uint64_t left =
      !rules_.evaluations ? most_ahead : *rules_.evaluations - std::min(done, *rules_.evaluations);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(left, 1, compile_jobs_));
}

std::future<std::variant<Prepared, Failure>> Session::prepare(const NamedValues& parameters) {
  if (find_answer(parameters) != answers_.end() || journal_.resumed().is_deadly(parameters)) {
    return {};
  }
  return std::async(std::launch::async,
                    [this, parameters] { return evaluator_.prepare(parameters); });
}

bool Session::drop_if_known(const Configuration& configuration, const NamedValues& parameters) {
  const auto failure = known_beforehand(configuration, parameters);
  if (failure) {
    drop(configuration, *failure);
  }
  return failure.has_value();
}

void Session::take(Ahead next) {
  // Since it was proposed, an earlier run's answer may have been taken, or a measurement may have
  // ruled it out.
  const Configuration& configuration = next.proposal.configuration;
  const bool is_measured = next.record.valid();
  if (is_seen(configuration) || (!is_measured && drop_if_known(configuration, next.parameters))) {
    return;
  }
  if (!answers_.empty() && find_answer(next.parameters) == answers_.end()) {
    take_remaining_answers();
    ahead_.push_front(std::move(next));  // if they leave it a budget
    return;
  }
  if (auto record = answer(next)) {
    tell(*record);
    keep(std::move(*record));
  }
}

void Session::take_baseline() {
  if (spec_.baseline.empty()) {
    return;
  }
  Reason reason;
  reason.summary = "the baseline: what is in use today";
  Ahead baseline{{{}, reason}, spec_.baseline, prepare(spec_.baseline), {}};
  auto record = answer(baseline);
  if (!record) {
    return;
  }
  if (!record->in_space) {
    listener_.on_message("the baseline is outside of the space: it is only compared with");
  }
  tell(*record);
  keep(std::move(*record));
}

/// What needs no evaluation: it cannot launch, or provably cannot beat the best.
std::optional<Failure> Session::known_beforehand(const Configuration& configuration,
                                                 const NamedValues& parameters) const {
  if (auto failure = evaluator_.launch_failure(parameters)) {
    return failure;
  }
  return known_.cannot_beat(results_.best(), configuration);
}

/// nullopt where an interrupt cut it short: Ctrl-C reaches the processes that run kernels too, and
/// their end says nothing about the configuration.
std::optional<Record> Session::answer(Ahead& next) {
  if (const auto found = find_answer(next.parameters); found != answers_.end()) {
    Record record = std::move(*found);
    answers_.erase(found);
    before_ = record.elapsed_seconds;
    began_ = now();
    return record;
  }
  Record record;
  try {
    record = next.record.valid() ? next.record.get() : evaluate(next);
  } catch (const DeviceLost& lost) {
    health_.found_lost(lost.what());
    return std::nullopt;
  }
  relay_device_messages();
  if (is_interrupted() && record.outcome != Outcome::ok) {
    return std::nullopt;
  }
  record.proposal = next.proposal.reason;
  record.in_space = find_in_space(next.parameters).has_value();
  record.number = results_.records.size() + 1;
  record.elapsed_seconds = elapsed();
  record.timestamp = utc_now();
  const std::lock_guard lock(journal_mutex_);
  journal_.answered(record);
  return record;
}

Record Session::evaluate(Ahead& next) {
  const std::uint64_t number = results_.records.size() + 1;
  listener_.on_proposal(number, next.parameters, next.proposal.reason);
  if (journal_.resumed().is_deadly(next.parameters)) {
    Record record;
    record.parameters = next.parameters;
    record.outcome = Outcome::crashed;
    record.reason =
        "rooftune itself ended while this configuration ran, in the run that is resumed";
    return record;
  }
  return evaluator_.evaluate(next.parameters, next.prepared.get(), results_.best(),
                             [&] { note_started(number, next.parameters); });
}

/// From any thread.
void Session::note_started(std::uint64_t number, const NamedValues& parameters) {
  const std::lock_guard lock(journal_mutex_);
  journal_.started(number, parameters);
}

/// Where several devices share the work, the next proposals are measured at the same time. They are
/// taken in their order, so that a seed still gives one run.
void Session::start_measuring() {
  if (measure_jobs_ == 1) {
    return;
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(measure_jobs_, ahead_.size()); ++i) {
    Ahead& next = ahead_[i];
    if (next.record.valid() || !next.prepared.valid()) {
      continue;
    }
    const std::uint64_t number = results_.records.size() + 1 + i;
    listener_.on_proposal(number, next.parameters, next.proposal.reason);
    next.record = std::async(
        std::launch::async,
        [this, number, parameters = next.parameters,
         best = results_.best() != nullptr ? std::optional(*results_.best()) : std::nullopt,
         prepared = std::move(next.prepared)]() mutable {
          return evaluator_.evaluate(parameters, prepared.get(), best ? &*best : nullptr,
                                     [&] { note_started(number, parameters); });
        });
  }
}

/// What was under way when the run stopped was paid for.
void Session::take_what_is_measured() {
  for (Ahead& next : std::exchange(ahead_, {})) {
    if (next.record.valid()) {
      take(std::move(next));
    }
  }
}

void Session::relay_device_messages() {
  for (const std::string& message : device_.take_messages()) {
    listener_.on_message(message);
  }
}

std::deque<Record>::iterator Session::find_answer(const NamedValues& parameters) {
  return std::find_if(answers_.begin(), answers_.end(),
                      [&](const Record& record) { return record.parameters == parameters; });
}

/// Answers that the policy does not ask for again (its budget changed): they were paid for, so the
/// policy learns of them all the same.
void Session::take_remaining_answers() {
  while (!answers_.empty()) {
    Record record = std::move(answers_.front());
    answers_.pop_front();
    before_ = record.elapsed_seconds;
    began_ = now();
    tell(record);
    keep(std::move(record));
  }
}

void Session::keep(Record record) {
  const bool is_new = record.number > journal_.resumed().records.size();
  record.number = results_.records.size() + 1;
  results_.records.push_back(std::move(record));
  results_.elapsed_seconds = elapsed();
  if (is_new) {
    listener_.on_record(results_.records.back(), results_);
    check_health(results_.records.back());
  }
}

std::optional<Configuration> Session::find_in_space(const NamedValues& parameters) const {
  auto configuration = space_.find(parameters);
  return configuration && space_.contains(*configuration) ? configuration : std::nullopt;
}

void Session::tell(const Record& record) {
  const auto configuration = find_in_space(record.parameters);
  if (!configuration) {
    return;
  }
  if (const auto refutation = known_.learn(record, *configuration)) {
    listener_.on_message(*refutation);
  }
  seen_.insert(*configuration);
  Observation observation;
  observation.configuration = *configuration;
  observation.outcome = record.outcome;
  observation.seconds = cost(record);
  observation.diagnosis = record.diagnosis;
  observation.resources = record.resources;
  observation.occupancy = record.occupancy;
  policy_->tell(observation);
}

/// What the policy learns: the time; or the energy, as the time that it would last at the power of
/// the first configuration, so that it is near what the models predict.
double Session::cost(const Record& record) {
  if (spec_.objective == Objective::time || record.outcome != Outcome::ok) {
    return record.seconds;
  }
  if (watts_ == 0) {
    watts_ = record.joules() / record.seconds;
  }
  return record.joules() / watts_;
}

void Session::drop(const Configuration& configuration, const Failure& failure) {
  count_dropped(failure, results_.dropped);
  Record record;
  record.parameters = space_.values(configuration);
  record.outcome = failure.outcome;
  tell(record);
}

/// A row of crashes may be the configurations' fault or the device's: the best one tells.
void Session::check_health(const Record& record) {
  health_.saw(record.outcome, record.reason);
  const Record* best = results_.best();
  if (!health_.is_in_doubt(best != nullptr)) {
    return;
  }
  if (best == nullptr) {
    return health_.found_lost();
  }
  const auto prepared = evaluator_.prepare(best->parameters);
  const auto* ready = std::get_if<Prepared>(&prepared);
  try {
    if (ready != nullptr && std::holds_alternative<double>(evaluator_.time(*ready))) {
      health_.found_well();
    } else {
      health_.found_lost();
    }
  } catch (const DeviceLost& lost) {
    health_.found_lost(lost.what());
  }
}

std::optional<StopDecision> Session::should_stop() {
  if (!answers_.empty() && !is_interrupted()) {
    return std::nullopt;  // what was paid for is used, whatever the budget is now
  }
  StopState state;
  state.evaluations = results_.records.size();
  state.elapsed_seconds = elapsed();
  state.space_size = space_.size();
  state.best = results_.best();
  state.interrupted = is_interrupted();
  state.device_lost = health_.lost();
  state.used_up = used_up_;
  state.proof = known_.prove(
      state.best, rules_.improvement, [this](const Configuration& c) { return is_seen(c); },
      seen_.size());
  return rooftune::should_stop(rules_, state);
}

void Session::hold_session_finals() {
  // An energy is the mean of a third of a second already; times would rank by something else.
  const std::vector<std::uint64_t> numbers = spec_.objective == Objective::time
                                                 ? choose_finalists(results_)
                                                 : std::vector<std::uint64_t>{};
  if (numbers.empty()) {
    return;
  }
  std::vector<Finals> finals = journal_.resumed().finals;
  const bool are_held =
      std::equal(finals.begin(), finals.end(), numbers.begin(), numbers.end(),
                 [](const Finals& one, std::uint64_t number) { return one.number == number; });
  if (!are_held) {
    listener_.on_message(
        fmt::format("measuring {} finalists again, in turn", format_count(numbers.size())));
    try {
      finals = hold_finals(results_, numbers, evaluator_);
    } catch (const DeviceLost& lost) {
      listener_.on_message(fmt::format("no finals: {}", lost.what()));
      return;
    }
    journal_.finals(finals);
  }
  apply_finals(finals, results_);
}

void Session::finish(const StopDecision& decision) {
  results_.stop = decision.reason;
  results_.stop_text = decision.text;
  results_.elapsed_seconds = elapsed();
  if (!options_.out.empty()) {
    write_results(results_, options_.out / "results.json");
  }
  listener_.on_stop(results_);
}

}  // namespace

void Listener::on_start(const Results& /*so_far*/) {}
void Listener::on_proposal(std::uint64_t /*number*/, const NamedValues& /*parameters*/,
                           const Reason& /*reason*/) {}
void Listener::on_record(const Record& /*record*/, const Results& /*so_far*/) {}
void Listener::on_message(const std::string& /*text*/) {}
void Listener::on_stop(const Results& /*results*/) {}

Results tune(const Spec& spec, Device& device, const TuneOptions& options, Listener& listener) {
  const Space space(spec);
  refuse_what_cannot_be_tuned(spec, space, device);
  return Session(spec, space, device, options, listener).run();
}

}  // namespace rooftune
