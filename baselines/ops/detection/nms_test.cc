#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<int64_t> Kept(const TestTensor& boxes, const TestTensor& scores, double threshold) {
  TestContext context;
  diopiTensorHandle_t out = nullptr;
  EXPECT_EQ(diopiNms(&context, &out, boxes, scores, threshold), diopiSuccess) << diopiGetLastErrorString();
  return out == nullptr ? std::vector<int64_t>{-1} : Load<int64_t>(Tensor(out));
}

TEST(Nms, KeepsByFallingScore) {
  for (diopiDtype_t dtype : {diopi_dtype_float16, diopi_dtype_float32, diopi_dtype_float64}) {
    // The second is covered by the third, the first by nothing but the second.
    TestTensor boxes(dtype, {3, 4}, {0, 0, 10, 10, 4, 0, 14, 10, 8, 0, 18, 10});
    TestTensor scores(dtype, {3}, {0.25, 0.5, 0.75});
    EXPECT_THAT(Kept(boxes, scores, 0.33), ElementsAre(2, 0));
    EXPECT_THAT(Kept(boxes, scores, 0.5), ElementsAre(2, 1, 0));
  }
}

TEST(Nms, AnOverlapAtTheThresholdStays) {
  TestTensor boxes(diopi_dtype_float32, {2, 4}, {0, 0, 2, 2, 0, 0, 2, 1}),
      scores(diopi_dtype_float32, {2}, {1, 2});
  EXPECT_THAT(Kept(boxes, scores, 0.5), ElementsAre(1, 0));
  EXPECT_THAT(Kept(boxes, scores, 0.4375), ElementsAre(1));
}

TEST(Nms, BoxesWithoutAreaAndWithoutBoxes) {
  TestTensor points(diopi_dtype_float32, {2, 4}, {3}), scores(diopi_dtype_float32, {2}, {1, 2});
  EXPECT_THAT(Kept(points, scores, 0.25), ElementsAre(1, 0));
  TestTensor none(diopi_dtype_float32, {0, 4}), no_scores(diopi_dtype_float32, {0});
  EXPECT_THAT(Kept(none, no_scores, 0.25), IsEmpty());
}

TEST(Nms, ErrorsAreTold) {
  TestTensor boxes(diopi_dtype_float32, {2, 5}), good(diopi_dtype_float32, {2, 4});
  TestTensor scores(diopi_dtype_float32, {3});
  TestContext context;
  diopiTensorHandle_t out = nullptr;
  EXPECT_EQ(diopiNms(&context, &out, boxes, scores, 0.5), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("expected boxes of shape (count, 4), got (2, 5)"));
  EXPECT_EQ(diopiNms(&context, &out, good, scores, 0.5), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("expected confidence of shape (2,), got (3,)"));
}

}  // namespace
}  // namespace diopi::ops
