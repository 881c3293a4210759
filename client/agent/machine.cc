#include "client/agent/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cases/base/process.h"
#include "cases/base/text.h"

namespace diopi::agent {
namespace {

constexpr std::array kGpuQuery = {
    "--query-gpu=name,driver_version,memory.total,power.limit,clocks.max.sm,clocks.max.memory",
    "--format=csv,noheader,nounits"};
constexpr size_t kGpuColumns = 6;

// What stands after `key` and `separator` in the first line that has both; empty: nowhere.
std::string ValueOf(const std::string& path, absl::string_view key, char separator) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const size_t end = line.find(separator);
    if (end == std::string::npos || absl::StripAsciiWhitespace(line.substr(0, end)) != key) continue;
    return std::string(absl::StripAsciiWhitespace(line.substr(end + 1)));
  }
  return "";
}

std::string SystemName(const std::string& root) {
  std::string name = ValueOf(root + "/etc/os-release", "PRETTY_NAME", '=');
  if (name.empty()) name = ValueOf(root + "/usr/lib/os-release", "PRETTY_NAME", '=');
  absl::string_view text = name;
  if (absl::ConsumePrefix(&text, "\"")) absl::ConsumeSuffix(&text, "\"");
  return std::string(text);
}

int64_t MemoryBytes(const std::string& root) {
  absl::string_view text;
  const std::string value = ValueOf(root + "/proc/meminfo", "MemTotal", ':');
  text = value;
  absl::ConsumeSuffix(&text, "kB");
  int64_t kib = 0;
  return absl::SimpleAtoi(absl::StripAsciiWhitespace(text), &kib) ? kib * 1024 : 0;
}

std::string InPath(const std::string& program) {
  if (absl::StrContains(program, '/')) return program;
  const char* path = std::getenv("PATH");
  for (const absl::string_view folder : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    std::string found = absl::StrCat(folder, "/", program);
    if (!folder.empty() && access(found.c_str(), X_OK) == 0) return found;
  }
  return "";
}

// What the program prints within the limit; empty if it fails. A pipe holds the lines of hundreds of GPUs.
std::string Printed(const std::vector<std::string>& command, std::chrono::milliseconds limit) {
  absl::StatusOr<Pipe> pipe = MakePipe();
  if (!pipe.ok()) return "";
  ProcessOptions options;
  options.command = command;
  options.descriptors = {{pipe->write.get(), STDOUT_FILENO}};
  options.own_group = true;
  absl::StatusOr<Process> process = Process::Start(options);
  if (!process.ok()) return "";
  pipe->write = Descriptor();
  const std::optional<ExitStatus> ended = process->WaitFor(limit);
  if (!ended.has_value() || ended->signal != 0 || ended->code != 0) return "";
  std::string text(size_t{1} << 16, '\0');
  const ssize_t got = read(pipe->read.get(), text.data(), text.size());
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

// "[N/A]" is 0.
template <typename Number>
Number NumberOf(absl::string_view text) {
  double value = 0;
  return absl::SimpleAtod(text, &value) && value > 0 ? static_cast<Number>(value) : 0;
}

}  // namespace

google::protobuf::RepeatedPtrField<v1::Machine::Gpu> ParseGpus(std::string_view csv) {
  google::protobuf::RepeatedPtrField<v1::Machine::Gpu> gpus;
  for (const absl::string_view line : absl::StrSplit(absl::string_view(csv.data(), csv.size()), '\n')) {
    std::vector<std::string> columns = absl::StrSplit(line, ',');
    if (columns.size() != kGpuColumns) continue;
    for (std::string& column : columns) {
      column = std::string(absl::StripAsciiWhitespace(column));
      if (absl::StartsWith(column, "[")) column.clear();
    }
    v1::Machine::Gpu& gpu = *gpus.Add();
    gpu.set_name(PrintableText(columns[0]));
    gpu.set_driver(PrintableText(columns[1]));
    gpu.set_memory_mib(NumberOf<int64_t>(columns[2]));
    gpu.set_power_limit_w(NumberOf<double>(columns[3]));
    gpu.set_clock_mhz(NumberOf<double>(columns[4]));
    gpu.set_memory_clock_mhz(NumberOf<double>(columns[5]));
  }
  return gpus;
}

std::string ProcessorModel(const std::string& root) {
  return PrintableText(ValueOf(root + "/proc/cpuinfo", "model name", ':'));
}

int Processors() {
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

v1::Machine DescribeMachine(const MachineSources& sources) {
  v1::Machine machine;
  machine.set_system(PrintableText(SystemName(sources.root)));
  utsname name{};
  if (uname(&name) == 0) machine.set_kernel(absl::StrCat(name.sysname, " ", name.release, " ", name.machine));
  machine.set_processor(ProcessorModel(sources.root));
  machine.set_processors(Processors());
  machine.set_memory_bytes(MemoryBytes(sources.root));
  const std::string query = InPath(sources.nvidia_smi);
  if (!query.empty())
    *machine.mutable_gpus() = ParseGpus(Printed({query, kGpuQuery[0], kGpuQuery[1]}, sources.limit));
  return machine;
}

std::shared_future<v1::Machine> ThisMachine() {
  static const std::shared_future<v1::Machine> kMachine =
      std::async(std::launch::async, [] { return DescribeMachine(); }).share();
  return kMachine;
}

}  // namespace diopi::agent
