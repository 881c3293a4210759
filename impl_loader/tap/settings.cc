#include "impl_loader/tap/settings.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace diopi::tap {
namespace {

constexpr size_t kShown = 60;  // bytes of a line in a message

std::string Trimmed(const std::string& text) {
  constexpr char kSpace[] = " \t\r";
  const size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

Settings Settings::Read(std::vector<std::string>* problems) {
  Settings settings;
  const char* path = std::getenv("DIOPI_TAP_CONFIG");
  if (path == nullptr || *path == '\0') return settings;
  std::ifstream file(path);
  if (!file) {
    problems->push_back(std::string(path) + " (DIOPI_TAP_CONFIG) cannot be read: " + std::strerror(errno));
    return settings;
  }
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line = Trimmed(line);
    if (line.empty() || line[0] == '#') continue;
    const size_t equals = line.find('=');
    const std::string name = Trimmed(line.substr(0, equals));
    if (equals == std::string::npos || name.empty()) {
      problems->push_back(std::string(path) + ":" + std::to_string(number) + ": '" + line.substr(0, kShown) +
                          (line.size() > kShown ? "..." : "") + "' is not a setting; expected NAME=VALUE");
      continue;
    }
    settings.file_[name] = Trimmed(line.substr(equals + 1));
  }
  return settings;
}

const char* Settings::Find(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  if (value != nullptr && *value != '\0') return value;
  const auto found = file_.find(name);
  return found == file_.end() || found->second.empty() ? nullptr : found->second.c_str();
}

}  // namespace diopi::tap
