#include "impl_loader/worker/log_pump.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "cases/base/descriptor.h"

namespace diopi::loader {
namespace {

constexpr size_t kTailBytes = 2048;
constexpr std::string_view kCut =
    "\n[diopi: the library has printed more than the log's limit; the rest is dropped]\n";

}  // namespace

Descriptor LogPump::Open() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return Descriptor();
  pipe_ = Descriptor(ends[0]);
  fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);  // this end only: the child's end blocks
  return Descriptor(ends[1]);
}

void LogPump::Close() {
  Drain();
  pipe_.Close();
}

void LogPump::Drain() {
  std::array<char, 16384> buffer;
  while (pipe_.valid()) {
    const ssize_t n = read(pipe_.get(), buffer.data(), buffer.size());
    if (n > 0) {
      Pass(buffer.data(), static_cast<size_t>(n));
    } else if (n == 0) {
      pipe_.Close();
    } else if (errno != EINTR) {
      return;
    }
  }
}

void LogPump::Pass(const char* data, size_t bytes) {
  tail_.append(data, bytes);
  if (tail_.size() > kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
  if (left_ <= 0) return;
  const auto passed = static_cast<size_t>(std::min<int64_t>(left_, static_cast<int64_t>(bytes)));
  WriteAll(sink_, {data, passed});
  left_ -= static_cast<int64_t>(passed);
  if (left_ <= 0) WriteAll(sink_, kCut);
}

}  // namespace diopi::loader
