#include "client/cli/new_operator_text.h"

#include <gtest/gtest.h>

#include "cases/core/operator_file.h"
#include "proto/abi/abi.h"

namespace diopi::cli {
namespace {

// For every function of the ABI, the next command accepts the generated file.
TEST(NewOperatorTextTest, ParsesAndExpandsForEveryFunction) {
  std::vector<std::string> without;
  for (const abi::Function* function : abi::Functions()) {
    if (!CheckArguments(*function).ok()) {
      without.push_back(function->name());
      continue;
    }
    const std::string text = NewOperatorText({"mine", "user", function});
    const absl::StatusOr<cases::ParsedOperator> parsed = cases::ParseOperator(text, "mine.textproto");
    EXPECT_TRUE(parsed.ok()) << function->name() << ": " << parsed.status() << "\n" << text;
    if (!parsed.ok()) continue;
    const auto expanded = cases::ExpandOperator(parsed->file, parsed->lines);
    EXPECT_TRUE(expanded.ok()) << function->name() << ": " << expanded.status() << "\n" << text;
    if (!expanded.ok()) continue;
    EXPECT_EQ(expanded->size(), 1U) << function->name();
  }
  EXPECT_EQ(without, (std::vector<std::string>{"diopiTensorDestructionHook"}));
}

TEST(NewOperatorTextTest, TheReferenceSaysThatItIsNotWritten) {
  const abi::Function* relu = abi::FindFunction("diopiRelu");
  ASSERT_NE(relu, nullptr);
  const std::string text = NewReferenceText({"mine", "user", relu});
  EXPECT_NE(text.find("// a.ctx, a.out, a.input\nDIOPI_KERNEL(diopiRelu, a) {\n  static_cast<void>(a);\n  "
                      "FailWith(diopiNoImplement, "),
            std::string::npos)
      << text;
}

TEST(NewOperatorTextTest, TheCheckCallsPyTorch) {
  const std::string text = NewCheckText({"relu", "user", abi::FindFunction("diopiRelu")});
  EXPECT_NE(text.find("def diopiRelu(a):\n    return {\"out\": torch.relu(a.input)}\n"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace diopi::cli
