#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::HasSubstr;

// What does not fit would be read or written outside of the cache or the workspace.
TEST(FusedContextAttention, ErrorsAreTold) {
  const struct {
    int64_t layer, heads, key_heads, dim, queries, tokens;
    Shape cache;
    const char* text;
  } kRows[] = {
      {0, 2, 2, 4, 1, 1, {1, 1, 2, 8, 4}, nullptr},
      {0, 2, 1, 3, 1, 1, {1, 1, 1, 8, 3}, "expected an even size_per_head, got 3"},
      {0, 3, 2, 4, 1, 1, {1, 1, 2, 8, 4}, "3 heads cannot share 2 key heads"},
      {0, 2, 2, 4, 1, 1, {1, 1, 2, 8, 2}, "key_cache has shape (1, 1, 2, 8, 2)"},
      {1, 2, 2, 4, 1, 1, {1, 1, 2, 8, 4}, "the cache has no layer 1"},
      {0, 2, 2, 4, 2, 1, {1, 1, 2, 8, 4}, "expected max_kv_len of at least max_q_len, got 1 and 2"},
      {0, 2, 2, 4, 1, 9, {1, 1, 2, 8, 4}, "expected a key_cache for 9 tokens, got shape (1, 1, 2, 8, 4)"},
  };
  for (const auto& row : kRows) {
    const int64_t hidden = row.heads * row.dim, columns = (row.heads + 2 * row.key_heads) * row.dim;
    TestTensor x(kFloat, {row.queries, hidden}, {0.5}), weight(kFloat, {hidden, columns}, {0.25});
    TestTensor workspace(kFloat, {1}), keys(kFloat, row.cache), values(kFloat, row.cache);
    int64_t pre_work_size = 0, workspace_size = 0;
    const diopiError_t error = diopiFusedContextAttentionInp(
        nullptr, x, weight, nullptr, workspace, &pre_work_size, true, workspace, &workspace_size, 0, keys,
        values, row.layer, row.heads, row.key_heads, row.dim, 8, row.queries, row.tokens, row.dim, 10000);
    EXPECT_EQ(error == diopiSuccess, row.text == nullptr) << diopiGetLastErrorString();
    if (row.text == nullptr) continue;
    EXPECT_THAT(diopiGetLastErrorString(), HasSubstr(row.text));
  }
}

// A block or a length beyond the cache would be read from other memory.
TEST(PagedAttention, PlacesBeyondTheCacheAreErrors) {
  const struct {
    std::vector<double> table;
    int64_t length, block_size;
    const char* text;
  } kRows[] = {
      {{1, 0}, 4, 2, nullptr},
      {{1, 0}, 5, 2, "5 tokens do not fit 2 blocks of 2"},
      {{1, 2}, 3, 2, "block 2 of 2 rows is not among 4"},
      {{-1, 0}, 3, 2, "block -1 of 2 rows is not among 4"},
      {{1, 0}, 4, 0, "in blocks of 0"},
  };
  for (const auto& row : kRows) {
    TestTensor out(kFloat, {1, 4}), q(kFloat, {1, 4}, {0.5}), k(kFloat, {4, 4}, {0.25}),
        v(kFloat, {4, 4}, {1});
    TestTensor table(diopi_dtype_int32, {1, 2}, row.table);
    const diopiSize_t lengths{&row.length, 1};
    const diopiError_t error =
        diopiPagedAttention(nullptr, out, q, k, v, nullptr, lengths, 1, 1, 4, table, row.block_size);
    EXPECT_EQ(error == diopiSuccess, row.text == nullptr) << diopiGetLastErrorString();
    if (row.text == nullptr) continue;
    EXPECT_THAT(diopiGetLastErrorString(), HasSubstr(row.text));
  }
}

}  // namespace
}  // namespace diopi::ops
