// Tunes a kernel from a program: watches the run, looks into the results, writes the header.
#include <fstream>
#include <iostream>
#include <rooftune/rooftune.hpp>

namespace {

/// Told of everything that happens, in order.
class Watcher : public rooftune::Listener {
 public:
  void on_record(const rooftune::Record& record, const rooftune::Results& so_far) override {
    std::cout << record.number << ": " << rooftune::to_string(record.parameters) << ": ";
    if (record.outcome == rooftune::Outcome::ok) {
      std::cout << rooftune::format_seconds(record.seconds);
      std::cout << (so_far.best() == &record ? " (the best so far)\n" : "\n");
    } else {
      std::cout << rooftune::to_string(record.outcome) << ": " << record.reason << '\n';
    }
  }
};

int tune(const std::string& file) {
  const rooftune::Spec spec = rooftune::load_spec(file, {{"n", "1048576"}});
  const auto device = rooftune::open_device("host");
  rooftune::TuneOptions options;
  options.evaluations = 6;
  options.seed = 42;
  Watcher watcher;
  const rooftune::Results results = rooftune::tune(spec, *device, options, watcher);
  std::cout << rooftune::verdict(results) << '\n';
  const rooftune::Record* best = results.best();
  if (best == nullptr) {
    return 1;
  }
  if (best->diagnosis) {
    std::cout << best->diagnosis->summary << '\n';
  }
  rooftune::HeaderOptions header;
  header.include_host = true;
  std::ofstream("saxpy_tuned.hpp") << rooftune::tuned_header({results}, header);
  std::cout << "written: saxpy_tuned.hpp\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return tune(argc > 1 ? argv[1] : SPEC);
  } catch (const rooftune::InputError& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
