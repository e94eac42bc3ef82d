#include "tests/fake_cuda/script.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace fake_cuda {
namespace {

Rule read_rule(const std::string& text, std::size_t line) {
  Rule rule;
  rule.line = line;
  std::istringstream words(text);
  words >> rule.event;
  bool is_action = false;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (word == "->") {
      is_action = true;
      words >> rule.action;
    } else if (word.rfind("times=", 0) == 0) {
      rule.times = std::stoi(word.substr(6));
    } else if (is_action) {
      rule.argument = word;
    } else if (equals != std::string::npos) {
      rule.match[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  return rule;
}

bool applies(const Rule& rule, const std::map<std::string, std::string>& facts) {
  return std::all_of(rule.match.begin(), rule.match.end(), [&](const auto& wanted) {
    const auto fact = facts.find(wanted.first);
    if (fact == facts.end()) {
      return false;
    }
    return wanted.first == "kernel" ? fact->second.find(wanted.second) != std::string::npos
                                    : fact->second == wanted.second;
  });
}

}  // namespace

Script& Script::get() {
  static Script script;
  return script;
}

void Script::load() {
  rules_.clear();
  const char* file = std::getenv("FAKE_CUDA_SCRIPT");
  if (file == nullptr) {
    return;
  }
  file_ = file;
  std::ifstream in(file_);
  std::size_t line = 0;
  for (std::string text; std::getline(in, text);) {
    ++line;
    if (!text.empty() && text.front() != '#') {
      rules_.push_back(read_rule(text, line));
    }
  }
}

bool Script::may_fire(const Rule& rule) const {
  if (rule.times == 0) {
    return true;
  }
  const std::string counter = file_ + ".fired" + std::to_string(rule.line);
  std::ifstream in(counter, std::ios::ate | std::ios::binary);
  const auto fired = in ? static_cast<int>(in.tellg()) : 0;
  if (fired >= rule.times) {
    return false;
  }
  std::ofstream(counter, std::ios::app | std::ios::binary) << 'x';
  return true;
}

std::optional<Rule> Script::find(const std::string& event,
                                 const std::map<std::string, std::string>& facts) {
  for (const Rule& rule : rules_) {
    if (rule.event == event && applies(rule, facts) && may_fire(rule)) {
      return rule;
    }
  }
  return std::nullopt;
}

int Script::error(const std::string& event, const std::map<std::string, std::string>& facts) {
  const auto rule = find(event, facts);
  return rule && rule->action == "error" ? std::stoi(rule->argument) : 0;
}

void Script::leave_mark(const std::string& name) const {
  std::ofstream(file_ + "." + name) << name;
}

bool Script::has_mark(const std::string& name) const {
  return !file_.empty() && std::ifstream(file_ + "." + name).good();
}

}  // namespace fake_cuda
