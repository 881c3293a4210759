// The settings of the tap: variables of the environment, and lines NAME=VALUE of the file DIOPI_TAP_CONFIG.
#ifndef IMPL_LOADER_TAP_SETTINGS_H_
#define IMPL_LOADER_TAP_SETTINGS_H_

#include <map>
#include <string>
#include <vector>

namespace diopi::tap {

// Read once, by the first call. Immutable afterwards.
class Settings {
 public:
  // Reads the file that DIOPI_TAP_CONFIG names, if any. Each problem of it adds a line to `problems`,
  // "FILE:LINE: what is wrong, what was expected"; the other lines of the file hold.
  static Settings Read(std::vector<std::string>* problems);

  // The environment's value, or else the file's; null: not set, or empty.
  const char* Find(const std::string& name) const;

 private:
  std::map<std::string, std::string> file_;
};

}  // namespace diopi::tap

#endif  // IMPL_LOADER_TAP_SETTINGS_H_
