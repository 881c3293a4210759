// A child is a supervisor and a worker that it forks anew after each crash, so that the parent, which may
// have threads and much memory by then, forks only at the start. Messages are kept whole by the socket, and
// kTaken tells whether the dead worker had begun the request, which then failed with it, or had nothing to
// do.
#include "cases/base/process_pool.h"

#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cases/base/process.h"
#include "cases/base/status_macros.h"

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

// A message is its kind and at most this many bytes.
constexpr size_t kLargestPart = 60'000;
enum Kind : char {
  kBegin = 'b',  // a request follows
  kTaken = 't',  // the child has begun to read it
  kPart = 'p',   // more of the same follows
  kLast = 'l',   // the end of a request or an answer
  kNote = 'n',
  kDied = 'd',  // how the child has ended
};

// A channel keeps messages whole (SOCK_SEQPACKET), so that one that was cut by a death is never mistaken for
// another.
bool SendMessage(int channel, Kind kind, absl::string_view bytes) {
  char type = kind;
  iovec parts[2] = {{&type, 1}, {const_cast<char*>(bytes.data()), bytes.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  ssize_t sent = 0;
  do {
    sent = sendmsg(channel, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

bool SendWhole(int channel, absl::string_view text) {
  for (; text.size() > kLargestPart; text.remove_prefix(kLargestPart)) {
    if (!SendMessage(channel, kPart, text.substr(0, kLargestPart))) return false;
  }
  return SendMessage(channel, kLast, text);
}

// Appends a message's bytes. Its kind; 0: the other end is closed.
char ReceiveMessage(int channel, std::string* text) {
  std::array<char, kLargestPart + 1> bytes;
  ssize_t count = 0;
  do {
    count = recv(channel, bytes.data(), bytes.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return 0;
  text->append(bytes.data() + 1, static_cast<size_t>(count - 1));
  return bytes[0];
}

// Ends with its parent, which alone decides what Ctrl-C means.
void BecomeChildOf(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  signal(SIGINT, SIG_IGN);
}

// Answers until the channel is closed.
[[noreturn]] void Answer(int channel, const ProcessPool::Work& work) {
  const ProcessPool::Note note = [channel](const std::string& text) { SendMessage(channel, kNote, text); };
  while (true) {
    std::string request;
    char kind = 0;
    do {
      request.clear();
      kind = ReceiveMessage(channel, &request);
    } while (kind == kPart || kind == kLast);  // the rest of what a child that died was reading
    if (kind != kBegin) _exit(0);
    SendMessage(channel, kTaken, "");
    while ((kind = ReceiveMessage(channel, &request)) == kPart) {
    }
    // What the parent has buffered, and its destructors, are its own.
    if (kind != kLast || !SendWhole(channel, Encode(work(*Decode(request), note)))) _exit(0);
  }
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

// A child is two processes: this one does nothing but fork the one that works, anew when it has died.
[[noreturn]] void Supervise(int channel, const ProcessPool::Work& work) {
  while (true) {
    const pid_t self = getpid();
    const pid_t pid = fork();
    if (pid < 0) _exit(1);
    if (pid == 0) {
      BecomeChildOf(self);
      Answer(channel, work);
    }
    const ExitStatus ended = Reap(pid);
    if (ended.code == 0 && ended.signal == 0) _exit(0);
    SendMessage(channel, kDied, ended.Text());
  }
}

}  // namespace

int ProcessesFor(size_t bytes_each) {
  cpu_set_t processors;
  const int64_t allowed =
      sched_getaffinity(0, sizeof(processors), &processors) == 0 ? CPU_COUNT(&processors) : 1;
  const int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return static_cast<int>(std::max<int64_t>(1, std::min(allowed, bytes / static_cast<int64_t>(bytes_each))));
}

absl::StatusOr<std::unique_ptr<ProcessPool>> ProcessPool::Start(int children, const Work& work) {
  std::unique_ptr<ProcessPool> pool(new ProcessPool);
  for (int i = 0; i < children; ++i) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      return absl::ErrnoToStatus(errno, "socketpair");
    Descriptor ours(ends[0]);
    Descriptor its(ends[1]);
    const pid_t self = getpid();
    const pid_t pid = fork();
    if (pid < 0) return absl::ErrnoToStatus(errno, "fork");
    if (pid == 0) {
      BecomeChildOf(self);
      // Or a child would keep the others' channels open.
      ours.Close();
      for (Child& other : pool->children_) other.channel.Close();
      Supervise(its.get(), work);
    }
    pool->children_.push_back(Child{pid, std::move(ours), "", false, nullptr, nullptr});
  }
  return pool;
}

ProcessPool::~ProcessPool() {
  for (Child& child : children_) {
    if (child.done != nullptr) kill(child.pid, SIGKILL);
    child.channel.Close();
  }
  for (const Child& child : children_) Reap(child.pid);
}

ProcessPool::Child* ProcessPool::Free() {
  const auto free = std::find_if(children_.begin(), children_.end(),
                                 [](const Child& child) { return child.done == nullptr; });
  return free == children_.end() ? nullptr : &*free;
}

absl::Status ProcessPool::WaitForRoom() {
  absl::Status status;
  while (Free() == nullptr) status.Update(WaitForOne());
  return status;
}

absl::Status ProcessPool::Run(const Fields& request, Done done, Note on_note) {
  RETURN_IF_ERROR(WaitForRoom());
  Child* const child = Free();
  child->taken = false;
  child->done = std::move(done);
  child->on_note = std::move(on_note);
  // When it cannot be sent, the channel's end is found where its answer is awaited.
  SendMessage(child->channel.get(), kBegin, "");
  SendWhole(child->channel.get(), Encode(request));
  return absl::OkStatus();
}

absl::Status ProcessPool::Wait() {
  absl::Status status;
  while (std::any_of(children_.begin(), children_.end(),
                     [](const Child& child) { return child.done != nullptr; })) {
    status.Update(WaitForOne());
  }
  return status;
}

absl::Status ProcessPool::WaitForOne() {
  while (true) {
    std::vector<pollfd> waited;
    waited.reserve(children_.size());
    for (const Child& child : children_)
      waited.push_back({child.done == nullptr ? -1 : child.channel.get(), POLLIN, 0});
    if (poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR)
      return absl::ErrnoToStatus(errno, "poll");
    for (size_t i = 0; i < waited.size(); ++i) {
      absl::Status status;
      if (waited[i].revents != 0 && Take(&children_[i], &status)) return status;
    }
  }
}

bool ProcessPool::Take(Child* child, absl::Status* status) {
  std::string bytes;
  const char kind = ReceiveMessage(child->channel.get(), &bytes);
  if (kind == kNote) {
    if (child->on_note != nullptr) child->on_note(bytes);
    return false;
  }
  if (kind == kTaken) child->taken = true;
  if (kind == kPart || kind == kLast) child->received += bytes;
  // That it died when it had nothing to do concerns nobody.
  if (kind == kTaken || kind == kPart || (kind == kDied && !child->taken)) return false;
  const Done done = std::exchange(child->done, nullptr);
  const std::string received = std::exchange(child->received, "");
  *status = kind == kLast ? done(Decode(received))
                          : done(absl::InternalError(absl::StrCat("its process ended with ",
                                                                  kind == kDied ? bytes : "no word of how")));
  return true;
}

}  // namespace diopi
