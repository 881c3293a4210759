#include "baselines/compare/readings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace diopi::baselines {
namespace {

// The matrices in the last two dimensions.
struct Matrices {
  int64_t count = 0, rows = 0, columns = 0;
};

Matrices MatricesOf(const HostTensor& tensor) {
  const size_t rank = tensor.shape.size();
  const int64_t elements = NumElements(tensor.shape);
  if (rank < 2 || elements == 0) return {};
  const int64_t rows = tensor.shape[rank - 2], columns = tensor.shape[rank - 1];
  return {elements / rows / columns, rows, columns};
}

// Some elements of a tensor: a row or a column of a matrix.
struct Line {
  int64_t first = 0, step = 1, length = 0;
};

Line ColumnOf(const Matrices& m, int64_t matrix, int64_t column) {
  return {matrix * m.rows * m.columns + column, m.columns, m.rows};
}

Line RowOf(const Matrices& m, int64_t matrix, int64_t row) {
  return {(matrix * m.rows + row) * m.columns, 1, m.columns};
}

bool PointsAway(const HostTensor& actual, const HostTensor& expected, const Line& line) {
  double product = 0;
  for (int64_t k = 0; k < line.length; ++k) {
    const int64_t at = line.first + k * line.step;
    product += ElementAsDouble(actual.dtype, actual.data.data(), at) *
               ElementAsDouble(expected.dtype, expected.data.data(), at);
  }
  return product < 0;
}

void Negate(const Line& line, HostTensor* tensor) {
  for (int64_t k = 0; k < line.length; ++k) {
    const int64_t at = line.first + k * line.step;
    StoreDouble(tensor->dtype, tensor->data.data(), at,
                -ElementAsDouble(tensor->dtype, tensor->data.data(), at));
  }
}

}  // namespace

double RoundedTo(Dtype dtype, double value) {
  char bytes[16] = {};
  StoreDouble(dtype, bytes, 0, value);
  return ElementAsDouble(dtype, bytes, 0);
}

const v1::Reading* FindReading(const v1::Case& c, v1::Reading::Kind kind) {
  const auto found = std::find_if(c.readings().begin(), c.readings().end(),
                                  [kind](const v1::Reading& reading) { return reading.kind() == kind; });
  return found == c.readings().end() ? nullptr : &*found;
}

std::string ReadingName(const v1::Reading& reading) {
  const std::string args = absl::StrJoin(reading.args(), ",");
  return absl::StrCat(absl::AsciiStrToLower(v1::Reading::Kind_Name(reading.kind())),
                      args.empty() ? "" : absl::StrCat("(", args, ")"));
}

std::string ReadingKey(const v1::Reading& reading, std::string_view key) {
  return absl::StrCat(ReadingName(reading), ":", std::string(key));
}

TensorMap ReferencesOf(const v1::Reading& reading, const TensorMap& references) {
  const std::string prefix = ReadingKey(reading, "");
  TensorMap own;
  for (auto at = references.lower_bound(prefix);
       at != references.end() && absl::StartsWith(at->first, prefix); ++at) {
    own.emplace(at->first.substr(prefix.size()), at->second);
  }
  if (own.empty()) return own;
  for (const auto& [key, tensor] : references) {
    if (ParseReferenceKey(key).part == ReferencePart::kDevice) own.emplace(key, tensor);
  }
  return own;
}

int64_t TakeSpreadNan(const HostTensor& expected, const HostTensor& mask, HostTensor* actual) {
  const int64_t elements = NumElements(expected.shape);
  if (actual->shape != expected.shape || static_cast<int64_t>(mask.data.size()) != elements) return 0;
  int64_t taken = 0;
  for (int64_t i = 0; i < elements; ++i) {
    if (mask.data[static_cast<size_t>(i)] == 0) continue;
    const double r = ElementAsDouble(expected.dtype, expected.data.data(), i);
    if (std::isnan(r) || !std::isnan(ElementAsDouble(actual->dtype, actual->data.data(), i))) continue;
    StoreDouble(actual->dtype, actual->data.data(), i, r);
    ++taken;
  }
  return taken;
}

int64_t TakeOppositeSigns(const v1::Reading& reading, const TensorMap& references, ReferencePart part,
                          TensorMap* actual) {
  if (reading.args_size() != 2) return 0;
  std::array<const HostTensor*, 2> expected{};
  std::array<HostTensor*, 2> given{};
  for (size_t i = 0; i < 2; ++i) {
    const std::string& name = reading.args(static_cast<int>(i));
    const auto r = references.find(name);
    const auto y = actual->find(ReferenceKey(name, part));
    if (r == references.end() || y == actual->end() || r->second.shape != y->second.shape) return 0;
    if (!IsFloating(y->second.dtype)) return 0;
    expected[i] = &r->second;
    given[i] = &y->second;
  }
  const bool by_column = NumElements(expected[0]->shape) > 0;
  const Matrices q = MatricesOf(*expected[0]), r = MatricesOf(*expected[1]);
  const int64_t count = by_column ? q.count : r.count, lines = by_column ? q.columns : r.rows;
  int64_t changed = 0;
  for (int64_t matrix = 0; matrix < count; ++matrix) {
    for (int64_t i = 0; i < lines; ++i) {
      const Line column = ColumnOf(q, matrix, i), row = RowOf(r, matrix, i);
      const size_t by = by_column ? 0 : 1;
      if (!PointsAway(*given[by], *expected[by], by_column ? column : row)) continue;
      if (by_column) Negate(column, given[0]);
      if (matrix < r.count && i < r.rows) Negate(row, given[1]);
      ++changed;
    }
  }
  return changed;
}

}  // namespace diopi::baselines
