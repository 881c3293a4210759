// Options of diopi-server in a file.
#ifndef SERVER_PROGRAM_CONFIG_FILE_H_
#define SERVER_PROGRAM_CONFIG_FILE_H_

#include <CLI/CLI.hpp>

namespace diopi::server {

// Adds --config FILE: TOML whose keys are the names of the options that `app` has so far (`lease-s = 30`).
// The command line overrides the file, and the file the environment. Unknown keys, keys given twice and
// options that make no sense in a file (not `configurable`) are errors, which name file and key.
void AddConfigFile(CLI::App* app);

}  // namespace diopi::server

#endif  // SERVER_PROGRAM_CONFIG_FILE_H_
