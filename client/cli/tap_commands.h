// The subcommands that work with libdiopi_tap.so and its captures.
#ifndef CLIENT_CLI_TAP_COMMANDS_H_
#define CLIENT_CLI_TAP_COMMANDS_H_

#include <memory>

#include "client/cli/command.h"

namespace diopi::cli {

std::unique_ptr<Command> MakeBisectCommand();
std::unique_ptr<Command> MakeCaptureToCasesCommand();
std::unique_ptr<Command> MakeReplayCommand();

}  // namespace diopi::cli

#endif  // CLIENT_CLI_TAP_COMMANDS_H_
