// Options that several programs and subcommands have, each declared once, and the headings of all options. A
// heading, a help text and a line of the man page have no other source than the declaration of the option.
#ifndef CLIENT_COMMAND_LINE_OPTIONS_H_
#define CLIENT_COMMAND_LINE_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace diopi {

// Headings that several programs have.
inline constexpr char kLibraryHeading[] = "The library and its chip";
inline constexpr char kCasesHeading[] = "Which cases";
inline constexpr char kCallsHeading[] = "How cases are called";
inline constexpr char kRunsHeading[] = "Runs and servers";
inline constexpr char kResultsHeading[] = "Results";
inline constexpr char kSecurityHeading[] = "Security";

// Options declared from here on stand under this heading, up to the next one.
void Heading(const std::string& heading, CLI::App* app);

// $DIOPI_DATA, or diopi-data in the current folder.
std::string DefaultDataFolder();

// Each declares the option in its name under the current heading. The variable must outlive the app.
CLI::Option* AddDataOption(CLI::App* app, std::string* folder);  // sets the default folder at once
CLI::Option* AddServerOption(CLI::App* app, std::string* address);
CLI::Option* AddCasesOption(CLI::App* app, std::string* folder);
CLI::Option* AddImplOption(CLI::App* app, std::string* path);
CLI::Option* AddDeviceLibOption(CLI::App* app, std::string* path);
CLI::Option* AddLibraryOption(CLI::App* app, std::string* path);  // the oracle's
CLI::Option* AddContractOption(CLI::App* app, std::vector<std::string>* contracts);
CLI::Option* AddFnameOption(CLI::App* app, std::vector<std::string>* names);
CLI::Option* AddShuffleOption(CLI::App* app, uint64_t* seed);
CLI::Option* AddOutputOption(CLI::App* app, std::string* path);
CLI::Option* AddWorkerProgramOption(CLI::App* app, std::string* path);  // hidden
// "text, csv or json (default: text)"; the default is the first.
CLI::Option* AddFormatOption(CLI::App* app, const std::vector<std::string>& formats, std::string* format);

// Lets an option take a size in bytes with a unit, such as 2M or 1GiB (of 1024), from `low` to `high`.
void TakesBytes(int64_t low, int64_t high, CLI::Option* option);

}  // namespace diopi

#endif  // CLIENT_COMMAND_LINE_OPTIONS_H_
