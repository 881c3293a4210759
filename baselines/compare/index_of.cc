// Positions that are open among equals are judged by what they pick.
#include <cstring>
#include <set>

#include "absl/strings/str_cat.h"
#include "baselines/compare/judges.h"

namespace diopi::baselines {
namespace {

// A tensor seen along one dimension: element i of line (o, k) lies at (o * size + i) * inner + k.
struct Lines {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;
  int64_t At(int64_t o, int64_t i, int64_t k) const { return (o * size + i) * inner + k; }
};

Lines LinesAlong(const std::vector<int64_t>& shape, int64_t dim) {
  Lines lines;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t at = static_cast<int64_t>(d);
    (at < dim ? lines.outer : at == dim ? lines.size : lines.inner) *= shape[d];
  }
  return lines;
}

bool SameBytes(const HostTensor& a, int64_t i, const HostTensor& b, int64_t j) {
  const size_t bytes = static_cast<size_t>(ElementSize(a.dtype));
  const double x = ElementAsDouble(a.dtype, a.data.data(), i);
  if (x != x) {
    const double y = ElementAsDouble(b.dtype, b.data.data(), j);
    return y != y;
  }
  return std::memcmp(a.data.data() + static_cast<size_t>(i) * bytes,
                     b.data.data() + static_cast<size_t>(j) * bytes, bytes) == 0;
}

int64_t IndexAt(const HostTensor& tensor, int64_t i) {
  if (tensor.dtype != v1::Dtype::int64)
    return static_cast<int64_t>(ElementAsDouble(tensor.dtype, tensor.data.data(), i));
  int64_t value;
  std::memcpy(&value, tensor.data.data() + static_cast<size_t>(i) * sizeof value, sizeof value);
  return value;
}

// The dimension searched: the judge's attribute; absent or null means the flattened input.
bool DimOf(const Evidence& evidence, const v1::Judge& judge, int64_t rank, int64_t* dim) {
  double value = 0;
  if (judge.dim().empty() || !NumberOf(evidence.c, judge.dim(), &value)) return false;
  *dim = static_cast<int64_t>(value);
  if (*dim < 0) *dim += rank;
  return true;
}

void AddMismatch(const HostTensor& actual, const HostTensor& expected, int64_t i, v1::OutputStats* stats) {
  stats->set_mismatches(stats->mismatches() + 1);
  if (stats->first_size() >= 16) return;
  v1::Mismatch* first = stats->add_first();
  first->set_index(i);
  first->set_actual(ElementAsDouble(actual.dtype, actual.data.data(), i));
  first->set_expected(ElementAsDouble(expected.dtype, expected.data.data(), i));
  first->set_actual_text(ElementText(actual, i));
  first->set_expected_text(ElementText(expected, i));
}

}  // namespace

void JudgeIndexOf(const Evidence& evidence, const JudgedOutput& output, const HostTensor& actual,
                  v1::OutputStats* stats) {
  const v1::Judge& judge = *output.judge;
  const HostTensor& expected = evidence.references.at(output.key);
  if (!CheckForm(actual, expected.dtype, expected.shape, stats)) return;
  CountElements(actual, stats);
  const HostTensor* input = Find(evidence.inputs, judge.input());
  if (input == nullptr) {
    FailOutput("S", absl::StrCat("the case has no input '", judge.input(), "' to pick from"), stats);
    return;
  }
  const int64_t rank = static_cast<int64_t>(input->shape.size());
  int64_t dim = 0;
  const bool flat = !DimOf(evidence, judge, rank, &dim) || rank == 0;
  const Lines lines = flat ? Lines{1, NumElements(input->shape), 1} : LinesAlong(input->shape, dim);
  const int64_t picks =
      lines.outer * lines.inner == 0 ? 0 : NumElements(actual.shape) / (lines.outer * lines.inner);
  for (int64_t line = 0; line < lines.outer * lines.inner; ++line) {
    const int64_t o = line / lines.inner, k = line % lines.inner;
    std::set<int64_t> seen;
    for (int64_t p = 0; p < picks; ++p) {
      const int64_t at = (o * picks + p) * lines.inner + k;
      const int64_t index = IndexAt(actual, at), wanted = IndexAt(expected, at);
      const bool in_range = index >= 0 && index < lines.size;
      const bool fresh = !judge.unique() || seen.insert(index).second;
      // The value picked must be the one the reference picked there, wherever an equal one stands.
      if (!in_range || !fresh || !SameBytes(*input, lines.At(o, index, k), *input, lines.At(o, wanted, k))) {
        AddMismatch(actual, expected, at, stats);
      }
    }
  }
  stats->set_peer_ok(stats->mismatches() * 1000 <= stats->elements());
  if (stats->mismatches() == 0) return;
  const v1::Mismatch& first = stats->first(0);
  FailOutput("X",
             absl::StrCat(stats->mismatches(), " of ", stats->elements(),
                          " positions pick another value, none or one twice, first at [", first.index(),
                          "]: got ", first.actual_text(), ", the reference has ", first.expected_text()),
             stats);
}

}  // namespace diopi::baselines
