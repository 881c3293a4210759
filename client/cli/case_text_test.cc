#include "client/cli/case_text.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace diopi::cli {
namespace {

TEST(ArgumentsText, EveryKind) {
  v1::Case c;
  auto* tensor = c.add_args();
  tensor->set_name("input");
  tensor->set_role(v1::ROLE_INPUT);
  tensor->mutable_tensor()->set_dtype(v1::Dtype::float32);
  for (const int64_t size : {2, 3}) tensor->mutable_tensor()->add_shape(size);
  for (const int64_t stride : {1, 2}) tensor->mutable_tensor()->add_strides(stride);
  auto* alpha = c.add_args();
  alpha->set_name("alpha");
  alpha->mutable_scalar()->set_dtype(v1::Dtype::float64);
  alpha->mutable_scalar()->set_f(0.5);
  auto* weight = c.add_args();
  weight->set_name("weight");
  weight->set_role(v1::ROLE_INPUT);
  weight->set_null(true);
  auto* mode = c.add_args();
  mode->set_name("mode");
  mode->set_s("a\"b");
  EXPECT_EQ(ArgumentsText(c),
            "  input            in       float32 (2, 3), strides (1, 2)\n"
            "  alpha                     float64 0.5\n"
            "  weight           in       null\n"
            "  mode                      \"a\\\"b\"\n");
}

TEST(CaseText, SaysWhatElseIsAccepted) {
  v1::Case c;
  c.add_judges()->set_output("out");
  EXPECT_EQ(CaseText(c).find("Also accepted"), std::string::npos);
  v1::Reading* reading = c.add_readings();
  reading->set_kind(v1::Reading::ROUNDED_SCALARS);
  reading->add_args("alpha");
  reading->set_reason("a number is given in the tensors' type");
  EXPECT_NE(
      CaseText(c).find("Also accepted\n  rounded_scalars(alpha): a number is given in the tensors' type\n"),
      std::string::npos)
      << CaseText(c);
}

TEST(TensorText, IntegersAreExact) {
  HostTensor tensor;
  tensor.dtype = v1::Dtype::int64;
  tensor.shape = {2};
  const int64_t values[] = {std::numeric_limits<int64_t>::max(), -1};
  tensor.data.assign(reinterpret_cast<const char*>(values), sizeof(values));
  EXPECT_EQ(TensorText(tensor, 8), "int64 (2,): 9223372036854775807, -1");
  EXPECT_EQ(TensorText(tensor, 1), "int64 (2,): 9223372036854775807, ...");
}

TEST(TensorText, ComplexNumbersHaveTwoParts) {
  HostTensor tensor{v1::Dtype::complex64, {1}, {}};
  const float parts[] = {-0.25F, 1.5F};
  tensor.data.assign(reinterpret_cast<const char*>(parts), sizeof(parts));
  EXPECT_EQ(TensorText(tensor, 8), "complex64 (1,): (-0.25, 1.5)");
}

TEST(TensorText, EmptyAndScalar) {
  HostTensor empty;
  empty.shape = {0, 3};
  EXPECT_EQ(TensorText(empty, 8), "float32 (0, 3): empty");
  HostTensor scalar;
  const float value = 0.1F;
  scalar.data.assign(reinterpret_cast<const char*>(&value), sizeof(value));
  EXPECT_EQ(TensorText(scalar, 8), "float32 (): 0.100000001");
}

}  // namespace
}  // namespace diopi::cli
