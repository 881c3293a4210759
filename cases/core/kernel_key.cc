#include "cases/core/kernel_key.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"

namespace diopi::cases {
namespace {

const v1::TensorSpec* Tensor(const v1::Case& c, const std::string& name) {
  const v1::Argument* argument = FindArgument(c, name);
  return argument != nullptr && argument->has_tensor() ? &argument->tensor() : nullptr;
}

int64_t Size(const v1::TensorSpec& spec, int i) {
  return spec.shape(i);
}

// Whether the last two dimensions lie row by row (false) or column by column (true); nothing when neither.
std::optional<bool> Transposed(const v1::TensorSpec& spec) {
  const int rank = spec.shape_size();
  if (rank < 2 || spec.strides_size() != rank) return std::nullopt;
  const int64_t row = spec.strides(rank - 2), column = spec.strides(rank - 1);
  if (column == 1 && row == Size(spec, rank - 1)) return false;
  if (row == 1 && column == Size(spec, rank - 2)) return true;
  return std::nullopt;
}

std::string Gemm(const v1::Case& c, const v1::TensorSpec& a, const v1::TensorSpec& b, bool b_transposed) {
  const std::optional<bool> left = Transposed(a), right = Transposed(b);
  if (!left || !right || b.shape_size() != 2) return "";
  int64_t rows = 1;
  for (int i = 0; i + 1 < a.shape_size(); ++i) rows *= Size(a, i);
  if (a.shape_size() > 2 && *left) return "";
  return absl::StrCat("gemm ", std::string(DtypeName(c.dtype())), " M=", rows,
                      " N=", Size(b, b_transposed ? 0 : 1), " K=", Size(a, a.shape_size() - 1),
                      " transA=", *left ? 1 : 0, " transB=", *right != b_transposed ? 1 : 0);
}

// The two values of a list, or one value for both.
std::vector<int64_t> Two(const v1::Argument* argument) {
  if (argument == nullptr || !argument->has_sizes() || argument->sizes().values().empty()) return {};
  const auto& values = argument->sizes().values();
  return {values[0], values[values.size() - 1]};
}

std::string Convolution(const v1::Case& c, const v1::TensorSpec& input, const v1::TensorSpec& weight) {
  const std::vector<int64_t> stride = Two(FindArgument(c, "stride")),
                             padding = Two(FindArgument(c, "padding")),
                             dilation = Two(FindArgument(c, "dilation"));
  const v1::Argument* groups = FindArgument(c, "groups");
  if (input.shape_size() != 4 || weight.shape_size() != 4 || stride.empty() || padding.empty()) return "";
  if (dilation != std::vector<int64_t>{1, 1} || groups == nullptr || groups->i() != 1) return "";
  return absl::StrCat("conv ", std::string(DtypeName(c.dtype())), " W=", Size(input, 3),
                      " H=", Size(input, 2), " C=", Size(input, 1), " N=", Size(input, 0),
                      " OutC=", Size(weight, 0), " kw=", Size(weight, 3), " kh=", Size(weight, 2),
                      " pw=", padding[1], " ph=", padding[0], " sh=", stride[1], " sv=", stride[0]);
}

}  // namespace

std::string KernelKey(const v1::Case& c) {
  const v1::TensorSpec* input = Tensor(c, "input");
  if (input == nullptr) return "";
  const v1::TensorSpec* weight = Tensor(c, "weight");
  if (c.function() == "diopiConvolution2d" && weight != nullptr) return Convolution(c, *input, *weight);
  if (c.function() == "diopiLinear" && weight != nullptr) return Gemm(c, *input, *weight, true);
  const v1::TensorSpec* other = Tensor(c, c.function() == "diopiMm" ? "mat2" : "other");
  if ((c.function() == "diopiMatmul" || c.function() == "diopiMm") && other != nullptr) {
    return Gemm(c, *input, *other, false);
  }
  return "";
}

}  // namespace diopi::cases
