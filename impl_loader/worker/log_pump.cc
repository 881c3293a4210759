#include "impl_loader/worker/log_pump.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "cases/base/descriptor.h"

namespace diopi::loader {
namespace {

constexpr size_t kTailBytes = 2048;
constexpr size_t kLineBytes = 4096;
constexpr std::string_view kCut =
    "[diopi: the library has printed more than the log's limit; the rest is dropped]\n";

}  // namespace

Descriptor LogPump::Open() {
  Finish();
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return Descriptor();
  pipe_ = Descriptor(ends[0]);
  fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);  // this end only: the child's end blocks
  return Descriptor(ends[1]);
}

void LogPump::Close() {
  Drain();
  pipe_.Close();
  Finish();
}

void LogPump::Drain() {
  std::array<char, 16384> buffer;
  while (pipe_.valid()) {
    const ssize_t n = read(pipe_.get(), buffer.data(), buffer.size());
    if (n > 0) {
      Pass({buffer.data(), static_cast<size_t>(n)});
    } else if (n == 0) {
      pipe_.Close();
      Finish();
    } else if (errno != EINTR) {
      return;
    }
  }
}

void LogPump::Pass(std::string_view data) {
  tail_.append(data);
  if (tail_.size() > kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
  if (left_ <= 0) return;
  std::string text;
  for (const char c : data) {
    if (c != '\n' || !after_return_) text.push_back(c == '\r' ? '\n' : c);
    after_return_ = c == '\r';
  }
  std::string lines;
  for (const char c : pieces_.Add(text)) {
    if (c != '\n') line_.push_back(c);
    if (c == '\n' || (line_.size() >= kLineBytes && (static_cast<unsigned char>(c) & 0x80u) == 0)) {
      EndLine(&lines);
    }
  }
  Write(lines);
}

void LogPump::EndLine(std::string* lines) {
  lines->append(prefix_).append(line_).push_back('\n');
  line_.clear();
}

void LogPump::Finish() {
  line_.append(pieces_.Finish());
  std::string lines;
  if (!line_.empty()) EndLine(&lines);
  Write(lines);
}

void LogPump::Write(std::string_view lines) {
  if (left_ <= 0 || lines.empty()) return;
  const size_t end = lines.size() <= static_cast<size_t>(left_)
                         ? lines.size()
                         : lines.rfind('\n', static_cast<size_t>(left_) - 1) + 1;  // npos + 1 is 0
  WriteAll(sink_, lines.substr(0, end));
  left_ -= static_cast<int64_t>(lines.size());
  if (left_ <= 0) WriteAll(sink_, kCut);
}

}  // namespace diopi::loader
