#include "impl_loader/adaptor/adaptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace diopi::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using D = v1::Dtype;

template <typename T>
std::string Bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

v1::Argument* AddTensor(const std::string& name, v1::Role role, Dtype dtype,
                        const std::vector<int64_t>& shape, v1::Case* c) {
  v1::Argument* arg = c->add_args();
  arg->set_name(name);
  arg->set_role(role);
  arg->mutable_tensor()->set_dtype(dtype);
  arg->mutable_tensor()->mutable_shape()->Assign(shape.begin(), shape.end());
  return arg;
}

void AddConversion(const std::string& key, Dtype dtype, v1::LibraryLayout layout, v1::CaseAdaptor* adaptor) {
  v1::CaseAdaptor::Conversion* conversion = adaptor->add_conversion();
  conversion->set_key(key);
  conversion->set_dtype(dtype);
  conversion->set_layout(layout);
}

const v1::TensorSpec& Spec(const AdaptedCall& call, int arg) {
  return call.adapted_case().args(arg).tensor();
}

class AdaptedCallTest : public testing::Test {
 protected:
  AdaptedCallTest() {
    AddTensor("out", v1::ROLE_OUTPUT, D::float64, {3}, &case_);
    AddTensor("input", v1::ROLE_INPUT, D::float64, {3}, &case_);
    AddTensor("index", v1::ROLE_INPUT, D::int64, {2}, &case_);
  }
  absl::StatusOr<AdaptedCall> Make() const {
    return AdaptedCall::Make(case_,
                             {{"input", D::float64, {3}, input_.data(), input_.size()},
                              {"index", D::int64, {2}, index_.data(), index_.size()}},
                             adaptor_);
  }

  v1::Case case_;
  v1::CaseAdaptor adaptor_;
  std::string input_ = Bytes<double>({1, 0.1, -2});
  std::string index_ = Bytes<int64_t>({7, -100});
};

TEST_F(AdaptedCallTest, TypesThereAndBack) {
  for (const char* key : {"out", "input"}) AddConversion(key, D::float32, v1::CONTIGUOUS, &adaptor_);
  AddConversion("index", D::int32, v1::CONTIGUOUS, &adaptor_);
  absl::StatusOr<AdaptedCall> call = Make();
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(call->not_adaptable(), "");
  EXPECT_EQ(Spec(*call, 0).dtype(), D::float32);
  EXPECT_EQ(Spec(*call, 2).dtype(), D::int32);
  ASSERT_EQ(call->inputs().size(), 2U);
  EXPECT_EQ(call->inputs()[0].dtype, D::float32);
  EXPECT_EQ(std::string(static_cast<const char*>(call->inputs()[0].data), call->inputs()[0].bytes),
            Bytes<float>({1, 0.1F, -2}));
  EXPECT_EQ(std::string(static_cast<const char*>(call->inputs()[1].data), call->inputs()[1].bytes),
            Bytes<int32_t>({7, -100}));
  // The vendor's float32 comes back as float64 with the same value; another type stays, so that it is judged.
  std::vector<OutputTensor> outputs = {{"out", D::float32, {3}, Bytes<float>({1, 0.1F, -2})},
                                       {"index", D::int64, {1}, Bytes<int64_t>({1})}};
  call->TakeBack(&outputs);
  EXPECT_EQ(outputs[0].dtype, D::float64);
  EXPECT_EQ(outputs[0].data, Bytes<double>({1, static_cast<double>(0.1F), -2}));
  EXPECT_EQ(outputs[1].data, Bytes<int64_t>({1}));
  EXPECT_THAT(call->adapted(),
              ElementsAre("out float64 as float32", "input float64 as float32", "index int64 as int32"));
  EXPECT_THAT(call->rounded(), ElementsAre("1 of 3 elements of input rounded"));
}

TEST_F(AdaptedCallTest, WhatDoesNotFitIsNotHandedOver) {
  index_ = Bytes<int64_t>({7, std::numeric_limits<int64_t>::max()});
  AddConversion("index", D::int32, v1::CONTIGUOUS, &adaptor_);
  absl::StatusOr<AdaptedCall> call = Make();
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(call->not_adaptable(),
            "1 of 2 elements of index do not fit in int32, the first at 1: 9223372036854775807");
  input_ = Bytes<double>({1, 1e300, 2});
  AddConversion("input", D::float32, v1::CONTIGUOUS, &adaptor_);
  EXPECT_THAT(Make()->not_adaptable(),
              HasSubstr("1 of 3 elements of input do not fit in float32, the first at 1: 1e+300"));
}

// A library that computes uint8 in int32 gives 300 where uint8 arithmetic gives 44: taken modulo, and
// reported.
TEST_F(AdaptedCallTest, ResultsBeyondTheCallersTypeAreReported) {
  case_.mutable_args(0)->mutable_tensor()->set_dtype(D::uint8);
  AddConversion("out", D::int32, v1::CONTIGUOUS, &adaptor_);
  absl::StatusOr<AdaptedCall> call = Make();
  ASSERT_TRUE(call.ok()) << call.status();
  std::vector<OutputTensor> outputs = {{"out", D::int32, {3}, Bytes<int32_t>({1, 300, -1})}};
  call->TakeBack(&outputs);
  EXPECT_EQ(outputs[0].data, Bytes<uint8_t>({1, 44, 255}));
  ASSERT_EQ(call->rounded().size(), 1u);
  EXPECT_THAT(call->rounded()[0],
              HasSubstr("2 of 3 elements that the library wrote to out do not fit in uint8"));
}

TEST(AdaptedLayoutTest, Strides) {
  struct Row {
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;
    v1::LibraryLayout layout;
    std::vector<int64_t> handed;
    bool told;
  };
  const Row rows[] = {
      {{2, 3, 4, 5}, {}, v1::CHANNELS_LAST, {60, 1, 15, 3}, true},
      {{2, 3, 4}, {12, 4, 1}, v1::CHANNELS_LAST, {12, 1, 3}, true},
      {{2, 3, 4, 5, 6}, {}, v1::CHANNELS_LAST, {360, 1, 90, 18, 3}, true},
      {{2, 3, 4, 5}, {60, 1, 15, 3}, v1::CHANNELS_LAST, {60, 1, 15, 3}, false},
      {{2, 3}, {1, 2}, v1::CONTIGUOUS, {3, 1}, true},
      {{2, 3}, {3, 1}, v1::CONTIGUOUS, {3, 1}, false},
      {{2, 3}, {1, 2}, v1::AS_IS, {1, 2}, false},
      {{0, 3, 4, 5}, {}, v1::CHANNELS_LAST, {60, 1, 15, 3}, true},
  };
  for (const Row& row : rows) {
    v1::Case c;
    v1::TensorSpec& spec = *AddTensor("out", v1::ROLE_OUTPUT, D::float32, row.shape, &c)->mutable_tensor();
    spec.mutable_strides()->Assign(row.strides.begin(), row.strides.end());
    v1::CaseAdaptor adaptor;
    AddConversion("out", D::float32, row.layout, &adaptor);
    const absl::StatusOr<AdaptedCall> call = AdaptedCall::Make(c, {}, adaptor);
    ASSERT_TRUE(call.ok()) << call.status();
    EXPECT_THAT(Spec(*call, 0).strides(), testing::ElementsAreArray(row.handed));
    EXPECT_EQ(call->adapted().size(), row.told ? 1u : 0u);
  }
}

TEST(AdaptedLayoutTest, WhatCannotBeDoneIsAnError) {
  v1::Case c;
  AddTensor("out", v1::ROLE_OUTPUT, D::float32, {2, 3}, &c);
  struct Row {
    const char* key;
    Dtype dtype;
    v1::LibraryLayout layout;
    const char* message;
  };
  for (const Row& row :
       {Row{"aut", D::float32, v1::CONTIGUOUS, "adaptor: aut: the case has no such tensor"},
        Row{"out", D::complex64, v1::CONTIGUOUS, "no conversion of float32 to complex64"},
        Row{"out", D::float32, v1::CHANNELS_LAST, "channels last is for 3 to 5 dimensions, not 2"}}) {
    v1::CaseAdaptor adaptor;
    AddConversion(row.key, row.dtype, row.layout, &adaptor);
    EXPECT_THAT(std::string(AdaptedCall::Make(c, {}, adaptor).status().message()), HasSubstr(row.message));
  }
}

}  // namespace
}  // namespace diopi::loader
