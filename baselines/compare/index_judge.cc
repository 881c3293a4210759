// Indices are judged by what they select, not by their values: where the input has ties, several indices are
// right. An index is mapped to its place in the input (Source), and the element there must have the same bits
// as the element that the reference picks. Where a slice may not pick an element twice, repeats are searched
// for only after all values have matched.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "baselines/compare/gates.h"
#include "baselines/compare/groups.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

int64_t IndexAt(const HostTensor& tensor, int64_t i) {
  if (tensor.dtype == v1::Dtype::int64) {
    int64_t value = 0;
    std::memcpy(&value, tensor.data.data() + static_cast<size_t>(i) * sizeof(value), sizeof(value));
    return value;
  }
  return static_cast<int64_t>(ElementAsDouble(tensor.dtype, tensor.data.data(), i));
}

v1::Finding OutsideOf(int64_t size, int64_t index) {
  return Found(F::INDEX_OUTSIDE).Got(absl::StrCat(index)).Limit(absl::StrCat("[0, ", size, ")"));
}

std::string_view BytesAt(const HostTensor& tensor, int64_t i) {
  const auto size = static_cast<size_t>(ElementSize(tensor.dtype));
  return std::string_view(tensor.data).substr(static_cast<size_t>(i) * size, size);
}

bool SameElement(const HostTensor& a, int64_t i, const HostTensor& b, int64_t j) {
  if (BytesAt(a, i) == BytesAt(b, j)) return true;
  if (!IsFloating(a.dtype)) return false;
  const double x = ElementAsDouble(a.dtype, a.data.data(), i);
  const double y = ElementAsDouble(b.dtype, b.data.data(), j);
  return x != x && y != y;
}

// One INDEX_OF output with everything it is judged by.
class Picks {
 public:
  // `*error` stays empty when everything is there. `spatial`: indices count within so many last dimensions,
  // as those of pools do; 0: within the whole input, or along the judge's dimension.
  Picks(const Job& job, size_t spatial, std::string* error) : job_(job) {
    input_ = Find(job.inputs, job.output.judge->input());
    if (input_ == nullptr) {
      *error = absl::StrCat("no input '", job.output.judge->input(), "' to look up the indices of ",
                            job.output.key);
      return;
    }
    const std::string& values = job.output.judge->values();
    values_ = values.empty() ? nullptr : Find(job.references, values);
    if (!values.empty() &&
        (values_ == nullptr || values_->dtype != input_->dtype || values_->shape != job.expected.shape)) {
      *error = absl::StrCat("no exact reference '", values, "' for the indices of ", job.output.key);
      return;
    }
    double dim = 0;
    const bool whole = !NumberOf(job.c, job.output.judge->dim(), &dim);
    slices_ = whole ? Slices{.middle = NumElements(input_->shape)}
                    : SlicesAround(input_->shape, static_cast<int64_t>(dim));
    if (const std::vector<int64_t>& shape = input_->shape; spatial > 0 && shape.size() >= spatial) {
      slices_.middle = NumElements({shape.end() - static_cast<std::ptrdiff_t>(spatial), shape.end()});
      slices_.outer = slices_.middle == 0 ? 0 : NumElements(shape) / slices_.middle;
    }
    const int64_t slice = slices_.outer * slices_.inner;
    picks_ = slice == 0 ? 0 : NumElements(job.expected.shape) / slice;
    if (picks_ * slice != NumElements(job.expected.shape)) {
      *error = absl::StrCat("the shape of ", job.output.key, " does not fit its input");
    }
  }

  int64_t Source(const HostTensor& indices, int64_t i) const {
    const int64_t inner = i % slices_.inner;
    const int64_t outer = i / slices_.inner / picks_;
    return (outer * slices_.middle + IndexAt(indices, i)) * slices_.inner + inner;
  }

  bool InRange(const HostTensor& indices, int64_t i) const {
    return IndexAt(indices, i) >= 0 && IndexAt(indices, i) < slices_.middle;
  }

  // Whether element i of `actual` is right.
  bool IsRight(int64_t i) const {
    return InRange(job_.actual, i) && SameElement(*input_, Source(job_.actual, i), wanted(), WantedAt(i));
  }

  v1::Finding WhyWrong(int64_t i) const {
    const int64_t index = IndexAt(job_.actual, i);
    if (!InRange(job_.actual, i)) return OutsideOf(slices_.middle, index);
    return Found(F::INDEX_PICKS_WRONG)
        .Index(index)
        .Got(ElementText(*input_, Source(job_.actual, i)))
        .Expected(ElementText(wanted(), WantedAt(i)));
  }

  // The first element that repeats a pick of its slice; -1 when none does.
  int64_t FirstRepeat() const {
    std::vector<std::pair<int64_t, int64_t>> seen;
    int64_t first = -1;
    for (int64_t s = 0; s < slices_.outer * slices_.inner; ++s) {
      seen.clear();
      for (int64_t k = 0; k < picks_; ++k) {
        const int64_t i = (s / slices_.inner * picks_ + k) * slices_.inner + s % slices_.inner;
        seen.emplace_back(IndexAt(job_.actual, i), i);
      }
      std::sort(seen.begin(), seen.end());
      for (size_t k = 1; k < seen.size(); ++k) {
        if (seen[k].first == seen[k - 1].first && (first < 0 || seen[k].second < first)) {
          first = seen[k].second;
        }
      }
    }
    return first;
  }

 private:
  const HostTensor& wanted() const { return values_ != nullptr ? *values_ : *input_; }
  int64_t WantedAt(int64_t i) const { return values_ != nullptr ? i : Source(job_.expected, i); }

  const Job& job_;
  const HostTensor* input_ = nullptr;
  const HostTensor* values_ = nullptr;
  Slices slices_;
  int64_t picks_ = 0;  // per slice
};

void AddIndexMismatch(const Job& job, int64_t index, v1::OutputStats* stats) {
  AddFirst(job.actual, index, ElementAsDouble(job.expected.dtype, job.expected.data.data(), index), 0,
           ElementText(job.expected, index), stats);
}

// The mismatches of an INDEX_OF output, for WhereWrong.
class PickEvidence : public JobEvidence {
 public:
  PickEvidence(const Job& job, const Picks& picks) : JobEvidence(job), picks_(picks) {}
  double Expected(int64_t i) const override { return static_cast<double>(IndexAt(job_.expected, i)); }
  bool Fits(double value, int64_t i) const override { return value == Expected(i); }
  bool Wrong(int64_t i) const override { return !picks_.IsRight(i); }

 private:
  const Picks& picks_;
};

// Rows of dimension 0 in the order of their bytes.
HostTensor SortedRows(const HostTensor& tensor) {
  const int64_t rows = tensor.shape.empty() ? 1 : tensor.shape[0];
  const size_t size = rows == 0 ? 0 : tensor.data.size() / static_cast<size_t>(rows);
  std::vector<std::string_view> order;
  order.reserve(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) {
    order.push_back(std::string_view(tensor.data).substr(static_cast<size_t>(i) * size, size));
  }
  std::sort(order.begin(), order.end());
  HostTensor sorted{tensor.dtype, tensor.shape, {}};
  for (const std::string_view row : order) sorted.data += row;
  return sorted;
}

}  // namespace

bool JudgePicks(const Job& job, v1::OutputStats* stats, Findings* findings) {
  const Picks picks(job, 0, &findings->harness_error);
  if (!findings->harness_error.empty()) return false;
  Tally tally;
  tally.elements = NumElements(job.actual.shape);
  for (int64_t i = 0; i < tally.elements; ++i) {
    if (IndexAt(job.actual, i) == 0) ++tally.zeros;
    if (!picks.IsRight(i)) tally.AddMismatch(i);
  }
  tally.public_mismatches = tally.mismatches;
  tally.ToStats(stats);
  for (const int64_t index : tally.first) AddIndexMismatch(job, index, stats);
  if (tally.mismatches > 0) {
    const int64_t first = tally.first.front();
    const v1::Finding wrong = Found(F::WRONG_ELEMENTS)
                                  .Count(tally.mismatches)
                                  .Of(tally.elements)
                                  .Place(PlaceAt(job.actual.shape, first));
    Fail("X", {wrong, picks.WhyWrong(first)}, stats, findings);
    AddRemark(WhereWrong(PickEvidence(job, picks), tally), findings);
    return true;
  }
  const int64_t repeat = job.output.judge->unique() ? picks.FirstRepeat() : -1;
  if (repeat >= 0) {
    AddIndexMismatch(job, repeat, stats);
    stats->set_mismatches(1);
    Fail("X",
         {Found(F::INDEX_REPEATS)
              .Got(ElementText(job.actual, repeat))
              .Place(PlaceAt(job.actual.shape, repeat))},
         stats, findings);
  }
  return true;
}

bool PicksEqualValues(const Job& job, const std::vector<int64_t>& places) {
  // Other integers, such as counts and sums, may pick equal values by chance.
  const bool indices =
      absl::StrContains(job.output.key, "indices") || absl::StrContains(job.c.function(), "Arg");
  if (!indices || !IsInteger(job.actual.dtype) || Find(job.inputs, "input") == nullptr) return false;
  v1::Judge judge = *job.output.judge;
  judge.set_input("input");
  judge.clear_values();
  judge.set_dim("dim");
  JudgedOutput output = job.output;
  output.judge = &judge;
  const Job as_index{job.c,  job.inputs,   job.references, job.all_actual,
                     output, job.expected, job.actual,     job.contracts};
  std::string error;
  const std::string& function = job.c.function();
  const size_t pool = function.find("MaxPool");
  const size_t digit = pool == std::string::npos ? pool : function.find_first_of("123", pool);
  const Picks picks(as_index, digit == std::string::npos ? 0 : static_cast<size_t>(function[digit] - '0'),
                    &error);
  return error.empty() && std::all_of(places.begin(), places.end(), [&](int64_t i) {
           return picks.InRange(job.expected, i) && picks.IsRight(i);
         });
}

bool JudgeUnordered(const Job& job, v1::OutputStats* stats, Findings* findings) {
  const HostTensor expected = SortedRows(job.expected);
  const HostTensor actual = SortedRows(job.actual);
  const Job sorted{job.c, job.inputs, job.references, job.all_actual, job.output, expected, actual, {}};
  const bool usable = JudgeExact(sorted, stats, findings);
  if (usable && !stats->ok()) findings->found = {Found(F::AFTER_SORTING).Parts(findings->found)};
  return usable;
}

}  // namespace diopi::baselines
