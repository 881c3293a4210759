#include "cases/import/python.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"
#include "cases/base/file_error.h"
#include "cases/base/process.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "cases/base/write_file.h"

namespace diopi::cases {
namespace {

// Debian's own comes first: other installations may lack python3-yaml.
constexpr char kPython[] = "/usr/bin/python3";
constexpr int kNotFound = 127;  // of /usr/bin/env
// Exit statuses of harness.py.
constexpr int kBadInput = 2;
constexpr int kEnvironment = 4;
// More than harness.py's time of a processor, for a machine that is busy.
constexpr std::chrono::minutes kLimit{10};
constexpr size_t kMostMessageBytes = 2000;
constexpr size_t kMostPrintedBytes = size_t{256} << 20;  // as much as harness.py lets a file have

std::string Excerpt(std::string text) {
  if (text.size() > kMostMessageBytes) {
    text.resize(kMostMessageBytes);
    text += "...";
  }
  return text;
}

absl::Status StatusOf(const std::optional<ExitStatus>& ended, const std::string& said) {
  if (!ended.has_value() || ended->signal == SIGXCPU)
    return absl::InvalidArgumentError(
        absl::StrCat(said, said.empty() ? "" : "\n", "importing takes too long"));
  if (ended->signal == SIGSEGV)
    return absl::InvalidArgumentError("python3 ended with signal 11: the file is nested too deep");
  if (ended->signal == SIGKILL || ended->signal == SIGTERM)
    return absl::UnavailableError(absl::StrCat("python3 ended with ", ended->Text()));
  if (ended->code == 0 && ended->signal == 0) return absl::OkStatus();
  if (ended->code == kBadInput) return absl::InvalidArgumentError(said);
  if (ended->code == kEnvironment) return absl::FailedPreconditionError(said);
  if (ended->code == kNotFound)
    return absl::FailedPreconditionError("python3 is not on PATH; install the Debian package python3");
  return absl::InternalError(absl::StrCat("the importer ended with ", ended->Text(), ": ", said));
}

}  // namespace

absl::Status CopyForImport(const std::string& path, const std::string& to) {
  const absl::StatusOr<std::string> text = ReadFile(path, kMostImportedBytes);
  return text.ok() ? ReplaceFile(to, *text) : text.status();
}

absl::StatusOr<std::string> RunPython(const std::string& script, const std::vector<std::string>& arguments,
                                      const TemporaryFolder& folder) {
  ProcessOptions options;
  options.command = {kPython};
  if (access(kPython, X_OK) != 0) options.command = {"/usr/bin/env", "python3"};
  options.command.insert(options.command.end(), {"-I", "-c", script});
  options.command.insert(options.command.end(), arguments.begin(), arguments.end());
  const std::string out_path = folder / "out", err_path = folder / "err";
  const Descriptor out(open(out_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const Descriptor err(open(err_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (out.get() < 0 || err.get() < 0) return WriteError(folder.path(), errno);
  options.descriptors = {{out.get(), STDOUT_FILENO}, {err.get(), STDERR_FILENO}};
  absl::StatusOr<Process> process = Process::Start(options);
  if (!process.ok()) return absl::FailedPreconditionError(process.status().message());
  const std::optional<ExitStatus> ended = process->WaitFor(kLimit);
  const std::string said = ReadFile(err_path).value_or("");
  RETURN_IF_ERROR(StatusOf(ended, Excerpt(std::string(absl::StripAsciiWhitespace(said)))));
  return ReadFile(out_path, kMostPrintedBytes);
}

}  // namespace diopi::cases
