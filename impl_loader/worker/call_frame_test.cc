// How each kind of argument reaches a library. What libffi makes of it is impl_loader/call's to test.
#include "impl_loader/worker/call_frame.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cases/core/tensor.h"
#include "impl_loader/worker/checks.h"

namespace diopi::loader {
namespace {

class CallFrameTest : public testing::Test {
 protected:
  // Builds a frame for the case in text form; inputs are float32 and hold 1, 2, 3, ...
  absl::Status Build(const std::string& text) {
    if (!google::protobuf::TextFormat::ParseFromString(text, &case_)) {
      return absl::InternalError("the test's own case");
    }
    for (int i = 0; i < 64; ++i) ones_[i] = static_cast<float>(i + 1);
    std::vector<InputView> inputs;
    const auto add = [&](const std::string& key, const v1::TensorSpec& spec) {
      const std::vector<int64_t> shape(spec.shape().begin(), spec.shape().end());
      keys_.push_back(std::make_unique<std::string>(key));
      inputs.push_back({*keys_.back(), v1::Dtype::float32, shape, ones_,
                        static_cast<size_t>(NumElements(shape)) * sizeof(float)});
    };
    for (const v1::Argument& arg : case_.args()) {
      if (arg.role() != v1::ROLE_INPUT && arg.role() != v1::ROLE_INOUT) continue;
      if (arg.has_tensor()) add(arg.name(), arg.tensor());
      for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
        add(arg.name() + "." + std::to_string(i), arg.tensors().tensors(i));
      }
    }
    auto frame = CallFrame::Build(*abi::FindFunction(case_.function()), case_, inputs, v1::Dtype::unsupported,
                                  &context_);
    if (!frame.ok()) return frame.status();
    frame_ = *std::move(frame);
    frame_->Prepare(0xA5);
    return absl::OkStatus();
  }

  template <typename T>
  T Arg(size_t index) const {
    const T* value = std::get_if<T>(&frame_->args()[index]);
    EXPECT_NE(value, nullptr) << "argument " << index << " is alternative " << frame_->args()[index].index();
    return value != nullptr ? *value : T();
  }
  diopiTensor* Tensor(size_t index) const { return static_cast<diopiTensor*>(Arg<void*>(index)); }
  bool IsNull(size_t index) const { return std::holds_alternative<ArgNull>(frame_->args()[index]); }

  runtime::Arena host_;
  diopiContext context_{&host_, nullptr, runtime::DeviceFunctions()};
  v1::Case case_;
  float ones_[64];
  std::vector<std::unique_ptr<std::string>> keys_;
  std::unique_ptr<CallFrame> frame_;
};

constexpr char kIndexPut[] = R"(
  function: "diopiIndexPut"
  args { name: "out" role: ROLE_OUTPUT tensor { dtype: float32 shape: 4 } }
  args { name: "input" role: ROLE_INPUT tensor { dtype: float32 shape: 4 } }
  args { name: "values" role: ROLE_INPUT tensor { dtype: float32 } }
  args { name: "indices" role: ROLE_INPUT
         tensors { tensors {} tensors { dtype: float32 shape: 2 } null: true null: false } }
  args { name: "indices_counts" i: 2 }
  args { name: "accumulate" b: true })";

TEST_F(CallFrameTest, ListsMayHoldNullHandles) {
  const absl::Status built = Build(kIndexPut);
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_EQ(Tensor(2)->numel, 1);
  const auto* list = static_cast<diopiTensorHandle_t*>(Arg<void*>(3));
  EXPECT_EQ(list[0], nullptr);
  EXPECT_EQ(list[1]->shape, std::vector<int64_t>{2});
  EXPECT_EQ(Arg<int64_t>(4), 2);
  EXPECT_TRUE(Arg<bool>(5));
}

TEST_F(CallFrameTest, HostOutputsAreGuardedAndPoisoned) {
  const absl::Status built = Build(R"(
    function: "diopiClipGradNorm"
    args { name: "out" role: ROLE_OUTPUT host_output { dtype: float64 } }
    args { name: "grads" role: ROLE_INOUT tensors { tensors { dtype: float32 shape: 3 } } }
    args { name: "num_grads" i: 1 }
    args { name: "max_norm" f: 1.5 }
    args { name: "norm_type" i: 2 }
    args { name: "error_if_nonfinite" b: false })");
  ASSERT_TRUE(built.ok()) << built;
  auto* out = static_cast<uint8_t*>(Arg<void*>(0));
  EXPECT_EQ(out[0], 0xA5);
  EXPECT_EQ(Arg<double>(3), 1.5);
  EXPECT_EQ(Arg<double>(4), 2);
  EXPECT_EQ(frame_->tensors()[1].key, "grads.0");
  out[8] = 0;
  Findings findings;
  CheckFrame(*frame_, context_, &findings);
  ASSERT_EQ(findings.list().size(), 1u);
  EXPECT_EQ(findings.list()[0].key(), "out");
  EXPECT_EQ(findings.list()[0].index(), 8);
}

TEST_F(CallFrameTest, GeneratorsAreRestoredBeforeEachCall) {
  const absl::Status built = Build(R"(
    function: "diopiDropout"
    args { name: "out" role: ROLE_OUTPUT tensor { dtype: float32 shape: 4 } }
    args { name: "mask" role: ROLE_OUTPUT tensor { dtype: bool shape: 4 } }
    args { name: "input" role: ROLE_INPUT tensor { dtype: float32 shape: 4 } }
    args { name: "p" f: 0.5 }
    args { name: "train" b: true }
    args { name: "generator" generator { seed: 7 offset: 9 } })");
  ASSERT_TRUE(built.ok()) << built;
  auto* generator = static_cast<diopiGenerator*>(Arg<void*>(5));
  EXPECT_EQ(generator->seed, 7u);
  generator->offset = 1000;
  frame_->Prepare(0x5A);
  EXPECT_EQ(generator->offset, 9u);
}

TEST_F(CallFrameTest, PointersToAttributesAndSlotsForTheLibrary) {
  const absl::Status built = Build(R"(
    function: "diopiUnique"
    args { name: "out" role: ROLE_LIBRARY_OUTPUT }
    args { name: "input" role: ROLE_INPUT tensor { dtype: float32 shape: 4 } }
    args { name: "dim" i: -1 }
    args { name: "sorted" b: true }
    args { name: "return_counts" b: false }
    args { name: "indices" role: ROLE_OUTPUT tensor { dtype: int64 shape: 4 } }
    args { name: "counts" role: ROLE_LIBRARY_OUTPUT null: true })");
  ASSERT_TRUE(built.ok()) << built;
  auto* slot = static_cast<diopiTensorHandle_t*>(Arg<void*>(0));
  EXPECT_EQ(*slot, nullptr);
  EXPECT_EQ(*static_cast<int64_t*>(Arg<void*>(2)), -1);
  EXPECT_TRUE(IsNull(6));
  ASSERT_EQ(frame_->slots().size(), 1u);
  *slot = Tensor(1);
  frame_->Prepare(0x5A);
  EXPECT_EQ(*slot, nullptr);
}

TEST_F(CallFrameTest, SizesByValueAndByPointer) {
  const absl::Status built = Build(R"(
    function: "diopiConvolution2dBackward"
    args { name: "grad_input" role: ROLE_OUTPUT null: true }
    args { name: "grad_weight" role: ROLE_OUTPUT tensor { dtype: float32 shape: [1, 1, 1, 1] } }
    args { name: "grad_bias" role: ROLE_OUTPUT null: true }
    args { name: "grad_output" role: ROLE_INPUT tensor { dtype: float32 shape: [1, 1, 2, 2] } }
    args { name: "input" role: ROLE_INPUT tensor { dtype: float32 shape: [1, 1, 2, 2] } }
    args { name: "weight" role: ROLE_INPUT tensor { dtype: float32 shape: [1, 1, 1, 1] } }
    args { name: "bias_sizes" sizes { values: 5 } }
    args { name: "stride" sizes { values: 1 values: 2 } }
    args { name: "padding" sizes {} }
    args { name: "dilation" null: true }
    args { name: "groups" i: 1 })");
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_TRUE(IsNull(0));
  const auto* bias = static_cast<const diopiSize_t*>(Arg<void*>(6));
  EXPECT_EQ(bias->len, 1);
  EXPECT_EQ(bias->data[0], 5);
  const auto stride = Arg<diopiSize_t>(7);
  EXPECT_EQ(stride.len, 2);
  EXPECT_EQ(stride.data[1], 2);
  EXPECT_EQ(Arg<diopiSize_t>(8).len, 0);
  EXPECT_NE(Arg<diopiSize_t>(8).data, nullptr);
  EXPECT_EQ(Arg<diopiSize_t>(9).data, nullptr);
}

TEST_F(CallFrameTest, ScalarsOfEveryKind) {
  struct Row {
    std::string scalar;
    diopiDtype_t stype;
    bool is_float;
    double value;
  };
  for (const Row& row : {Row{"dtype: float64 f: 2.5", diopi_dtype_float64, true, 2.5},
                         Row{"dtype: float32 i: 3", diopi_dtype_float32, true, 3},
                         Row{"dtype: int64 i: -4", diopi_dtype_int64, false, -4},
                         Row{"dtype: int32 f: 5", diopi_dtype_int32, false, 5},
                         Row{"dtype: bool i: 1", diopi_dtype_bool, true, 1},
                         Row{"dtype: bool i: 0", diopi_dtype_bool, true, 0}}) {
    const absl::Status built = Build(
        "function: 'diopiFill' args { name: 'input' role: ROLE_INOUT tensor { dtype: float32 shape: 2 } }"
        "args { name: 'value' scalar { " +
        row.scalar + " } }");
    ASSERT_TRUE(built.ok()) << built;
    const auto* scalar = static_cast<const diopiScalar_t*>(Arg<void*>(1));
    EXPECT_EQ(scalar->stype, row.stype);
    EXPECT_EQ(row.is_float ? scalar->fval : static_cast<double>(scalar->ival), row.value) << row.scalar;
    if (row.stype == diopi_dtype_bool) {
      EXPECT_EQ(scalar->ival != 0, row.value != 0);
    }
    frame_.reset();
  }
}

TEST_F(CallFrameTest, StridedInputsKeepTheirGapsAndAreWatchedThere) {
  const absl::Status built = Build(R"(
    function: "diopiFill"
    args { name: "input" role: ROLE_INPUT
           tensor { dtype: float32 shape: [2, 2] strides: [1, 3] storage_offset: 1 storage_elements: 6 } }
    args { name: "value" scalar { dtype: float64 f: 0 } })");
  ASSERT_TRUE(built.ok()) << built;
  const diopiTensor& tensor = *Tensor(0);
  float storage[6];
  ASSERT_EQ(tensor.storage.bytes, sizeof(storage));
  std::memcpy(storage, tensor.storage.data, sizeof(storage));
  EXPECT_EQ(storage[1], 1);
  EXPECT_EQ(storage[4], 2);
  EXPECT_EQ(storage[2], 3);
  EXPECT_EQ(storage[5], 4);
  EXPECT_NE(storage[0], storage[0]);  // gaps are NaN
  EXPECT_EQ(ReadTensor("input", tensor).data, std::string(reinterpret_cast<char*>(ones_), 16));
  tensor.storage.data[12] = std::byte{0};
  Findings findings;
  CheckFrame(*frame_, context_, &findings);
  ASSERT_EQ(findings.list().size(), 1u);
  EXPECT_EQ(findings.list()[0].kind(), v1::MemoryFinding::CHANGED_INPUT);
  EXPECT_EQ(findings.list()[0].index(), 3);
}

TEST_F(CallFrameTest, WhatDoesNotFitIsNamed) {
  const std::pair<std::string, std::string> rows[] = {
      {"args { name: 'out' }", "the signature wants input as argument 1"},
      {"args { name: 'input' role: ROLE_INOUT i: 3 }", "argument input: expected a tensor"},
      {"args { name: 'input' role: ROLE_OUTPUT tensor { dtype: unsupported shape: 1 } }", "make no tensor"},
      {"args { name: 'input' role: ROLE_OUTPUT tensor { dtype: int8 shape: 9223372036854775807 } }",
       "too large"},
      {"args { name: 'input' role: ROLE_OUTPUT tensor { dtype: int8 shape: -1 } }", "make no tensor"},
      {"args { name: 'input' role: ROLE_OUTPUT tensor { dtype: int8 } }", "wants value as argument 2"},
      {"args { name: 'input' role: ROLE_OUTPUT tensor { dtype: int8 } } args { name: 'value' f: 1 }",
       "argument value: expected a scalar"}};
  for (const auto& [args, text] : rows) {
    const absl::Status built = Build("function: 'diopiFill' " + args);
    EXPECT_EQ(built.code(), absl::StatusCode::kInvalidArgument) << args;
    EXPECT_NE(built.message().find(text), absl::string_view::npos) << built;
  }
}

}  // namespace
}  // namespace diopi::loader
