#include "client/cli/command.h"

#include <iostream>

#include "client/agent/paths.h"

namespace diopi::cli {

std::vector<std::unique_ptr<Command>> AllCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(MakeListCommand());
  commands.push_back(MakeShowCommand());
  commands.push_back(MakeGenCommand());
  commands.push_back(MakePackCommand());
  commands.push_back(MakeSubmitCommand());
  commands.push_back(MakeAgentsCommand());
  commands.push_back(MakeRunsCommand());
  commands.push_back(MakeChipsCommand());
  commands.push_back(MakeReportCommand());
  commands.push_back(MakeDiffCommand());
  commands.push_back(MakeHistoryCommand());
  commands.push_back(MakeCoverageCommand());
  commands.push_back(MakeEvaluateCommand());
  commands.push_back(MakeGateCommand());
  commands.push_back(MakeMergeCommand());
  commands.push_back(MakeReproCommand());
  commands.push_back(MakeShrinkCommand());
  commands.push_back(MakeNewOperatorCommand());
  commands.push_back(MakeImportCasesCommand());
  commands.push_back(MakeAbiCheckCommand());
  commands.push_back(MakeChangedCommand());
  commands.push_back(MakeProfileCommand());
  commands.push_back(MakeTimeCommand());
  commands.push_back(MakeCallCommand());
  return commands;
}

ExitCode Tell(const absl::Status& status) {
  if (!status.ok()) std::cerr << "diopi-cli: " << status.message() << std::endl;
  return agent::ExitCodeFor(status);
}

std::string DataFolder(const std::string& given) {
  return given.empty() ? agent::DefaultDataFolder() : given;
}

}  // namespace diopi::cli
