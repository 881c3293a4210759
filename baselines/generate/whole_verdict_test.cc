// Large calls whose outputs are judged as wholes: those that the library makes, indices, random numbers, and
// values that are only moved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "baselines/generate/sliced_verdict_testing.h"
#include "cases/core/reference_key.h"

namespace diopi::baselines {
namespace {

using ::testing::HasSubstr;

class WholeVerdictTest : public SlicedVerdictTest {
 public:
  HostTensor Reference(const std::string& key, ReferencePart part) const {
    return baseline_.references.at(ReferenceKey(key, part));
  }

  // An element near the middle of an output that is not compared one by one.
  int64_t Unseen(const std::string& key) const {
    std::vector<int64_t> shape = outputs_.at(key).shape;
    const auto at = places_.find(key);
    const std::vector<int64_t> places =
        at != places_.end() ? at->second : slices::PlacesIn(case_, key, shape);
    const std::set<int64_t> seen(places.begin(), places.end());
    int64_t i = NumElements(shape) / 2;
    while (seen.contains(i)) ++i;
    return i;
  }
};

template <typename T>
T* Elements(HostTensor* tensor) {
  return reinterpret_cast<T*>(tensor->data.data());
}

TEST_F(WholeVerdictTest, OutputsThatTheLibraryMakesAreHashed) {
  const struct {
    const char* call;
    const char* function;
    const char* output;
  } rows[] = {
      {"nonzero bool input[2,300,700]", "diopiNonzero", "out"},
      {"unique int64 input[300,700]~0..99999 sorted=true return_counts=true dim=null", "diopiUnique",
       "counts"},
      {"index float32 input[60,96,100] indices[60,96]:bool~values(1,0,1,1,0,0,0)", "diopiIndex", "out"},
      {"index int64 input[3,200,300]~0..9 indices[3]:int64~-3..2", "diopiIndex", "out"},
  };
  for (const auto& row : rows) {
    Make(row.call, row.function);
    if (HasFatalFailure()) return;
    EXPECT_EQ(Judge(outputs_).outcome(), v1::OUTCOME_PASS) << row.call << ": " << Judge(outputs_).reason();
    TensorMap wrong = outputs_;
    HostTensor& output = wrong.at(row.output);
    output.data[static_cast<size_t>(Unseen(row.output) * ElementSize(output.dtype))] ^= 1;
    EXPECT_THAT(Judge(wrong).reason(), HasSubstr("a hash of all elements differs")) << row.call;
    TensorMap shorter = outputs_;
    HostTensor& less = shorter.at(row.output);
    less.data.resize(less.data.size() / static_cast<size_t>(less.shape[0]) *
                     static_cast<size_t>(less.shape[0] - 1));
    --less.shape[0];
    const v1::Verdict verdict = Judge(shorter);
    EXPECT_THAT(verdict.reason(), HasSubstr(absl::StrCat("shape ", ShapeText(less.shape), ", expected (")))
        << row.call;
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL);
    ASSERT_GT(verdict.outputs_size(), 0);
    EXPECT_EQ(verdict.outputs(verdict.outputs_size() - 1).gates(), "S");
  }
}

TEST_F(WholeVerdictTest, IndicesPickWhatTheReferencePicks) {
  Make("topk float32 input[2,19,100,101] dim=1 largest=true sorted=true k=3", "diopiTopk");
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EQ(Judge(outputs_).outcome(), v1::OUTCOME_PASS) << Judge(outputs_).reason();
  const int64_t plane = 100 * 101;
  const std::vector<int64_t>& compared = places_.at("values");
  const std::set<int64_t> seen(compared.begin(), compared.end());
  int64_t i = 77;  // of the first of the three, not compared one by one
  while (seen.contains(i) || seen.contains(i + plane)) ++i;
  const struct {
    const char* what;
    std::function<void(int64_t* indices, float* values)> plant;
    const char* finding;
  } rows[] = {
      {"out of range", [&](int64_t* indices, float*) { indices[i] = 19; }, "index 19 is outside [0, 19)"},
      {"negative", [&](int64_t* indices, float*) { indices[i] = -1; }, "index -1 is outside"},
      {"the second's index", [&](int64_t* indices, float*) { indices[i] = indices[i + plane]; },
       "but values has"},
      {"an element twice",
       [&](int64_t* indices, float* values) {
         indices[i] = indices[i + plane];
         values[i] = values[i + plane];
       },
       "already picks"},
      {"two exchanged",
       [&](int64_t* indices, float* values) {
         std::swap(indices[i], indices[i + plane]);
         std::swap(values[i], values[i + plane]);
       },
       "hash of all elements differs"},
  };
  for (const auto& row : rows) {
    TensorMap wrong = outputs_;
    row.plant(Elements<int64_t>(&wrong.at("indices")), Elements<float>(&wrong.at("values")));
    const v1::Verdict verdict = Judge(wrong);
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL) << row.what;
    EXPECT_THAT(verdict.reason(), HasSubstr(row.finding)) << row.what;
  }
}

TEST_F(WholeVerdictTest, RandomNumbersNeedNoReference) {
  Make("diopiNormalInp float32 inout[1024,700] mean=0 std=0.01", "diopiNormalInp");
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_TRUE(baseline_.references.empty());
  EXPECT_EQ(Judge(outputs_).outcome(), v1::OUTCOME_PASS) << Judge(outputs_).reason();
  TensorMap wrong = outputs_;
  std::string& data = wrong.at("inout").data;
  data.replace(0, data.size() / 4, data.substr(data.size() / 2, data.size() / 4));
  EXPECT_THAT(Judge(wrong).reason(), HasSubstr("on again"));
  wrong = outputs_;
  wrong.at("inout").shape = {700, 1024};
  EXPECT_THAT(Judge(wrong).reason(), HasSubstr("shape (700, 1024), expected (1024, 700)"));

  Make("dropout float32 input[1024,700] p=0.1 train=true", "diopiDropout");
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EQ(Judge(outputs_).outcome(), v1::OUTCOME_PASS) << Judge(outputs_).reason();
  wrong = outputs_;
  HostTensor& mask = wrong.at("mask");
  const size_t kept = mask.data.rfind('\1');
  mask.data[kept] = 0;
  EXPECT_THAT(Judge(wrong).reason(), HasSubstr("out: 1 of 716800 elements differs"));
}

}  // namespace
}  // namespace diopi::baselines
