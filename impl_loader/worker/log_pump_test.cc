#include "impl_loader/worker/log_pump.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "cases/base/text_testing.h"

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
  LogPump pump(sink.get(), 20);
  Descriptor end = pump.Open();
  Put(end, "hello\nwor");
  pump.Drain();
  EXPECT_EQ(Content(sink.get()), "hello\n");
  EXPECT_EQ(pump.tail(), "hello\nwor");
  pump.StartCase();
  Put(end, "ld\n" + std::string(5000, 'x') + "end");
  end.Close();
  pump.Drain();
  EXPECT_EQ(
      Content(sink.get()),
      "hello\nworld\n[diopi: the library has printed more than the log's limit; the rest is dropped]\n");
  EXPECT_EQ(pump.tail().size(), 2048u);
  EXPECT_EQ(pump.tail().substr(2040), "xxxxxend");
  EXPECT_EQ(pump.descriptor(), -1);  // its writers are gone
}

struct Printed {
  std::vector<std::string> pieces;
  std::string passed;
};

// However a library prints, the log has whole lines that name it as their author, and nothing else.
TEST(LogPump, PassesOnWholePrintableLines) {
  const std::string long_line(4096, 'x');
  const Printed rows[] = {
      {{}, ""},
      {{"a\nb\n"}, "library: a\nlibrary: b\n"},
      {{"a", "b\nc"}, "library: ab\nlibrary: c\n"},
      {{"\n\n"}, "library: \nlibrary: \n"},
      {{"10 %\r20 %\r", "\nend\r\n"}, "library: 10 %\nlibrary: 20 %\nlibrary: end\n"},
      {{"\x1b[2J\x9b\tb\n"}, "library: ?[2J?\tb\n"},
      {{"\xe4\xbd", "\xa0 \xe2", "\x80\xae|\xe2\n", "\xe2\x82"}, "library: 你 ?|?\nlibrary: ??\n"},
      {{long_line + "y"}, "library: " + long_line + "\nlibrary: y\n"},
  };
  for (const Printed& row : rows) {
    const Descriptor sink(memfd_create("sink", 0));
    LogPump pump(sink.get(), 1 << 20, "library: ");
    Descriptor end = pump.Open();
    for (const std::string& piece : row.pieces) {
      Put(end, piece);
      pump.Drain();
    }
    end.Close();
    pump.Close();
    EXPECT_EQ(Content(sink.get()), row.passed);
  }
}

TEST(LogPump, LeavesNothingHostile) {
  const Descriptor sink(memfd_create("sink", 0));
  LogPump pump(sink.get(), 1 << 20, "library: ");
  Descriptor end = pump.Open();
  Put(end, HostileText() + "\n");
  end.Close();
  pump.Drain();
  EXPECT_EQ(FirstForbidden(Content(sink.get())), "");
  EXPECT_FALSE(HasForgedLine(Content(sink.get()))) << Content(sink.get());
  EXPECT_NE(Content(sink.get()).find(kLegitimateText), std::string::npos);
}

}  // namespace
}  // namespace diopi::loader
