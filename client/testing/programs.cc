#include "client/testing/programs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "build_paths.h"

namespace diopi::testing {
namespace {

// Appends the available bytes; false at the end.
bool ReadSome(int fd, std::string* text) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    text->append(buffer.data(), static_cast<size_t>(got));
    return true;
  }
}

constexpr size_t kCommBytes = 15;  // of a program's name, in /proc/PID/comm

std::vector<std::vector<std::string>> ParseCsv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      row.back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      row.emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back(std::exchange(row, std::vector<std::string>(1)));
    } else if (quoted || c != '\r') {
      row.back() += c;
    }
  }
  return rows;
}

}  // namespace

std::string BuildPath(const std::string& name) {
  return DIOPI_BINARY_DIR "/" + name;
}
std::string BinPath(const std::string& name) {
  return BuildPath("bin/" + name);
}
std::string LibPath(const std::string& name) {
  return BuildPath("lib/" + name);
}
std::string VendorPath(const std::string& name) {
  return BuildPath("lib/vendors/" + name) + ".so";
}

Running::Running(std::vector<std::string> command, std::vector<std::string> environment)
    : out_(MakePipe().value()), err_(MakePipe().value()) {
  ProcessOptions options;
  options.command = std::move(command);
  options.environment = std::move(environment);
  options.descriptors = {{out_.write.get(), STDOUT_FILENO}, {err_.write.get(), STDERR_FILENO}};
  process_ = std::make_unique<Process>(Process::Start(options).value());
  out_.write.Close();
  err_.write.Close();
  err_reader_ = std::thread([this] {
    while (ReadSome(err_.read.get(), &err_text_)) {
    }
  });
}

Running::~Running() {
  process_.reset();
  if (err_reader_.joinable()) err_reader_.join();
}

bool Running::ReadMore() {
  return ReadSome(out_.read.get(), &out_text_);
}

std::string Running::WaitForLine(const std::string& text) {
  for (;;) {
    for (size_t end = 0; (end = out_text_.find('\n', looked_at_)) != std::string::npos;) {
      std::string line = out_text_.substr(looked_at_, end - looked_at_);
      looked_at_ = end + 1;
      if (line.find(text) != std::string::npos) return line;
    }
    if (!ReadMore()) return "";
  }
}

Finished Running::Finish() {
  while (ReadMore()) {
  }
  const ExitStatus status = process_->Wait();
  if (err_reader_.joinable()) err_reader_.join();
  return {status.signal != 0 ? 128 + status.signal : status.code, out_text_, err_text_};
}

Finished RunProgram(std::vector<std::string> command, std::vector<std::string> environment) {
  Running running(std::move(command), std::move(environment));
  return running.Finish();
}

std::vector<pid_t> ChildrenOf(pid_t pid, const std::string& name) {
  std::vector<pid_t> children;
  std::error_code ignored;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, ignored)) {
    std::ifstream list(task.path() / "children");
    for (pid_t child = 0; list >> child;) {
      // Without permission to read its memory, the kernel does not reveal its program file either.
      std::string program;
      std::getline(std::ifstream("/proc/" + std::to_string(child) + "/comm"), program);
      if (program == name.substr(0, kCommBytes)) children.push_back(child);
    }
  }
  return children;
}

bool IsAlive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const size_t name_end = text.rfind(") ");  // "123 (name) S ..."
  if (name_end == std::string::npos) return false;
  const char state = text[name_end + 2];
  return state != 'Z' && state != 'X';
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void WriteFile(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  EXPECT_TRUE(out) << path;
}

std::vector<std::map<std::string, std::string>> ReportRows(const std::string& data_folder,
                                                           const std::string& run) {
  const Finished report =
      RunProgram({BinPath("diopi-cli"), "report", "--data", data_folder, "--run", run, "--format", "csv"});
  EXPECT_EQ(report.code, 0) << report.err;
  const std::vector<std::vector<std::string>> table = ParseCsv(report.out);
  std::vector<std::map<std::string, std::string>> rows;
  for (size_t i = 1; i < table.size(); ++i) {
    std::map<std::string, std::string>& row = rows.emplace_back();
    for (size_t k = 0; k < table[i].size() && k < table[0].size(); ++k) row[table[0][k]] = table[i][k];
  }
  return rows;
}

}  // namespace diopi::testing
