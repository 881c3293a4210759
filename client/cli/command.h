// A subcommand of diopi-cli. Each has its own file.
#ifndef CLIENT_CLI_COMMAND_H_
#define CLIENT_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/command_line/options.h"
#include "client/setup/exit_code.h"

namespace diopi::cli {

using agent::ExitCode;

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;
  // Shown by --help: one command per line, indented by two spaces.
  virtual std::string examples() const = 0;
  // Declares options that point into this object.
  virtual void AddOptions(CLI::App* app) = 0;
  // Prints results to stdout and errors to stderr.
  virtual ExitCode Run() = 0;
};

std::unique_ptr<Command> MakeAbiCheckCommand();
std::unique_ptr<Command> MakeAgentsCommand();
std::unique_ptr<Command> MakeArchiveCommand();
std::unique_ptr<Command> MakeCallCommand();
std::unique_ptr<Command> MakeChipsCommand();
std::unique_ptr<Command> MakeCoverageCommand();
std::unique_ptr<Command> MakeModelsCommand();
std::unique_ptr<Command> MakeDiffCommand();
std::unique_ptr<Command> MakeEvaluateCommand();
std::unique_ptr<Command> MakeChangedCommand();
std::unique_ptr<Command> MakeGateCommand();
std::unique_ptr<Command> MakeGenCommand();
std::unique_ptr<Command> MakeHistoryCommand();
std::unique_ptr<Command> MakeImportCasesCommand();
std::unique_ptr<Command> MakeLabelCommand();
std::unique_ptr<Command> MakeListCommand();
std::unique_ptr<Command> MakeReachCommand();
std::unique_ptr<Command> MakeMergeCommand();
std::unique_ptr<Command> MakeNewOperatorCommand();
std::unique_ptr<Command> MakePackCommand();
std::unique_ptr<Command> MakePerformanceCommand();
std::unique_ptr<Command> MakeProfileCommand();
std::unique_ptr<Command> MakePruneCommand();
std::unique_ptr<Command> MakeReportCommand();
std::unique_ptr<Command> MakeReproCommand();
std::unique_ptr<Command> MakeRunsCommand();
std::unique_ptr<Command> MakeShowCommand();
std::unique_ptr<Command> MakeShrinkCommand();
std::unique_ptr<Command> MakeSubmitCommand();
std::unique_ptr<Command> MakeTagCommand();
std::unique_ptr<Command> MakeTimeCommand();
std::unique_ptr<Command> MakeVacuumCommand();

struct CommandGroup {
  std::string name;
  std::vector<std::unique_ptr<Command>> commands;
};

// Every subcommand, in the order in which --help lists them.
std::vector<CommandGroup> AllCommands();

// Prints the status to stderr and returns its exit code.
ExitCode PrintError(const absl::Status& status);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_COMMAND_H_
