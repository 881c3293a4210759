// What each of our programs does with its command line beside declaring its options.
#ifndef CLIENT_COMMAND_LINE_COMMAND_LINE_H_
#define CLIENT_COMMAND_LINE_COMMAND_LINE_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "client/command_line/exit_code.h"

namespace diopi {

// argv[1..] with the underscores of option names turned into dashes (--filter_dtype=x is --filter-dtype=x);
// values, and everything after a lone "--", stay as they are.
std::vector<std::string> NormalizeArguments(int argc, const char* const* argv);

// Sets --version and the footer of --help: `examples`, a command a line, and the exit statuses.
void DescribeProgram(const std::string& version, const std::string& examples, CLI::App* app);

// Puts these options under one heading of --help and of the man page.
void GroupOptions(const std::string& heading, const std::vector<std::string>& names, CLI::App* app);

// Parses normalized arguments. A value: leave with it; what the user asked for (help, the version, a shell's
// completion, the man page) or what is wrong, with the nearest known names, was printed.
//
//   PROGRAM --completion bash   the completion script for that shell
//   PROGRAM --man-page          the man page, in roff
std::optional<ExitCode> ParseCommandLine(std::vector<std::string> arguments, CLI::App* app);

}  // namespace diopi

#endif  // CLIENT_COMMAND_LINE_COMMAND_LINE_H_
