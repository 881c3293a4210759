// The letters of the axes (cases/core/slice_axes.h) tell which inputs are the factors: those with an axis
// that the output does not have, the one that is summed over. Of the output's axes, one factor has the rows,
// the other the columns, both have the batches. Sums are float64.
#include "baselines/compare/product_probe.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "baselines/compare/expect.h"
#include "cases/base/hash.h"
#include "cases/base/layout.h"
#include "cases/core/random.h"
#include "cases/core/resolved_axes.h"

namespace diopi::baselines {
namespace {

using cases::Letters;

// The sum's deviation beyond which it is wrong. Rows are not equally large, and the chance is spread over
// millions.
constexpr double kProbeLimit = 16;
constexpr char kBias[] = "bias";

bool Contains(const Letters& letters, const std::string& letter) {
  return std::find(letters.begin(), letters.end(), letter) != letters.end();
}

// A tensor and its axes. Every axis has one letter.
struct Operand {
  const HostTensor* tensor = nullptr;
  Letters letters;  // of each axis

  // Offsets in elements of all combinations of these letters' positions, the last one varying fastest.
  std::vector<int64_t> Offsets(const Letters& of, const std::map<std::string, int64_t>& sizes) const {
    const std::vector<int64_t> strides = ContiguousStrides(tensor->shape);
    std::vector<int64_t> offsets = {0};
    for (const std::string& letter : of) {
      int64_t stride = 0;  // broadcast along axes that it does not have
      for (size_t i = 0; i < letters.size(); ++i) {
        if (letters[i] == letter && tensor->shape[i] != 1) stride = strides[i];
      }
      std::vector<int64_t> next;
      next.reserve(offsets.size() * static_cast<size_t>(sizes.at(letter)));
      for (const int64_t before : offsets) {
        for (int64_t at = 0; at < sizes.at(letter); ++at) next.push_back(before + at * stride);
      }
      offsets = std::move(next);
    }
    return offsets;
  }
  double At(int64_t offset) const { return ElementAsDouble(tensor->dtype, tensor->data.data(), offset); }
};

struct Product {
  Operand out, rows, columns, bias;
  Letters batch, row, column, sum;
};

std::optional<Operand> OperandOf(const cases::ResolvedAxes& axes, const std::string& name,
                                 const HostTensor* tensor) {
  const auto found = axes.tensors.find(name);
  if (found == axes.tensors.end() || tensor == nullptr || tensor->shape.size() != found->second.size())
    return std::nullopt;
  Operand operand{tensor, {}};
  for (const Letters& axis : found->second) {
    if (axis.size() != 1) return std::nullopt;
    operand.letters.push_back(axis[0]);
  }
  return operand;
}

std::optional<Product> FindProduct(const cases::ResolvedAxes& axes, const std::string& output,
                                   const TensorMap& inputs, const HostTensor& actual) {
  Product product;
  const std::optional<Operand> out = OperandOf(axes, output, &actual);
  if (!out.has_value()) return std::nullopt;
  product.out = *out;
  std::vector<Operand> factors;
  for (const auto& [name, letters] : axes.tensors) {
    const std::optional<Operand> operand = OperandOf(axes, name, Find(inputs, name));
    if (name == output || !operand.has_value()) continue;
    const bool summed =
        std::any_of(operand->letters.begin(), operand->letters.end(),
                    [&](const std::string& letter) { return !Contains(out->letters, letter); });
    if (summed) factors.push_back(*operand);
    if (!summed && name == kBias) product.bias = *operand;
  }
  if (factors.size() != 2) return std::nullopt;
  if (factors[0].letters == factors[1].letters) return std::nullopt;
  product.rows = factors[0];
  product.columns = factors[1];
  for (const auto& [letter, size] : axes.sizes) {
    const bool in_out = Contains(product.out.letters, letter);
    const bool in_rows = Contains(product.rows.letters, letter);
    const bool in_columns = Contains(product.columns.letters, letter);
    if (!in_out && in_rows != in_columns) return std::nullopt;
    if (in_out && in_rows && in_columns) product.batch.push_back(letter);
    if (in_out && in_rows && !in_columns) product.row.push_back(letter);
    if (in_out && !in_rows && in_columns) product.column.push_back(letter);
    if (in_out && !in_rows && !in_columns) return std::nullopt;
    if (!in_out && in_rows) product.sum.push_back(letter);
  }
  if (product.column.empty() || product.sum.empty()) return std::nullopt;
  return product;
}

class Probe {
 public:
  Probe(const Product& product, const std::map<std::string, int64_t>& sizes, uint64_t key)
      : product_(product),
        out_row_(product.out.Offsets(product.row, sizes)),
        out_column_(product.out.Offsets(product.column, sizes)),
        out_batch_(product.out.Offsets(product.batch, sizes)),
        rows_row_(product.rows.Offsets(product.row, sizes)),
        rows_sum_(product.rows.Offsets(product.sum, sizes)),
        rows_batch_(product.rows.Offsets(product.batch, sizes)),
        columns_column_(product.columns.Offsets(product.column, sizes)),
        columns_sum_(product.columns.Offsets(product.sum, sizes)),
        columns_batch_(product.columns.Offsets(product.batch, sizes)) {
    for (size_t i = 0; i < out_column_.size(); ++i)
      signs_.push_back((RandomBits(key, i, 0) & 1) != 0 ? 1.0 : -1.0);
    if (product.bias.tensor == nullptr) return;
    const std::vector<int64_t> bias = product.bias.Offsets(product.column, sizes);
    for (size_t i = 0; i < bias.size(); ++i) bias_ += signs_[i] * product.bias.At(bias[i]);
  }

  std::optional<std::string> Run(double deviation) const {
    const double limit = kProbeLimit * deviation * std::sqrt(static_cast<double>(signs_.size()));
    std::vector<double> combined(columns_sum_.size());
    for (size_t b = 0; b < out_batch_.size(); ++b) {
      for (size_t k = 0; k < combined.size(); ++k) {
        double sum = 0;
        for (size_t n = 0; n < signs_.size(); ++n)
          sum += signs_[n] * product_.columns.At(columns_batch_[b] + columns_sum_[k] + columns_column_[n]);
        combined[k] = sum;
      }
      for (size_t m = 0; m < out_row_.size(); ++m) {
        double expected = bias_;
        for (size_t k = 0; k < combined.size(); ++k)
          expected += product_.rows.At(rows_batch_[b] + rows_row_[m] + rows_sum_[k]) * combined[k];
        double sum = 0;
        const int64_t row = out_batch_[b] + out_row_[m];
        for (size_t n = 0; n < signs_.size(); ++n) sum += signs_[n] * product_.out.At(row + out_column_[n]);
        if (std::fabs(sum - expected) <= limit) continue;
        return absl::StrCat("the row at ", PlaceText(product_.out.tensor->shape, row),
                            ", added up with random signs, is ", sum, " instead of ", expected, " +- ", limit,
                            ": elements of it that were not compared are wrong");
      }
    }
    return std::nullopt;
  }

 private:
  const Product& product_;
  std::vector<int64_t> out_row_, out_column_, out_batch_, rows_row_, rows_sum_, rows_batch_, columns_column_,
      columns_sum_, columns_batch_;
  std::vector<double> signs_;
  double bias_ = 0;
};

}  // namespace

std::optional<std::string> ProbeProduct(const v1::Case& c, const cases::SliceAxes& axes,
                                        const std::string& output, const TensorMap& inputs,
                                        const HostTensor& actual, double deviation) {
  if (!axes.windows.empty() || !axes.gathered.empty() || axes.tensors.empty()) return std::nullopt;
  const std::optional<cases::ResolvedAxes> resolved = cases::ResolveAxes(c, axes);
  if (!resolved.has_value()) return std::nullopt;
  const std::optional<Product> product = FindProduct(*resolved, output, inputs, actual);
  if (!product.has_value()) return std::nullopt;
  return Probe(*product, resolved->sizes, Xxh64(c.hash() + "\nprobe")).Run(deviation);
}

}  // namespace diopi::baselines
