#include "cases/core/work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "absl/strings/str_cat.h"
#include "cases/core/catalog.h"
#include "cases/core/kernel_key.h"

namespace diopi::cases {
namespace {

using ::testing::HasSubstr;

const Catalog& SharedCatalog() {
  static const Catalog* const catalog = Catalog::LoadBuiltin()->release();
  return *catalog;
}

// The cases of one line of a model's file, at its true size.
std::vector<v1::Case> CasesOfLine(const std::string& line, const v1::OperatorFile** op) {
  const auto model = ParseModel({"test", line});
  EXPECT_TRUE(model.ok()) << model.status();
  *op = OperatorOf(model->calls.at(0), SharedCatalog().operators());
  EXPECT_NE(*op, nullptr) << line;
  auto cases = BuildCall(**op, model->calls[0], std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(cases.ok()) << cases.status();
  return cases->cases;
}

TEST(WorkTest, CallsOfWhichTheWorkIsKnown) {
  const struct {
    const char* line;
    size_t at;  // which of its cases
    double read, written, operations;
  } rows[] = {
      // The default: each element once, one operation for each.
      {"exp float16 input[1000]\n", 0, 2000, 2000, 1000},
      // m * n * k products and sums.
      {"linear float32 input[3,5,7] weight[11,7] bias[null]\n", 0, 4 * (105 + 77), 4 * 165, 2 * 165 * 7},
      {"linear+backward float32 input[15,7] weight[11,7] bias[11]\n", 1, 4 * (165 + 105 + 77),
       4 * (105 + 77 + 11), 4 * 165 * 7 + 165},
      {"matmul bfloat16 input[64,32] other[32,16]\n", 0, 2 * (2048 + 512), 2 * 1024, 2 * 1024 * 32},
      // 2 * 3 * 3 * 3 for each of 4 * 8 * 10 * 10 outputs, and the bias.
      {"conv2d float32 input[4,3,10,10] weight[8,3,3,3] bias[8] stride=(1,1) padding=(1,1) dilation=(1,1) "
       "groups=1\n",
       0, 4 * (1200 + 216 + 8), 4 * 3200, 3200 * 54 + 3200},
      // Only the rows that are looked up.
      {"embedding float32 indices[6]:int64~0..9 weight[1000,32] padding_idx=-1 scale_grad_byfreq=false "
       "sparse=false\n",
       0, 8 * 6 + 4 * 192, 4 * 192, 0},
      {"cat float32 tensors[2,3]*4 dim=0\n", 0, 4 * 24, 4 * 24, 0},
  };
  for (const auto& row : rows) {
    const v1::OperatorFile* op = nullptr;
    const std::vector<v1::Case> cases = CasesOfLine(row.line, &op);
    ASSERT_GT(cases.size(), row.at) << row.line;
    const auto work = WorkOf(*op, cases[row.at]);
    ASSERT_TRUE(work.ok()) << work.status();
    EXPECT_EQ(work->read_bytes(), row.read) << row.line;
    EXPECT_EQ(work->written_bytes(), row.written) << row.line;
    EXPECT_EQ(work->operations(), row.operations) << row.line;
  }
}

// Attention with a causal mask has half the pairs, and a pair for every token of a cache without one.
TEST(WorkTest, AttentionCountsThePairsThatAttend) {
  const v1::OperatorFile* op = nullptr;
  const std::string tail = " p_dropout=0.0 softmax_scale=0.1 window_size_left=-1 window_size_right=-1";
  const auto operations = [&](const std::string& line) {
    const std::vector<v1::Case> cases = CasesOfLine(line + tail + "\n", &op);
    return WorkOf(*op, cases.at(0))->operations();
  };
  EXPECT_EQ(operations("flash_attention float16 q[2,8,4,16] k[2,8,4,16] v[2,8,4,16] is_causal=false"),
            2 * 4 * 64 * (4 * 16 + 5));
  EXPECT_EQ(operations("flash_attention float16 q[2,8,4,16] k[2,8,4,16] v[2,8,4,16] is_causal=true"),
            2 * 4 * 36 * (4 * 16 + 5));
  EXPECT_EQ(
      operations("flash_attention float16 q[16,1,32,128] k[16,4096,8,128] v[16,4096,8,128] is_causal=false"),
      16.0 * 32 * 4096 * (4 * 128 + 5));
}

TEST(WorkTest, EveryCaseHasItsWork) {
  int64_t cases = 0;
  for (const v1::OperatorFile& op : SharedCatalog().operators()) {
    const auto expanded = Expand(op, op.operator_());
    ASSERT_TRUE(expanded.ok()) << expanded.status();
    for (const v1::Case& c : *expanded) {
      const auto work = WorkOf(op, c);
      ASSERT_TRUE(work.ok()) << work.status();
      EXPECT_GE(work->operations(), 0) << c.id();
      EXPECT_LT(work->operations(), 1e12) << c.id();
      ++cases;
    }
  }
  EXPECT_GT(cases, 1000);
}

TEST(WorkTest, MistakesNameTheirPlace) {
  const v1::OperatorFile* op = nullptr;
  const std::vector<v1::Case> cases = CasesOfLine("exp float32 input[4]\n", &op);
  v1::OperatorFile changed = *op;
  changed.clear_work();
  changed.add_work()->set_operations("2 * inptu");
  const auto work = WorkOf(changed, cases[0]);
  ASSERT_TRUE(absl::IsInvalidArgument(work.status()));
  EXPECT_THAT(std::string(work.status().message()), HasSubstr("exp: work of diopiExp"));
  EXPECT_THAT(std::string(work.status().message()), HasSubstr("'2 * inptu': a variable has no value"));
}

TEST(WorkTest, Text) {
  v1::CallWork work;
  work.set_read_bytes(1.5e6);
  work.set_written_bytes(500);
  work.set_operations(3e9);
  EXPECT_EQ(WorkText(work), "reads 1.5 MB, writes 500 B, 3 Goperations (2e+03 per byte)");
}

TEST(KernelKeyTest, ProductsAndConvolutions) {
  const std::pair<const char*, const char*> rows[] = {
      {"linear float16 input[4,2,32] weight[16,32] bias[null]\n",
       "gemm float16 M=8 N=16 K=32 transA=0 transB=1"},
      {"matmul float32 input[8,32] other[32,16]\n", "gemm float32 M=8 N=16 K=32 transA=0 transB=0"},
      {"matmul float32 input[3,8,32] other[3,32,16]\n", ""},
      {"conv2d float16 input[8,3,224,112] weight[64,3,3,5] bias[null] stride=(2,1) padding=(1,3) "
       "dilation=(1,1) "
       "groups=1\n",
       "conv float16 W=112 H=224 C=3 N=8 OutC=64 kw=5 kh=3 pw=3 ph=1 sh=1 sv=2"},
      {"conv2d float16 input[8,4,224,112] weight[64,2,3,5] bias[null] stride=(2,1) padding=(1,3) "
       "dilation=(1,1) "
       "groups=2\n",
       ""},
      {"exp float16 input[1000]\n", ""}};
  for (const auto& [line, key] : rows) {
    const v1::OperatorFile* op = nullptr;
    EXPECT_EQ(KernelKey(CasesOfLine(line, &op).at(0)), key) << line;
  }
}

}  // namespace
}  // namespace diopi::cases
