#include "server/program/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "cases/base/temporary_folder.h"

namespace diopi::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Options {
  std::string error;  // of the command line; empty: none
  int exit_code = 0;
  std::string data;
  double lease_s = 1;
  bool require_token = false;
  std::vector<std::string> hosts;
};

Options Parse(const std::string& path, std::vector<std::string> more = {}) {
  Options options;
  CLI::App app("Serves.", "server");
  app.add_option("--data", options.data)->envname("DIOPI_CONFIG_TEST");
  app.add_option("--lease-s", options.lease_s)->check(CLI::Range(0.01, 86400.0));
  app.add_flag("--require-token", options.require_token);
  app.add_option("--http-host", options.hosts);
  app.add_option("--ready-fd", options.lease_s)->configurable(false);
  AddConfigFile(&app);
  more.insert(more.end(), {path, "--config"});  // the last one first
  try {
    app.parse(more);
  } catch (const CLI::ParseError& error) {
    options.error = error.what();
    options.exit_code = error.get_exit_code();
  }
  return options;
}

class ConfigFileTest : public testing::Test {
 protected:
  std::string Write(const std::string& text) const {
    std::ofstream(folder_ / "server.toml", std::ios::binary) << text;
    return folder_ / "server.toml";
  }
  TemporaryFolder folder_ = *TemporaryFolder::Make();
};

TEST_F(ConfigFileTest, SetsWhatTheCommandLineDoesNot) {
  setenv("DIOPI_CONFIG_TEST", "environment", 1);
  const std::string path =
      Write("data = \"a#b\"\nlease-s = 2.5\nrequire-token = true\nhttp-host = [\"one\",\n  \"two\"]\n");
  const Options file = Parse(path);
  EXPECT_EQ(file.error, "");
  EXPECT_EQ(file.data, "a#b");
  EXPECT_EQ(file.lease_s, 2.5);
  EXPECT_TRUE(file.require_token);
  EXPECT_EQ(file.hosts, (std::vector<std::string>{"one", "two"}));
  const Options both = Parse(path, {"3", "--lease-s"});
  EXPECT_EQ(both.lease_s, 3);
  EXPECT_EQ(both.data, "a#b");
  EXPECT_FALSE(Parse(Write("require-token = false\n")).require_token);
  EXPECT_EQ(Parse(Write("")).data, "environment");
  unsetenv("DIOPI_CONFIG_TEST");
}

TEST_F(ConfigFileTest, ErrorsNameFileAndLineAndAreShort) {
  const std::string megabyte(1'000'000, '9');
  const struct {
    std::string text;
    std::string error;  // after "FILE:"
  } rows[] = {
      {"\nlisen = 3\n", "2: 'lisen' is not an option; nearest: "},
      {megabyte + " = 3\n", "1: '" + std::string(60, '9') + "...' is not an option"},
      {"lease-s = 1\nlease-s = 2\n", "2: 'lease-s' is set twice"},
      {"ready-fd = 1\n", "1: 'ready-fd' cannot be set in a file"},
      {"config = 'x'\n", "1: 'config' cannot be set in a file"},
      {"data='x'\nlease-s = -1\n", "2: 'lease-s' cannot be '-1': not in range 0.01"},
      {"lease-s = much\n", "1: 'lease-s' cannot be 'much'"},
      {"lease-s = [1, 2]\n", "1: 'lease-s' cannot be 2 values"},
      {"lease-s = " + megabyte + "\n", "1: 'lease-s' cannot be '" + std::string(60, '9') + "...'"},
      {"require-token = maybe\n", "1: 'require-token' is 'maybe'; expected true or false"},
      {"require-token = [true]\nx", "2: expected OPTION = VALUE, but it is 'x'"},
      {"[http]\n", "1: 'http' is a section"},
  };
  for (const auto& row : rows) {
    const std::string path = Write(row.text);
    const Options options = Parse(path);
    EXPECT_THAT(options.error, StartsWith(path + ":" + row.error));
    EXPECT_LT(options.error.size(), path.size() + 300) << row.error;
  }
}

TEST_F(ConfigFileTest, FilesThatCannotBeRead) {
  ASSERT_EQ(symlink("loop", (folder_ / "loop").c_str()), 0);
  std::ofstream(folder_ / "large") << std::string((1 << 20) + 1, '\n');
  const struct {
    std::string path;
    const char* error;
  } rows[] = {
      {folder_ / "none", "cannot be read: No such file"},
      {folder_.path(), "is a folder, expected a file"},
      {folder_ / "loop", "cannot be read: Too many levels of symbolic links"},
      {folder_ / "large", "has more than 1048576 bytes"},
      {"/dev/zero", "has more than 1048576 bytes"},
  };
  for (const auto& row : rows) {
    const Options options = Parse(row.path);
    EXPECT_THAT(options.error, HasSubstr(row.path + ": " + row.error));
  }
}

TEST_F(ConfigFileTest, APipeIsReadOnce) {
  const std::string path = folder_ / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << "lease-s = 7\n"; });
  EXPECT_EQ(Parse(path).lease_s, 7);
  writer.join();
}

}  // namespace
}  // namespace diopi::server
