// What the double of the driver does wrong, and when: lines of the file that FAKE_CUDA_SCRIPT
// names.
//
//     EVENT [KEY=VALUE ...] [-> ACTION [KEY=VALUE ...]]
//
//     device index=0 name=Fake_GPU cc=8.0 sms=8 memory_mb=64     no line: one such GPU
//     start -> error 999 times=2            the first two starts of the driver fail
//     alloc n=3 -> error 2                  the third allocation of a process
//     load kernel=Li128E -> error 222       a binary that holds that text
//     find kernel=Li128E -> error 500
//     function kernel=Li128E attribute=4 -> is 255                what the driver says of a kernel
//     call kernel=Li128E -> error 701       of the launch's call
//     call kernel=Li128E -> waits           it waits for the stream, as lazy loading makes it
//     launch kernel=Li128E -> fault 700     while the kernel runs: sticky
//     launch ... -> hang | kill | exit | torn | lost | wrong | unwritten | nan | overrun | underrun
//     launch profiled=1 ...                                      only while counters are read
//     time kernel=Li64E us=100 noise=0.2 drift=0.1
//     power kernel=Li64E watts=200                               else 100
//     energy -> error 3
//     clock mhz=500 after=10 until=20       the reads of the clock with these numbers
//     profiler call=cuptiRangeProfilerEnable -> error 35
//     supported flag=vGpu -> level 2
//     metric name=dram__bytes.sum -> unknown | value 123 | nan
//
// `kernel` is a part of a kernel's mangled name. `times=N` keeps an action to N times, over all
// processes (counted in a file beside the script).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fake_cuda {

struct Rule {
  std::string event;
  std::map<std::string, std::string> match;
  std::string action;    ///< empty where the line only states something
  std::string argument;  ///< the word after it: "701"
  int times = 0;         ///< 0: always
  std::size_t line = 0;
};

class Script {
 public:
  static Script& get();
  /// Reads the file anew: the driver is started.
  void load();

  const std::vector<Rule>& rules() const { return rules_; }
  /// The first rule of the event that applies: every key that the rule has must be part of
  /// (`kernel`) or equal to the fact of that name. Counts it.
  std::optional<Rule> find(const std::string& event,
                           const std::map<std::string, std::string>& facts);
  /// Number of an action's argument; 0 where none applies.
  int error(const std::string& event, const std::map<std::string, std::string>& facts);

  /// A mark that later processes see.
  void leave_mark(const std::string& name) const;
  bool has_mark(const std::string& name) const;

 private:
  bool may_fire(const Rule& rule) const;

  std::string file_;
  std::vector<Rule> rules_;
};

}  // namespace fake_cuda
