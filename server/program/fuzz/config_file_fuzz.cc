// Files of --config, read by a program with options of each kind. Every error is a CLI11 error that begins
// with the file's name and has at most a few hundred bytes, however long the file's lines are.
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "server/program/config_file.h"

namespace {

constexpr size_t kLongestMessage = 600;

// The error's text; empty: the file was taken.
std::string Parse(const std::string& path) {
  CLI::App app("Serves.", "server");
  std::string text, word = "json";
  double seconds = 1;
  int count = 1;
  bool flag = false;
  std::vector<std::string> list;
  app.add_option("--data", text);
  app.add_option("--log-format", word)->check(CLI::IsMember({"json", "logfmt"}));
  app.add_option("--lease-s", seconds)->check(CLI::Range(0.01, 86400.0));
  app.add_option("--count", count)->check(CLI::Range(1, 1 << 16));
  app.add_flag("--require-token", flag);
  app.add_option("--http-host", list);
  app.add_option("--ready-fd", count)->configurable(false);
  diopi::server::AddConfigFile(&app);
  try {
    app.parse(std::vector<std::string>{path, "--config"});  // the last one first
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int fd = memfd_create("config", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const std::string error = Parse(path);
  close(fd);
  if (error.empty() || (error.rfind(path + ":", 0) == 0 && error.size() < kLongestMessage)) return 0;
  std::fprintf(stderr, "config_file_fuzz: %s\n", error.c_str());
  std::abort();
}
