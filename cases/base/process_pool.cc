#include "cases/base/process_pool.h"

#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cases/base/process.h"

namespace diopi {
namespace {

void Append(uint64_t number, std::string* text) {
  text->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void Append(absl::string_view field, std::string* text) {
  Append(uint64_t{field.size()}, text);
  text->append(field.data(), field.size());
}

// The status's code; then its message, or the fields. Both ends are the same program.
std::string Encode(const absl::StatusOr<ProcessPool::Fields>& result) {
  std::string text;
  Append(static_cast<uint64_t>(result.status().code()), &text);
  if (!result.ok()) Append(result.status().message(), &text);
  if (result.ok()) {
    for (const std::string& field : *result) Append(field, &text);
  }
  return text;
}

uint64_t TakeNumber(absl::string_view* text) {
  uint64_t number = 0;
  std::memcpy(&number, text->data(), sizeof(number));
  text->remove_prefix(sizeof(number));
  return number;
}

absl::StatusOr<ProcessPool::Fields> Decode(absl::string_view text) {
  const auto code = static_cast<absl::StatusCode>(TakeNumber(&text));
  ProcessPool::Fields fields;
  while (!text.empty()) {
    const uint64_t size = TakeNumber(&text);
    fields.emplace_back(text.data(), size);
    text.remove_prefix(size);
  }
  if (code != absl::StatusCode::kOk) return absl::Status(code, fields.empty() ? "" : fields[0]);
  return fields;
}

// Ends the process when it cannot.
void WriteAll(int descriptor, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = write(descriptor, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) _exit(1);
    if (written > 0) at += static_cast<size_t>(written);
  }
}

[[noreturn]] void BeChild(pid_t parent, const ProcessPool::Work& work, int result) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  WriteAll(result, Encode(work()));
  _exit(0);  // what the parent has buffered, and its destructors, are its own
}

ExitStatus Reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  ExitStatus ended;
  if (WIFSIGNALED(status)) {
    ended.signal = WTERMSIG(status);
  } else {
    ended.code = WEXITSTATUS(status);
  }
  return ended;
}

}  // namespace

int ProcessesFor(size_t bytes_each) {
  cpu_set_t processors;
  const int64_t allowed =
      sched_getaffinity(0, sizeof(processors), &processors) == 0 ? CPU_COUNT(&processors) : 1;
  const int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return static_cast<int>(std::max<int64_t>(1, std::min(allowed, bytes / static_cast<int64_t>(bytes_each))));
}

ProcessPool::~ProcessPool() {
  for (const Child& child : children_) {
    kill(child.pid, SIGKILL);
    Reap(child.pid);
  }
}

absl::Status ProcessPool::WaitForRoom() {
  absl::Status status;
  while (children_.size() >= static_cast<size_t>(limit_)) status.Update(WaitForOne());
  return status;
}

absl::Status ProcessPool::Run(const Work& work, Done done) {
  absl::Status earlier = WaitForRoom();
  if (!earlier.ok()) return earlier;
  absl::StatusOr<Pipe> pipe = MakePipe();
  if (!pipe.ok()) return pipe.status();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, "fork");
  if (pid == 0) BeChild(parent, work, pipe->write.get());
  children_.push_back(Child{pid, std::move(pipe->read), "", std::move(done)});
  return absl::OkStatus();
}

absl::Status ProcessPool::Wait() {
  absl::Status status;
  while (!children_.empty()) status.Update(WaitForOne());
  return status;
}

absl::Status ProcessPool::WaitForOne() {
  while (true) {
    std::vector<pollfd> waited;
    waited.reserve(children_.size());
    for (const Child& child : children_) waited.push_back({child.result.get(), POLLIN, 0});
    if (poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR)
      return absl::ErrnoToStatus(errno, "poll");
    for (size_t i = 0; i < waited.size(); ++i) {
      if (waited[i].revents == 0) continue;
      char bytes[65536];
      const ssize_t count = read(waited[i].fd, bytes, sizeof(bytes));
      if (count > 0) children_[i].received.append(bytes, static_cast<size_t>(count));
      if (count > 0 || (count < 0 && errno == EINTR)) continue;
      Child child = std::move(children_[i]);
      children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
      const ExitStatus ended = Reap(child.pid);
      if (ended.code != 0 || ended.signal != 0) {
        return child.done(absl::InternalError(absl::StrCat("its process ended with ", ended.Text())));
      }
      return child.done(Decode(child.received));
    }
  }
}

}  // namespace diopi
