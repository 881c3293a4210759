#include "client/setup/arguments.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cases/base/dtype.h"
#include "client/setup/modes.h"

namespace diopi::agent {
namespace {

TEST(MakeSelection, FilteredDtypesAreLeftOut) {
  SelectionArguments arguments;
  arguments.functions = {"add", "conv*"};
  arguments.filter_dtypes = {"float64"};
  const auto selection = MakeSelection(arguments);
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(selection->functions_size(), 2);
  const auto& dtypes = selection->dtypes();
  EXPECT_EQ(std::count(dtypes.begin(), dtypes.end(), v1::Dtype::float64), 0);
  EXPECT_EQ(std::count(dtypes.begin(), dtypes.end(), v1::Dtype::float32), 1);
  EXPECT_EQ(std::count(dtypes.begin(), dtypes.end(), v1::Dtype::bool_), 1);
}

TEST(MakeSelection, OnlyAndWithout) {
  SelectionArguments arguments;
  arguments.dtypes = {"float64", "float32"};
  arguments.filter_dtypes = {"float64"};
  auto selection = MakeSelection(arguments);
  ASSERT_TRUE(selection.ok());
  ASSERT_EQ(selection->dtypes_size(), 1);
  EXPECT_EQ(selection->dtypes(0), v1::Dtype::float32);
  arguments.filter_dtypes = {"float64", "float32"};
  EXPECT_EQ(MakeSelection(arguments).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(MakeSelection, UnknownDtype) {
  SelectionArguments arguments;
  arguments.filter_dtypes = {"flaot32"};
  const auto status = MakeSelection(arguments).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("float32"), std::string::npos) << status;
}

TEST(MakeSelection, AllOpsIsAll) {
  SelectionArguments arguments;
  arguments.functions = {"all_ops"};
  const auto selection = MakeSelection(arguments);
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(selection->functions_size(), 0);
}

TEST(MaxBytes, AutoIsAnEighthOfWhatIsFree) {
  EXPECT_EQ(TensorBytesForFreeMemory(int64_t{24} << 30), int64_t{2} << 30);
  EXPECT_EQ(TensorBytesForFreeMemory(int64_t{64} << 30), int64_t{8} << 30);
  EXPECT_EQ(TensorBytesForFreeMemory(0), int64_t{1} << 20);
}

TEST(MaxBytes, AreASizeOrDecidedByTheMemory) {
  const struct {
    const char* text;
    int64_t least;
    int64_t most;
  } rows[] = {
      {"--model vit", 1 << 20, int64_t{1} << 42},
      {"--model vit --max-bytes auto", 1 << 20, int64_t{1} << 42},
      {"--model vit --max-bytes 64K", 64 << 10, 64 << 10},
      {"--model vit --max-bytes 1G", 1 << 30, 1 << 30},
      {"--suite smoke", 0, 0},
  };
  for (const auto& row : rows) {
    CLI::App app;
    SelectionArguments arguments;
    AddSelectionOptions(&app, &arguments);
    app.parse(row.text);
    const auto selection = MakeSelection(arguments);
    ASSERT_TRUE(selection.ok()) << selection.status();
    EXPECT_GE(selection->max_tensor_bytes(), row.least) << row.text;
    EXPECT_LE(selection->max_tensor_bytes(), row.most) << row.text;
  }
}

TEST(MaxBytes, RefusesWhatIsNoBound) {
  for (const char* text : {"0", "1023", "-1", "8192G", "Auto", "1X"}) {
    CLI::App app;
    SelectionArguments arguments;
    AddSelectionOptions(&app, &arguments);
    EXPECT_THROW(app.parse(std::string("--max-bytes ") + text), CLI::ValidationError) << text;
  }
}

}  // namespace
}  // namespace diopi::agent
