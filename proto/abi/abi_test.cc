#include "proto/abi/abi.h"

#include <gtest/gtest.h>

#include <set>

namespace diopi::abi {
namespace {

TEST(AbiTest, HoldsEveryFunctionOnce) {
  std::set<std::string> names;
  for (const Function* function : Functions()) {
    EXPECT_TRUE(names.insert(function->name()).second) << function->name();
    EXPECT_EQ(FindFunction(function->name()), function);
    EXPECT_EQ(function->param(0).kind(), CONTEXT) << function->name();
  }
  EXPECT_EQ(names.size(), 538u);
  EXPECT_EQ(Functions().front()->name(), "diopiConvolution2d");
}

TEST(AbiTest, KnowsHeaders) {
  EXPECT_EQ(HeaderOf("diopiAdd"), "functions.h");
  EXPECT_EQ(HeaderOf("diopiRMSNorm"), "functions_ext.h");
  EXPECT_EQ(HeaderOf("diopiNmsMmcv"), "functions_mmcv.h");
  EXPECT_EQ(HeaderOf("diopiSpMM"), "functions_sparse.h");
  EXPECT_EQ(HeaderOf("diopiGetVendorName"), "functions.h");
  EXPECT_EQ(HeaderOf("diopiRequireTensor"), "diopirt.h");
  EXPECT_EQ(HeaderOf("device_malloc"), "diopi_device.h");
  EXPECT_EQ(HeaderOf("diopiNoSuch"), "");
}

TEST(AbiTest, FindsFunctionsAndParams) {
  EXPECT_EQ(FindFunction("diopiNoSuch"), nullptr);
  EXPECT_EQ(FindFunction("diopiRequireTensor"), nullptr) << "only operators are found";
  const Function* conv = FindFunction("diopiConvolution2d");
  ASSERT_NE(conv, nullptr);
  ASSERT_NE(FindParam(*conv, "bias"), nullptr);
  EXPECT_TRUE(FindParam(*conv, "bias")->nullable());
  EXPECT_FALSE(FindParam(*conv, "weight")->nullable());
  EXPECT_EQ(FindParam(*conv, "nothing"), nullptr);
}

TEST(AbiTest, RuntimeDeviceAndMeta) {
  EXPECT_EQ(RuntimeFunctions().size(), 36u);
  EXPECT_EQ(DeviceFunctions().size(), 11u);
  EXPECT_EQ(MetaFunctions().size(), 3u);
}

struct ParamRow {
  const char* function;
  const char* param;
  Kind kind;
  Direction direction;
  bool nullable;
};

// Unusual functions, and those where an error would do the most harm.
TEST(AbiTest, ParametersAreAsTheyShouldBe) {
  const ParamRow rows[] = {
      {"diopiIndex", "out", TENSOR_POINTER, OUT, false},
      {"diopiIndex", "indices", CONST_TENSOR_ARRAY, IN, false},
      {"diopiUnique", "out", TENSOR_POINTER, OUT, false},
      {"diopiUnique", "indices", TENSOR, OUT, true},
      {"diopiUnique", "counts", TENSOR_POINTER, OUT, true},
      {"diopiUnique", "dim", INT64_POINTER, IN, true},
      {"diopiNonzero", "out", TENSOR_POINTER, OUT, false},
      {"diopiSplitWithSizes", "outs", TENSOR_ARRAY, OUT, false},
      {"diopiForeachmulInpScalar", "inputs", TENSOR_ARRAY, INOUT, false},
      {"diopiClipGradNorm", "out", DOUBLE_POINTER, OUT, false},
      {"diopiClipGradNorm", "grads", TENSOR_ARRAY, INOUT, false},
      {"diopiBatchNorm", "running_mean", TENSOR, INOUT, true},
      {"diopiBatchNorm", "weight", CONST_TENSOR, IN, true},
      {"diopiBatchNormBackward", "grad_input", TENSOR, OUT, true},
      {"diopiLinear", "weight", CONST_TENSOR, IN, false},
      {"diopiLinear", "bias", CONST_TENSOR, IN, true},
      {"diopiConvolution2dBackward", "weight", CONST_TENSOR, IN, false},
      {"diopiMaskedFill", "mask", CONST_TENSOR, IN, false},
      {"diopiMaskedFill", "value", CONST_TENSOR, IN, false},
      {"diopiDropout", "mask", TENSOR, OUT, false},
      {"diopiDropout", "generator", GENERATOR, IN, true},
      {"diopiCrossEntropyLoss", "weight", CONST_TENSOR, IN, true},
      {"diopiScatter", "reduce", STRING, IN, true},
      {"diopiClampScalar", "min", SCALAR_POINTER, IN, true},
      {"diopiClamp", "max", CONST_TENSOR, IN, true},
      {"diopiAdd", "alpha", SCALAR_POINTER, IN, false},
      {"diopiAddInp", "input", TENSOR, INOUT, false},
      {"diopiSgd", "param", TENSOR, INOUT, false},
      {"diopiSgd", "buf", TENSOR, INOUT, true},
      {"diopiEqual", "out", BOOL_POINTER, OUT, false},
      {"diopiTopKSampling", "generators", GENERATOR_ARRAY, INOUT, false},
  };
  for (const ParamRow& row : rows) {
    SCOPED_TRACE(std::string(row.function) + "." + row.param);
    const Function* function = FindFunction(row.function);
    ASSERT_NE(function, nullptr);
    const Param* param = FindParam(*function, row.param);
    ASSERT_NE(param, nullptr);
    EXPECT_EQ(param->kind(), row.kind);
    EXPECT_EQ(param->direction(), row.direction);
    EXPECT_EQ(param->nullable(), row.nullable);
  }
}

}  // namespace
}  // namespace diopi::abi
