#include "client/judge/error_text.h"

#include <gtest/gtest.h>

namespace diopi::agent {
namespace {

TEST(SplitBacktrace, ALibtorchExceptionIsItsMessage) {
  const std::string what =
      "\"cos_vml_cpu\" not implemented for 'Half'\n"
      "Exception raised from operator() at aten/src/ATen/native/cpu/UnaryOpsKernel.cpp:751 (most recent call "
      "first):\n"
      "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x6b (0x7f in libc10.so)\n"
      "frame #1: c10::detail::torchCheckFail(char const*) + 0xbf (0x7e in libc10.so)\n";
  const ErrorText split = SplitBacktrace("diopiCos threw a C++ exception: c10::Error: " + what);
  EXPECT_EQ(split.message,
            "diopiCos threw a C++ exception: c10::Error: \"cos_vml_cpu\" not implemented for 'Half'");
  EXPECT_EQ(split.backtrace.rfind("Exception raised from operator()", 0), 0u);
  EXPECT_NE(split.backtrace.find("frame #1"), std::string::npos);
}

TEST(SplitBacktrace, OtherTextsStayWhole) {
  const std::string text = "the frame #0 of the video has\nno backtrace: it is empty";
  EXPECT_EQ(SplitBacktrace(text).message, text);
  EXPECT_EQ(SplitBacktrace(text).backtrace, "");
  EXPECT_EQ(SplitBacktrace("").message, "");
}

}  // namespace
}  // namespace diopi::agent
