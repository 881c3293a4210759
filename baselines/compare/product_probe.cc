// The letters of the axes (cases/slices/slice_axes.h) tell which inputs are the factors: those with an axis
// that the output does not have, the one that is summed over. Of the output's axes, one factor has the rows,
// the other the columns, both have the batches. Sums are float64.
#include "baselines/compare/product_probe.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "baselines/compare/contraction.h"
#include "baselines/compare/convolution_probe.h"
#include "baselines/compare/expect.h"
#include "cases/base/hash.h"
#include "cases/slices/resolved_axes.h"

namespace diopi::baselines {
namespace {

using slices::Letters;

constexpr char kBias[] = "bias";

// The factors of a product, and which of them have the output's axes.
struct Product {
  std::optional<Operand> out, rows, columns, bias;
  Letters batch, row, column, sum;
};

std::optional<Product> FindProduct(const slices::ResolvedAxes& axes, const std::string& output,
                                   const TensorViews& inputs, const TensorView& actual) {
  Product product;
  product.out = Operand::Of(axes, output, &actual);
  if (!product.out.has_value() || !product.out->IsWhole()) return std::nullopt;
  std::vector<Operand> factors;
  for (const auto& [name, letters] : axes.tensors) {
    const std::optional<Operand> operand = Operand::Of(axes, name, FindView(inputs, name));
    if (name == output || !operand.has_value()) continue;
    const bool summed = std::any_of(letters.begin(), letters.end(), [&](const Letters& axis) {
      return !std::all_of(axis.begin(), axis.end(),
                          [&](const std::string& letter) { return product.out->Has(letter); });
    });
    if (summed) factors.push_back(*operand);
    if (!summed && name == kBias) product.bias = operand;
  }
  if (factors.size() != 2 || factors[0].SameAxes(factors[1])) return std::nullopt;
  product.rows = factors[0];
  product.columns = factors[1];
  for (const auto& [letter, size] : axes.sizes) {
    const bool in_out = product.out->Has(letter);
    const bool in_rows = product.rows->Has(letter);
    const bool in_columns = product.columns->Has(letter);
    if (!in_out && in_rows != in_columns) return std::nullopt;
    if (in_out && !in_rows && !in_columns) return std::nullopt;
    if (in_out && in_rows && in_columns) product.batch.push_back(letter);
    if (in_out && in_rows && !in_columns) product.row.push_back(letter);
    if (in_out && !in_rows) product.column.push_back(letter);
    if (!in_out && in_rows) product.sum.push_back(letter);
  }
  if (product.column.empty() || product.sum.empty()) return std::nullopt;
  return product;
}

Probed Probe(const Product& product, uint64_t key, double deviation) {
  const Operand& out = *product.out;
  const Offsets columns = product.columns->Of(product.column);
  const std::vector<double> signs = RandomSigns(key, columns.at.size());
  const double limit = kProbeLimit * deviation * std::sqrt(static_cast<double>(signs.size()));
  double bias = 0;
  if (product.bias.has_value())
    bias = product.bias->Contract(0, {{0}, 1}, product.bias->Of(product.column), signs)[0];
  const Offsets columns_sum = product.columns->Of(product.sum);
  const Offsets rows = product.rows->Of(product.row);
  const Offsets rows_sum = product.rows->Of(product.sum);
  const Offsets out_rows = out.Of(product.row);
  const Offsets out_columns = out.Of(product.column);
  const Offsets out_batch = out.Of(product.batch);
  const Offsets rows_batch = product.rows->Of(product.batch);
  const Offsets columns_batch = product.columns->Of(product.batch);
  Probed probed{true, std::nullopt};
  for (size_t b = 0; b < out_batch.at.size(); ++b) {
    const std::vector<double> combined =
        product.columns->Contract(columns_batch.at[b], columns_sum, columns, signs);
    const std::vector<double> expected = product.rows->Contract(rows_batch.at[b], rows, rows_sum, combined);
    const std::vector<double> sums = out.Contract(out_batch.at[b], out_rows, out_columns, signs);
    for (size_t m = 0; m < sums.size(); ++m) {
      probed.finite = probed.finite && std::isfinite(sums[m]);
      if (probed.wrong.has_value() || std::fabs(sums[m] - bias - expected[m]) <= limit) continue;
      probed.wrong = Found(v1::Finding::ROW_SUM_WRONG)
                         .Place(PlaceAt(out.tensor().shape, out_batch.at[b] + out_rows.at[m]))
                         .Got(absl::StrCat(sums[m]))
                         .Expected(absl::StrCat(bias + expected[m]))
                         .Limit(absl::StrCat(limit));
    }
  }
  return probed;
}

}  // namespace

Probed ProbeProduct(const v1::Case& c, const slices::SliceAxes& axes, const std::string& output,
                    const TensorViews& inputs, const TensorView& actual, double deviation) {
  if (!axes.gathered.empty() || axes.tensors.empty()) return {};
  const std::optional<slices::ResolvedAxes> resolved = slices::ResolveAxes(c, axes);
  if (!resolved.has_value()) return {};
  const uint64_t key = Xxh64(c.hash() + "\nprobe");
  if (!axes.windows.empty())
    return ProbeConvolution(c, axes, *resolved, {output, &actual}, inputs, key, deviation);
  const std::optional<Product> product = FindProduct(*resolved, output, inputs, actual);
  if (!product.has_value()) return {};
  return Probe(*product, key, deviation);
}

}  // namespace diopi::baselines
