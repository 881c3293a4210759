// Command lines, one argument per line; those after "--dtype", "--filter-dtype", "--fname" and "--case" go
// into a selection.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "client/command_line/command_line.h"
#include "client/setup/arguments.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  std::vector<const char*> argv = {"diopi-agent"};
  for (const std::string& line : lines) argv.push_back(line.c_str());
  const std::vector<std::string> arguments =
      diopi::NormalizeArguments(static_cast<int>(argv.size()), argv.data());
  diopi::agent::SelectionArguments selection;
  std::vector<std::string>* into = &selection.functions;
  for (const std::string& argument : arguments) {
    if (argument == "--dtype") {
      into = &selection.dtypes;
    } else if (argument == "--filter-dtype") {
      into = &selection.filter_dtypes;
    } else if (argument == "--fname") {
      into = &selection.functions;
    } else if (argument == "--case") {
      into = &selection.cases;
    } else {
      into->push_back(argument);
    }
  }
  diopi::agent::MakeSelection(selection).status().IgnoreError();
  return 0;
}
