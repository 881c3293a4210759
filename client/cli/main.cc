// diopi-cli: everything before and after a run, one file per subcommand.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <map>

#include "cases/base/openssl_exit.h"
#include "cases/base/printable_stream.h"
#include "cases/base/private_process.h"
#include "client/cli/command.h"
#include "client/command_line/command_line.h"

namespace diopi::cli {
namespace {

constexpr char kExamples[] =
    "  diopi-cli list --fname add                                       cases\n"
    "  diopi-cli repro add.float32.n17 --impl libdiopi_impl.so          repeats a case and writes a C file\n"
    "  diopi-cli shrink add.float32.n17 --impl libdiopi_impl.so         the smallest case that still fails\n"
    "  diopi-cli report --run latest --format html --output run.html    a run as a document\n"
    "  diopi-cli gate --expect known.txt --against last-green           for CI: fails on new failures\n"
    "  diopi-cli abi-check --impl libdiopi_impl.so                      exported, missing and misspelt "
    "functions\n";

ExitCode Main(int argc, const char* const* argv) {
  CLI::App app("Lists cases, generates baselines, reports results, and repeats single cases.", "diopi-cli");
  DescribeProgram(DIOPI_VERSION, kExamples, &app);
  app.require_subcommand(1);
  const std::vector<CommandGroup> groups = AllCommands();
  std::map<const CLI::App*, Command*> by_app;
  for (const CommandGroup& group : groups) {
    for (const std::unique_ptr<Command>& command : group.commands) {
      CLI::App* sub = app.add_subcommand(command->name(), command->description());
      sub->group(group.name);
      SetExamples(command->examples(), sub);
      Heading("Options", sub);
      command->AddOptions(sub);
      by_app[sub] = command.get();
    }
  }
  const std::optional<ExitCode> leave = ParseCommandLine(NormalizeArguments(argc, argv), &app);
  const ExitCode code = leave.has_value() ? *leave : by_app.at(app.get_subcommands().front())->Run();
  if (code != ExitCode::kOk || std::cout.flush()) return code;
  return PrintError(absl::UnavailableError("standard output cannot be written"));
}

}  // namespace
}  // namespace diopi::cli

int main(int argc, char** argv) {
  diopi::MakeProcessPrivate();
  diopi::KeepOpenSslUntilProcessEnds();
  const diopi::PrintableStreams printable;
  // CLI11 reports our own mistakes in declaring options as exceptions.
  try {
    return static_cast<int>(diopi::cli::Main(argc, argv));
  } catch (...) {
    std::fputs("diopi-cli: an unexpected exception\n", stderr);
    return static_cast<int>(diopi::ExitCode::kOurs);
  }
}
