#include "cases/base/printable_stream.h"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>
#include <string>

#include "cases/base/text_testing.h"

namespace diopi {
namespace {

TEST(PrintableStream, PassesOnWhatIsPrintable) {
  std::ostringstream sink;
  {
    PrintableBuffer buffer(sink.rdbuf());
    std::ostream out(&buffer);
    out << "a\x1b[2J" << 'b' << '\x9b' << 1.5 << "\xE4\xBD"
        << "\xA0\n"
        << std::flush;
    EXPECT_EQ(sink.str(), "a?[2Jb?1.5你\n");
    WriteControl("\r\033[K", &out);
    out << "\xE4";  // never completed
  }
  EXPECT_EQ(sink.str(), "a?[2Jb?1.5你\n\r\033[K?");
  WriteControl("\r", &sink);
  EXPECT_EQ(sink.str().back(), '\r');
}

// The lines of a CSV file end with CR LF, also where the two come apart.
TEST(PrintableStream, KeepsLineEnds) {
  std::ostringstream out;
  {
    PrintableBuffer buffer(out.rdbuf());
    std::ostream stream(&buffer);
    stream << "a,b\r\nc\rd\r"
           << "\n"
           << "\r";
  }
  EXPECT_EQ(out.str(), "a,b\r\nc?d\r\n?");
}

TEST(PrintableStream, HoldsTheStandardStreams) {
  std::ostringstream out;
  std::ostringstream err;
  std::streambuf* const real_out = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const real_err = std::cerr.rdbuf(err.rdbuf());
  {
    const PrintableStreams printable;
    std::cout << HostileText();
    std::cerr << HostileText();
  }
  std::cout.rdbuf(real_out);
  std::cerr.rdbuf(real_err);
  for (const std::string& text : {out.str(), err.str()}) {
    EXPECT_EQ(text, PrintableText(HostileText()));
    EXPECT_EQ(FirstForbidden(text), "");
  }
}

// Lets nothing through, like a disk that is full.
class FullBuffer final : public std::streambuf {};

TEST(PrintableStream, AnErrorOfTheSinkIsTheStreams) {
  FullBuffer full;
  PrintableBuffer buffer(&full);
  std::ostream out(&buffer);
  out << "text";
  EXPECT_TRUE(out.bad());
}

}  // namespace
}  // namespace diopi
