// Command line handling shared by all programs, beyond the declaration of options.
#ifndef CLIENT_COMMAND_LINE_COMMAND_LINE_H_
#define CLIENT_COMMAND_LINE_COMMAND_LINE_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cases/base/exit_code.h"

namespace diopi {

// Returns argv[1..] with underscores in option names replaced by dashes (--filter_dtype=x becomes
// --filter-dtype=x). Values, and everything after a lone "--", stay unchanged.
std::vector<std::string> NormalizeArguments(int argc, const char* const* argv);

// Sets the footer of --help: `examples`, one command per line, and the exit statuses.
void SetExamples(const std::string& examples, CLI::App* app);

// Sets --version (unless it is empty), --help, --help-all and the examples. Subcommands that are added later
// inherit the help.
void DescribeProgram(const std::string& version, const std::string& examples, CLI::App* app);

// The options that --help shows, where an app has more than a screen of them; --help-all shows all of them.
void ShowFirst(const std::vector<std::string>& names, CLI::App* app);

// Parses normalized arguments. When it returns an exit code, exit with it: it has printed what the user asked
// for (help, the version, a shell's completion, the man page), or the error with the nearest known names.
//
//   PROGRAM --completion bash   the completion script for that shell
//   PROGRAM --man-page          the man page, in roff
std::optional<ExitCode> ParseCommandLine(std::vector<std::string> arguments, CLI::App* app);

}  // namespace diopi

#endif  // CLIENT_COMMAND_LINE_COMMAND_LINE_H_
