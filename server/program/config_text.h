// The text of a configuration file: the part of TOML that options need.
#ifndef SERVER_PROGRAM_CONFIG_TEXT_H_
#define SERVER_PROGRAM_CONFIG_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace diopi::server {

struct Setting {
  int line = 0;  // the first is 1
  std::string key;
  std::vector<std::string> values;  // of an array, or the only one
};

// Reads `KEY = VALUE` lines, in their order. A value is a string ("..." with TOML's short escapes, or '...'),
// a word (30, true, 127.0.0.1:7410), or an array of these, which may span lines. `#` begins a comment. Errors
// are InvalidArgument and begin with the line ("3: ..."); sections and nested arrays are errors. Messages
// hold excerpts of the text, never all of a long line. Linear in time and memory.
absl::StatusOr<std::vector<Setting>> ParseSettings(absl::string_view text);

}  // namespace diopi::server

#endif  // SERVER_PROGRAM_CONFIG_TEXT_H_
