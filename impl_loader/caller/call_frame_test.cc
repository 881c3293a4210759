// How each kind of argument reaches a library. The tests of impl_loader/call cover what libffi does with it.
#include "impl_loader/caller/call_frame.h"

#include <gtest/gtest.h>

#include <cstring>

#include "cases/base/status_macros.h"
#include "cases/base/tensor.h"
#include "impl_loader/caller/checks.h"
#include "impl_loader/caller/test_cases.h"

namespace diopi::loader {
namespace {

constexpr Dtype kFloat = v1::Dtype::float32;

class CallFrameTest : public testing::Test {
 protected:
  // Inputs are float32 and hold 1, 2, 3, ...
  absl::Status Build(const CaseBuilder& builder) { return Build(builder.Done()); }
  absl::Status Build(const v1::Case& c) {
    case_ = c;
    for (int i = 0; i < 64; ++i) ones_[i] = static_cast<float>(i + 1);
    std::vector<InputView> inputs;
    const auto add = [&](const std::string& key, const v1::TensorSpec& spec) {
      std::vector<int64_t> shape(spec.shape().begin(), spec.shape().end());
      if (!spec.from().empty()) shape = produced_;
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
    ASSIGN_OR_RETURN(frame_, CallFrame::Build(*abi::FindFunction(case_.function()), case_, inputs,
                                              v1::Dtype::unsupported, &context_));
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

  std::vector<int64_t> produced_;  // of inputs that another function's library allocated
  runtime::Arena host_;
  diopiContext context_{&host_, nullptr, runtime::DeviceFunctions()};
  v1::Case case_;
  float ones_[64];
  std::vector<std::unique_ptr<std::string>> keys_;
  std::unique_ptr<CallFrame> frame_;
};

TEST_F(CallFrameTest, ListsMayHoldNullHandles) {
  const absl::Status built =
      Build(CaseBuilder("diopiIndexPut")
                .Tensor("out", v1::ROLE_OUTPUT, Spec(kFloat, {4}))
                .Tensor("input", v1::ROLE_INPUT, Spec(kFloat, {4}))
                .Tensor("values", v1::ROLE_INPUT, Spec(kFloat, {}))
                .Tensors("indices", v1::ROLE_INPUT, {v1::TensorSpec(), Spec(kFloat, {2})}, {true, false})
                .Int("indices_counts", 2)
                .Bool("accumulate", true));
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_EQ(Tensor(2)->numel, 1);
  const auto* list = static_cast<diopiTensorHandle_t*>(Arg<void*>(3));
  EXPECT_EQ(list[0], nullptr);
  EXPECT_EQ(list[1]->shape, std::vector<int64_t>{2});
  EXPECT_EQ(Arg<int64_t>(4), 2);
  EXPECT_TRUE(Arg<bool>(5));
}

TEST_F(CallFrameTest, HostOutputsAreGuardedAndPoisoned) {
  const absl::Status built = Build(CaseBuilder("diopiClipGradNorm")
                                       .HostOutput("out", v1::Dtype::float64)
                                       .Tensors("grads", v1::ROLE_INOUT, {Spec(kFloat, {3})})
                                       .Int("num_grads", 1)
                                       .Float("max_norm", 1.5)
                                       .Int("norm_type", 2)
                                       .Bool("error_if_nonfinite", false));
  ASSERT_TRUE(built.ok()) << built;
  auto* out = static_cast<uint8_t*>(Arg<void*>(0));
  EXPECT_EQ(out[0], 0xA5);
  EXPECT_EQ(Arg<double>(3), 1.5);
  EXPECT_EQ(Arg<double>(4), 2);
  EXPECT_EQ(frame_->tensors()[1].key, "grads.0");
  out[8] = 0;
  Findings findings;
  CheckFrame(frame_.get(), context_, &findings);
  ASSERT_EQ(findings.list().size(), 1u);
  EXPECT_EQ(findings.list()[0].name(), "out");
  EXPECT_EQ(findings.list()[0].index(), 0);
}

TEST_F(CallFrameTest, SomeTensorsLieInTheHostsMemory) {
  const absl::Status built = Build(CaseBuilder("diopiDynamicVoxelizeMmcv")
                                       .Tensor("coors", v1::ROLE_OUTPUT, Spec(v1::Dtype::int32, {2, 3}))
                                       .Tensor("points", v1::ROLE_INPUT, Spec(kFloat, {2, 3}))
                                       .Tensor("voxel_size", v1::ROLE_INPUT, Spec(kFloat, {3}))
                                       .Tensor("coors_range", v1::ROLE_INPUT, Spec(kFloat, {6}))
                                       .Int("NDim", 3));
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_EQ(Tensor(1)->device, diopi_device);
  EXPECT_EQ(Tensor(2)->device, diopi_host);
  EXPECT_EQ(Tensor(3)->device, diopi_host);
  EXPECT_EQ(reinterpret_cast<const float*>(Tensor(2)->storage.data)[2], 3);
}

TEST_F(CallFrameTest, GeneratorsAreRestoredBeforeEachCall) {
  const absl::Status built = Build(CaseBuilder("diopiDropout")
                                       .Tensor("out", v1::ROLE_OUTPUT, Spec(kFloat, {4}))
                                       .Tensor("mask", v1::ROLE_OUTPUT, Spec(v1::Dtype::bool_, {4}))
                                       .Tensor("input", v1::ROLE_INPUT, Spec(kFloat, {4}))
                                       .Float("p", 0.5)
                                       .Bool("train", true)
                                       .Generator("generator", 7, 9));
  ASSERT_TRUE(built.ok()) << built;
  auto* generator = static_cast<diopiGenerator*>(Arg<void*>(5));
  EXPECT_EQ(generator->seed, 7u);
  EXPECT_FALSE(frame_->GeneratorsMoved());
  generator->offset = 1000;
  EXPECT_TRUE(frame_->GeneratorsMoved());
  frame_->Prepare(0x5A);
  EXPECT_EQ(generator->offset, 9u);
  EXPECT_FALSE(frame_->GeneratorsMoved());
}

TEST_F(CallFrameTest, ArraysHaveAsManyGeneratorsAsTheirCountSays) {
  CaseBuilder builder("diopiTopKSampling");
  for (const abi::Param& param : abi::FindFunction("diopiTopKSampling")->param()) {
    const std::string& name = param.name();
    if (param.kind() == abi::TENSOR || param.kind() == abi::CONST_TENSOR) {
      builder.Tensor(name, v1::ROLE_INPUT, Spec(kFloat, {3}));
    } else if (param.kind() == abi::GENERATOR_ARRAY) {
      builder.Generator(name, 7, 9);
    } else if (param.kind() != abi::CONTEXT) {
      builder.Int(name, 3);
    }
  }
  v1::Case c = builder.Done();
  c.mutable_args(2)->set_scratch(kFloat);  // workspace
  const absl::Status built = Build(c);
  ASSERT_TRUE(built.ok()) << built;
  auto* generators = static_cast<diopiGeneratorHandle_t*>(Arg<void*>(frame_->args().size() - 1));
  EXPECT_EQ(generators[2]->offset, 9u);
  EXPECT_NE(generators[0]->seed, generators[1]->seed);
  EXPECT_GT(generators[1]->seed ^ generators[2]->seed, 1000u);  // far apart
  generators[2]->offset = 10;
  EXPECT_TRUE(frame_->GeneratorsMoved());
}

TEST_F(CallFrameTest, ASparseMatrixLeadsToItsParts) {
  v1::Case c =
      CaseBuilder("diopiSpMM")
          .Tensor("out", v1::ROLE_OUTPUT, Spec(kFloat, {2, 4}))
          .Tensors("input", v1::ROLE_INPUT, {Spec(kFloat, {3}), Spec(kFloat, {5}), Spec(kFloat, {5})})
          .Tensor("mat2", v1::ROLE_INPUT, Spec(kFloat, {6, 4}))
          .Done();
  EXPECT_FALSE(Build(c).ok());  // a list where one tensor is expected
  v1::TensorList* parts = c.mutable_args(1)->mutable_tensors();
  parts->add_sparse_shape(2);
  parts->add_sparse_shape(6);
  const absl::Status built = Build(c);
  ASSERT_TRUE(built.ok()) << built;
  const diopiTensor* matrix = Tensor(1);
  EXPECT_EQ(matrix->shape, (std::vector<int64_t>{2, 6}));
  EXPECT_EQ(matrix->numel, 12);
  EXPECT_EQ(matrix->storage.data, nullptr);
  EXPECT_EQ(matrix->row_starts->shape, std::vector<int64_t>{3});
  EXPECT_EQ(matrix->values->shape, std::vector<int64_t>{5});
  EXPECT_EQ(matrix->dtype, matrix->values->dtype);
  parts->mutable_tensors()->RemoveLast();
  EXPECT_FALSE(Build(c).ok());
}

TEST_F(CallFrameTest, WhatALibraryAllocatedHasTheShapeOfItsValues) {
  produced_ = {3, 2};
  v1::TensorSpec saved = Spec(kFloat, {});
  saved.set_from("diopiUnique.out");
  const absl::Status built = Build(CaseBuilder("diopiNeg")
                                       .Tensor("out", v1::ROLE_OUTPUT, Spec(kFloat, {3, 2}))
                                       .Tensor("input", v1::ROLE_INPUT, saved));
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_EQ(Tensor(1)->shape, produced_);
  EXPECT_EQ(Tensor(1)->strides, (std::vector<int64_t>{2, 1}));
}

TEST_F(CallFrameTest, PointersToAttributesAndSlotsForTheLibrary) {
  const absl::Status built = Build(CaseBuilder("diopiUnique")
                                       .LibraryOutput("out")
                                       .Tensor("input", v1::ROLE_INPUT, Spec(kFloat, {4}))
                                       .Int("dim", -1)
                                       .Bool("sorted", true)
                                       .Bool("return_counts", false)
                                       .Tensor("indices", v1::ROLE_OUTPUT, Spec(v1::Dtype::int64, {4}))
                                       .Null("counts"));
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
  const absl::Status built = Build(CaseBuilder("diopiConvolution2dBackward")
                                       .Null("grad_input")
                                       .Tensor("grad_weight", v1::ROLE_OUTPUT, Spec(kFloat, {1, 1, 1, 1}))
                                       .Null("grad_bias")
                                       .Tensor("grad_output", v1::ROLE_INPUT, Spec(kFloat, {1, 1, 2, 2}))
                                       .Tensor("input", v1::ROLE_INPUT, Spec(kFloat, {1, 1, 2, 2}))
                                       .Tensor("weight", v1::ROLE_INPUT, Spec(kFloat, {1, 1, 1, 1}))
                                       .Sizes("bias_sizes", {5})
                                       .Sizes("stride", {1, 2})
                                       .Sizes("padding", {})
                                       .Null("dilation")
                                       .Int("groups", 1));
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
    Dtype dtype;
    bool given_as_float;
    double value;
    bool passed_as_float;
  };
  for (const Row& row : {Row{v1::Dtype::float64, true, 2.5, true}, Row{v1::Dtype::float32, false, 3, true},
                         Row{v1::Dtype::int64, false, -4, false}, Row{v1::Dtype::int32, true, 5, false},
                         Row{v1::Dtype::bool_, false, 1, true}, Row{v1::Dtype::bool_, false, 0, true}}) {
    CaseBuilder builder("diopiFill");
    builder.Tensor("input", v1::ROLE_INOUT, Spec(kFloat, {2}));
    if (row.given_as_float) {
      builder.Scalar("value", row.dtype, row.value);
    } else {
      builder.IntScalar("value", row.dtype, static_cast<int64_t>(row.value));
    }
    const absl::Status built = Build(builder);
    ASSERT_TRUE(built.ok()) << built;
    const auto* scalar = static_cast<const diopiScalar_t*>(Arg<void*>(1));
    EXPECT_EQ(static_cast<int>(scalar->stype), static_cast<int>(row.dtype));
    EXPECT_EQ(row.passed_as_float ? scalar->fval : static_cast<double>(scalar->ival), row.value);
    if (row.dtype == v1::Dtype::bool_) {
      EXPECT_EQ(scalar->ival != 0, row.value != 0);
    }
    frame_.reset();
  }
}

TEST_F(CallFrameTest, StridedInputsKeepTheirGapsAndAreWatchedThere) {
  v1::TensorSpec spec = Spec(kFloat, {2, 2});
  spec.set_strides(0, 1);
  spec.set_strides(1, 3);
  spec.set_storage_offset(1);
  spec.set_storage_elements(6);
  const absl::Status built =
      Build(CaseBuilder("diopiFill").Tensor("input", v1::ROLE_INPUT, spec).Scalar("value", kFloat, 0));
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
  CheckFrame(frame_.get(), context_, &findings);
  ASSERT_EQ(findings.list().size(), 1u);
  EXPECT_EQ(findings.list()[0].code(), v1::Finding::INPUT_CHANGED);
  EXPECT_EQ(findings.list()[0].index(), 3);
}

TEST_F(CallFrameTest, WhatDoesNotFitIsNamed) {
  const auto fill = [](const v1::TensorSpec& spec) {
    return CaseBuilder("diopiFill").Tensor("input", v1::ROLE_OUTPUT, spec);
  };
  v1::TensorSpec huge = Spec(v1::Dtype::int8, {INT64_MAX});
  const std::pair<CaseBuilder, std::string> rows[] = {
      {CaseBuilder("diopiFill").Null("out"), "the signature wants input as argument 1"},
      {CaseBuilder("diopiFill").Int("input", 3), "argument input: expected a tensor"},
      {fill(Spec(v1::Dtype::unsupported, {1})), "do not describe a tensor"},
      {fill(huge), "too large"},
      {fill(Spec(v1::Dtype::int8, {-1})), "do not describe a tensor"},
      {fill(Spec(v1::Dtype::int8, {})), "wants value as argument 2"},
      {fill(Spec(v1::Dtype::int8, {})).Float("value", 1), "argument value: expected a scalar"}};
  for (const auto& [builder, text] : rows) {
    const absl::Status built = Build(builder);
    EXPECT_EQ(built.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_NE(built.message().find(text), absl::string_view::npos) << built;
  }
}

}  // namespace
}  // namespace diopi::loader
