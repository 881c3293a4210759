#include "client/cli/command.h"

#include <iostream>

#include "cases/base/excerpt.h"
#include "cases/base/text.h"
#include "client/cli/tap_commands.h"

namespace diopi::cli {

namespace {

template <typename... Make>
CommandGroup Group(const std::string& name, Make... make) {
  CommandGroup group;
  group.name = name;
  (group.commands.push_back(make()), ...);
  return group;
}

}  // namespace

std::vector<CommandGroup> AllCommands() {
  std::vector<CommandGroup> groups;
  groups.push_back(Group("Cases and baselines", MakeListCommand, MakeReachCommand, MakeShowCommand,
                         MakeGenCommand, MakePackCommand, MakeNewOperatorCommand, MakeImportCasesCommand));
  groups.push_back(Group("A library", MakeAbiCheckCommand, MakeReproCommand, MakeShrinkCommand,
                         MakeChangedCommand, MakeTimeCommand, MakeCallCommand, MakeProfileCommand));
  groups.push_back(Group("A training run (libdiopi_tap.so)", MakeReplayCommand, MakeCaptureToCasesCommand,
                         MakeBisectCommand));
  groups.push_back(Group("Results", MakeRunsCommand, MakeChipsCommand, MakeReportCommand, MakeDiffCommand,
                         MakeHistoryCommand, MakeCoverageCommand, MakeModelsCommand, MakePerformanceCommand,
                         MakeEvaluateCommand, MakeGateCommand, MakeMergeCommand));
  groups.push_back(Group("Maintenance of results", MakeTagCommand, MakeLabelCommand, MakePruneCommand,
                         MakeArchiveCommand, MakeVacuumCommand));
  groups.push_back(Group("Standing agents", MakeSubmitCommand, MakeAgentsCommand));
  return groups;
}

ExitCode PrintError(const absl::Status& status) {
  if (!status.ok()) std::cerr << "diopi-cli: " << PrintableMessage(WithShortLines(status.message())) << "\n";
  return agent::ExitCodeFor(status);
}

}  // namespace diopi::cli
