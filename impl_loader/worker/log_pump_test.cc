#include "impl_loader/worker/log_pump.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace diopi::loader {
namespace {

std::string Content(int fd) {
  std::string text(static_cast<size_t>(lseek(fd, 0, SEEK_END)), '\0');
  EXPECT_EQ(pread(fd, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return text;
}

void Put(const Descriptor& end, const std::string& text) {
  ASSERT_EQ(write(end.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

TEST(LogPump, PassesOnUpToTheLimitAndKeepsTheTail) {
  const Descriptor sink(memfd_create("sink", 0));
  LogPump pump(sink.get(), 10);
  Descriptor end = pump.Open();
  Put(end, "hello ");
  pump.Drain();
  EXPECT_EQ(Content(sink.get()), "hello ");
  EXPECT_EQ(pump.tail(), "hello ");
  pump.StartCase();
  Put(end, "world" + std::string(5000, 'x') + "end");
  end.Close();
  pump.Drain();
  EXPECT_EQ(Content(sink.get()).substr(0, 18), "hello worl\n[diopi:");
  EXPECT_EQ(pump.tail().size(), 2048u);
  EXPECT_EQ(pump.tail().substr(2040), "xxxxxend");
  EXPECT_EQ(pump.descriptor(), -1);  // its writers are gone
}

}  // namespace
}  // namespace diopi::loader
