#include "tuner/device/cuda/library.hpp"

#include <boost/dll/shared_library.hpp>
#include <cstdlib>

namespace rooftune::cuda {
namespace {

class Loaded : public Library {
 public:
  explicit Loaded(boost::dll::shared_library library) : library_(std::move(library)) {}

  void* find(const char* symbol) const override {
    return library_.has(symbol) ? static_cast<void*>(&library_.get<char>(symbol)) : nullptr;
  }
  std::string path() const override { return library_.location().string(); }

 private:
  boost::dll::shared_library library_;
};

}  // namespace

std::shared_ptr<const Library> load_library(const char* variable,
                                            const std::vector<std::string>& names,
                                            std::string& why) {
  std::vector<std::string> candidates = names;
  if (const char* named = std::getenv(variable); named != nullptr && *named != '\0') {
    candidates = {named};
  }
  for (const std::string& name : candidates) {
    boost::dll::fs::error_code error;
    boost::dll::shared_library library(name, error, boost::dll::load_mode::search_system_folders);
    if (!error) {
      return std::make_shared<Loaded>(std::move(library));
    }
    why = name + " cannot be loaded";
  }
  return nullptr;
}

}  // namespace rooftune::cuda
