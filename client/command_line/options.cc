#include "client/command_line/options.h"

#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace diopi {

void Heading(const std::string& heading, CLI::App* app) {
  app->option_defaults()->group(heading);
}

std::string DefaultDataFolder() {
  const char* folder = std::getenv("DIOPI_DATA");
  return folder != nullptr && *folder != '\0' ? folder : "diopi-data";
}

CLI::Option* AddDataOption(CLI::App* app, std::string* folder) {
  *folder = DefaultDataFolder();
  return app->add_option("--data", *folder,
                         "Data folder (default: $DIOPI_DATA, or diopi-data in the current folder)");
}

CLI::Option* AddServerOption(CLI::App* app, std::string* address) {
  return app->add_option("--server", *address, "Server to use: HOST:PORT or unix:PATH");
}

CLI::Option* AddCasesOption(CLI::App* app, std::string* folder) {
  return app->add_option(
      "--cases", *folder,
      "Folder with your own operator files (*.textproto), used in addition to the built-in ones");
}

CLI::Option* AddImplOption(CLI::App* app, std::string* path) {
  return app->add_option("--impl", *path, "The vendor's library, libdiopi_impl.so");
}

CLI::Option* AddDeviceLibOption(CLI::App* app, std::string* path) {
  return app->add_option("--device-lib", *path,
                         "Library with the device functions, if the tested library has none");
}

CLI::Option* AddLibraryOption(CLI::App* app, std::string* path) {
  return app->add_option("--library", *path,
                         "Library of the oracle (default: libdiopi_cpu.so in ../lib beside this program)");
}

CLI::Option* AddContractOption(CLI::App* app, std::vector<std::string>* contracts) {
  return app
      ->add_option("--contract", *contracts,
                   "Contracts of the device: tf32, tc32, fastconv, p_cast, native16; "
                   "native16@norm+conv*:bfloat16 limits one to operators and dtypes (default: none)")
      ->delimiter(',');
}

CLI::Option* AddFnameOption(CLI::App* app, std::vector<std::string>* names) {
  return app
      ->add_option("--fname", *names,
                   "Operators or functions, names or globs: add diopiAdd 'conv*' (default: all_ops)")
      ->delimiter(',')
      ->each([](const std::string& name) {
        if (name == "all") std::cerr << "--fname all takes every operator; diopiAll is one function\n";
      });
}

CLI::Option* AddShuffleOption(CLI::App* app, uint64_t* seed) {
  return app->add_option("--shuffle", *seed, "Run the cases in a random order determined by this seed");
}

CLI::Option* AddOutputOption(CLI::App* app, std::string* path) {
  return app->add_option("--output", *path, "File (default: standard output)");
}

CLI::Option* AddWorkerProgramOption(CLI::App* app, std::string* path) {
  return app->add_option("--worker-program", *path, "diopi-worker")->group("");
}

CLI::Option* AddFormatOption(CLI::App* app, const std::vector<std::string>& formats, std::string* format) {
  *format = formats.front();
  return app->add_option("--format", *format, absl::StrCat("Output format (default: ", *format, ")"))
      ->check(CLI::IsMember(formats));
}

void TakesBytes(int64_t low, int64_t high, CLI::Option* option) {
  option->transform(CLI::Validator(
      [low, high](std::string& text) {
        const std::string error = CLI::AsSizeValue(false)(text);
        return error.empty() ? CLI::Range(low, high)(text) : error;
      },
      "SIZE"));
}

}  // namespace diopi
