#include "client/command_line/command_line.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/match.h"
#include "client/command_line/documents.h"
#include "client/command_line/options.h"
#include "client/command_line/terminal.h"

namespace diopi {
namespace {

std::string DidYouMean(const std::string& what, const std::string& name,
                       const std::vector<std::string>& known) {
  const std::vector<std::string> nearest = Nearest(name, known, 1);
  if (nearest.empty()) return "";
  return absl::StrCat("There is no ", what, " '", name, "'; did you mean ", nearest.front(), "?\n");
}

// Suggests the nearest option or subcommand for the first unknown argument. Later arguments may belong to it.
std::string Suggestion(const CLI::App* app) {
  // The program and the subcommands that were recognized.
  const CLI::App* deepest = app;
  std::vector<std::string> options = VisibleOptions(*app);
  while (!deepest->get_subcommands().empty()) {
    deepest = deepest->get_subcommands().front();
    for (std::string& name : VisibleOptions(*deepest)) options.push_back(std::move(name));
  }
  const std::vector<std::string> subcommands = VisibleSubcommands(*deepest);
  for (const std::string& argument : app->remaining(true)) {
    if (absl::StartsWith(argument, "--"))
      return DidYouMean("option", argument.substr(0, argument.find('=')), options);
    if (!subcommands.empty()) return DidYouMean("subcommand", argument, subcommands);
  }
  return "";
}

// CLI11 makes these options of a subcommand, with the help of its parent, outside of any group.
void PutHelpUnderItsHeading(CLI::App* app) {
  for (CLI::Option* option : {app->get_help_ptr(), app->get_option_no_throw("--help-all")})
    if (option != nullptr) option->group("Help");
  for (CLI::App* sub : app->get_subcommands({})) PutHelpUnderItsHeading(sub);
}

}  // namespace

std::vector<std::string> NormalizeArguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  bool options = true;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--") options = false;
    if (options && absl::StartsWith(argument, "--")) {
      const size_t end = std::min(argument.find('='), argument.size());
      std::replace(argument.begin(), argument.begin() + static_cast<std::ptrdiff_t>(end), '_', '-');
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

void SetExamples(const std::string& examples, CLI::App* app) {
  app->footer(absl::StrCat("Examples:\n", examples, "\n", kExitCodesText));
}

void DescribeProgram(const std::string& version, const std::string& examples, CLI::App* app) {
  Heading("Help", app);
  app->set_help_flag("-h,--help", "Print the most used options, and exit");
  app->set_help_all_flag("--help-all", "Print every option, and exit");
  if (!version.empty()) app->set_version_flag("--version", version, "Print the version, and exit");
  ShowFirst({}, app);
  SetExamples(examples, app);
  app->failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return absl::StrCat(failed->get_name(), ": ", error.what(), "\n", Suggestion(failed),
                        "Run with --help for more information.\n");
  });
}

void ShowFirst(const std::vector<std::string>& names, CLI::App* app) {
  std::set<const CLI::Option*> first;
  for (const std::string& name : names) first.insert(app->get_option(name));
  app->formatter_fn([first](const CLI::App* of, const std::string&, CLI::AppFormatMode mode) {
    const bool all = mode == CLI::AppFormatMode::All;
    return HelpText(*of, all ? std::set<const CLI::Option*>() : first, TextWidth(STDOUT_FILENO));
  });
}

std::optional<ExitCode> ParseCommandLine(std::vector<std::string> arguments, CLI::App* app) {
  PutHelpUnderItsHeading(app);
  if (arguments == std::vector<std::string>{"--completion", "bash"}) {
    std::cout << BashCompletion(*app) << std::flush;
    return ExitCode::kOk;
  }
  if (arguments == std::vector<std::string>{"--man-page"}) {
    std::cout << ManPage(*app) << std::flush;
    return ExitCode::kOk;
  }
  std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 expects
  try {
    app->parse(arguments);
  } catch (const CLI::ParseError& error) {
    const int code = app->exit(error);
    if (code == 0) return ExitCode::kOk;
    // CLI11's own codes are above 99; a reader of files (server/program/config_file.h) gives one of ours.
    return code == static_cast<int>(ExitCode::kEnvironment) ? ExitCode::kEnvironment : ExitCode::kUsage;
  }
  return std::nullopt;
}

}  // namespace diopi
