#include "client/cli/captured_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace diopi::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

HostTensor Floats(const std::vector<int64_t>& shape, const std::vector<float>& values) {
  HostTensor tensor{v1::Dtype::float32, shape, std::string(values.size() * sizeof(float), '\0')};
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

std::vector<float> ValuesOf(const HostTensor& tensor) {
  std::vector<float> values(tensor.data.size() / sizeof(float));
  std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

// "out" of one or two inputs; `strides` are the first input's.
tap::CapturedCall Call(const std::string& function, const TensorMap& inputs, const HostTensor& out,
                       const std::vector<int64_t>& strides = {}) {
  tap::CapturedCall call;
  call.path = function + ".h5";
  call.c.set_function(function);
  v1::Argument* arg = call.c.add_args();
  arg->set_name("input");
  arg->mutable_tensor()->mutable_strides()->Assign(strides.begin(), strides.end());
  call.c.add_judges()->set_output("out");
  call.inputs = inputs;
  call.outputs = {{"out", out}};
  return call;
}

// Adds 1 to the first input.
absl::StatusOr<TensorMap> AddOne(const tap::CapturedCall& call, const TensorMap& inputs) {
  std::vector<float> values = ValuesOf(inputs.at("input"));
  for (float& value : values) value += 1;
  return TensorMap{{"out", Floats(call.outputs.at("out").shape, values)}};
}

const HostTensor kFirst = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
const HostTensor kSecond = Floats({2, 3}, {10, 20, 30, 40, 50, 60});

TEST(CapturedSequenceTest, OutputsGoIntoTheCallsThatUsedThem) {
  // What one() returned is read as it is, in another shape, and transposed.
  const CapturedSequence sequence({
      Call("one", {{"input", kFirst}}, kSecond),
      Call("same", {{"input", kSecond}}, Floats({2, 3}, {0, 1, 0, 0, 0, 0})),
      Call("view", {{"input", Floats({6}, ValuesOf(kSecond))}}, Floats({6}, {0, 2, 0, 0, 0, 0})),
      Call("transposed", {{"input", Floats({3, 2}, {10, 40, 20, 50, 30, 60})}},
           Floats({3, 2}, {0, 3, 0, 0, 0, 0}), {1, 3}),
      Call("other", {{"input", Floats({2, 3}, {10, 20, 30, 40, 50, 61})}},
           Floats({2, 3}, {0, 4, 0, 0, 0, 0})),
  });
  EXPECT_EQ(sequence.links(), 3U);
  EXPECT_THAT(sequence.functions(), ElementsAre("one", "same", "view", "transposed", "other"));
  const auto ends = sequence.Run(AddOne);
  ASSERT_TRUE(ends.ok()) << ends.status();
  ASSERT_EQ(ends->size(), 4U) << "what one() returns is used";
  EXPECT_THAT(ValuesOf(ends->at({1, "out"})), ElementsAre(3, 4, 5, 6, 7, 8));
  EXPECT_THAT(ValuesOf(ends->at({2, "out"})), ElementsAre(3, 4, 5, 6, 7, 8));
  EXPECT_THAT(ValuesOf(ends->at({3, "out"})), ElementsAre(3, 6, 4, 7, 5, 8));
  EXPECT_THAT(ValuesOf(ends->at({4, "out"})), ElementsAre(11, 21, 31, 41, 51, 62));
}

TEST(CapturedSequenceTest, TheLastCallWithTheseValuesIsTheSource) {
  const CapturedSequence sequence({Call("one", {{"input", kFirst}}, kSecond),
                                   Call("two", {{"input", Floats({2, 3}, {7, 7, 7, 7, 7, 8})}}, kSecond),
                                   Call("three", {{"input", kSecond}}, kFirst)});
  const auto ends = sequence.Run(AddOne);
  ASSERT_TRUE(ends.ok()) << ends.status();
  EXPECT_THAT(ValuesOf(ends->at({2, "out"})), ElementsAre(9, 9, 9, 9, 9, 10));
}

// Zeros and ones are everywhere.
TEST(CapturedSequenceTest, OneRepeatedNumberIsNoLink) {
  const HostTensor ones = Floats({3}, {1, 1, 1});
  const HostTensor one = Floats({}, {1});
  const CapturedSequence sequence({Call("ones", {{"input", kFirst}}, ones),
                                   Call("one", {{"input", ones}}, one),
                                   Call("two", {{"input", one}}, kFirst)});
  EXPECT_EQ(sequence.links(), 0U);
}

TEST(CapturedSequenceTest, RandomFunctionsKeepTheirOutputs) {
  tap::CapturedCall random = Call("random", {{"input", kFirst}}, kSecond);
  random.c.mutable_judges(0)->set_kind(v1::Judge::RANDOM);
  tap::CapturedCall scratch = Call("scratch", {{"input", kSecond}}, kFirst);
  scratch.c.mutable_judges(0)->set_kind(v1::Judge::NOT_JUDGED);
  const CapturedSequence sequence({random, Call("next", {{"input", kSecond}}, kFirst), scratch});
  EXPECT_THAT(sequence.functions(), ElementsAre("next", "scratch"));
  const auto ends = sequence.Run(AddOne);
  ASSERT_TRUE(ends.ok()) << ends.status();
  EXPECT_EQ(ends->size(), 1U);
  EXPECT_THAT(ValuesOf(ends->at({1, "out"})), ElementsAre(11, 21, 31, 41, 51, 61));
}

TEST(CapturedSequenceTest, ErrorsNameTheCall) {
  const CapturedSequence sequence({Call("one", {{"input", kFirst}}, kSecond)});
  const auto failed =
      sequence.Run([](const tap::CapturedCall&, const TensorMap&) -> absl::StatusOr<TensorMap> {
        return absl::AbortedError("it crashed");
      });
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(failed.status().message()), HasSubstr("one.h5: it crashed"));
  const auto missing = sequence.Run([](const tap::CapturedCall&, const TensorMap&) { return TensorMap{}; });
  EXPECT_THAT(std::string(missing.status().message()),
              HasSubstr("one.h5: output out has another type or shape"));
}

}  // namespace
}  // namespace diopi::cli
