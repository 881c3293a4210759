// diopi-cli: everything around a run, one subcommand a file.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>

#include "client/agent/arguments.h"
#include "client/cli/command.h"

namespace diopi::cli {
namespace {

int Main(int argc, const char* const* argv) {
  CLI::App app("Lists cases, makes baselines, reads results, repeats single cases.", "diopi-cli");
  app.footer("Exit status: 0 nothing failed, 1 something failed, 2 usage, 3 our own fault.");
  app.set_version_flag("--version", DIOPI_VERSION);
  app.require_subcommand(1);
  const std::vector<std::unique_ptr<Command>> commands = AllCommands();
  std::map<const CLI::App*, Command*> by_app;
  for (const std::unique_ptr<Command>& command : commands) {
    CLI::App* sub = app.add_subcommand(command->name(), command->description());
    command->AddOptions(sub);
    by_app[sub] = command.get();
  }
  std::vector<std::string> arguments = agent::NormalizeArguments(argc, argv);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  return static_cast<int>(by_app.at(app.get_subcommands().front())->Run());
}

}  // namespace
}  // namespace diopi::cli

int main(int argc, char** argv) {
  // CLI11 reports our own mistakes in declaring options as exceptions.
  try {
    return diopi::cli::Main(argc, argv);
  } catch (...) {
    std::fputs("diopi-cli: an unexpected exception\n", stderr);
    return static_cast<int>(diopi::cli::ExitCode::kOurs);
  }
}
