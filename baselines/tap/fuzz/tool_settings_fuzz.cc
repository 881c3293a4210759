// The settings of the tap's tools: lines NAME=VALUE. Wrong ones are problems, a line each, that name the
// setting.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "baselines/tap/tool_settings.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace tap = diopi::tap;
  static const tap::FunctionTable& table = *tap::FunctionTable::Load().value().release();
  std::map<std::string, std::string> settings;
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (equals == std::string::npos || line.find('\0') != std::string::npos) continue;
    settings[line.substr(0, equals)] = line.substr(equals + 1);
  }
  const auto find = [&](const char* name) {
    const auto found = settings.find(name);
    return found == settings.end() ? nullptr : found->second.c_str();
  };
  std::vector<std::string> problems;
  const tap::ToolSettings read = tap::ReadToolSettings(find, table, "/tap", &problems);
  for (const int64_t step : {int64_t{0}, int64_t{7}, int64_t{1} << 40}) {
    read.schedule.IsActive(step);
    read.InSteps(step);
  }
  for (const std::string& problem : problems) {
    if (settings.contains(problem.substr(0, problem.find_first_of(": ")))) continue;
    std::fprintf(stderr, "tool_settings_fuzz: names no setting: %s\n", problem.c_str());
    std::abort();
  }
  return 0;
}
