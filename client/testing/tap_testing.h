// A host that is not ours with the tap between it and a library.
#ifndef CLIENT_TESTING_TAP_TESTING_H_
#define CLIENT_TESTING_TAP_TESTING_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/testing/programs.h"

namespace diopi::testing {

// The lines that hold this text.
inline std::vector<std::string> Lines(const std::string& text, const std::string& with = "") {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (absl::StrContains(line, with)) lines.emplace_back(line);
  }
  return lines;
}

// A bug in a library, and what finds it.
struct Bug {
  std::string library;  // in build/lib/vendors
  std::string switched_on;
  std::string model;
  std::string function;
};

class TapTest : public ::testing::Test {
 protected:
  std::string Tap() const { return LibPath("libdiopi_tap.so"); }
  std::string Capture() const { return folder_ / "capture"; }

  // Trains `model` for some steps on `library` through the tap.
  Finished Host(const std::string& library, const std::string& model, int steps,
                std::vector<std::string> settings = {}, std::vector<std::string> more = {}) const {
    settings.push_back("DIOPI_TAP_IMPL=" + library);
    if (!absl::StrContains(absl::StrJoin(settings, " "), "DIOPI_TAP_CAPTURE=")) {
      settings.push_back("DIOPI_TAP_CAPTURE=" + Capture());
    }
    std::vector<std::string> command = {BuildPath("tools/tap_host"), Tap(), model, std::to_string(steps)};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command, settings);
  }
  // The same without the tap.
  static Finished Direct(const std::string& library, const std::string& model, int steps) {
    return RunProgram({BuildPath("tools/tap_host"), library, model, std::to_string(steps)});
  }
  static Finished Cli(std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
    arguments.insert(arguments.begin(), BinPath("diopi-cli"));
    return RunProgram(std::move(arguments), std::move(environment));
  }

  const std::string good_ = LibPath("libdiopi_cpu.so");
  const std::string faulty_ = VendorPath("libdiopi_faulty");
  const std::string mutants_ = VendorPath("libdiopi_mutants");
  TestFolder folder_;
};

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_TAP_TESTING_H_
