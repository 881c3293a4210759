// Every index is checked by what needs no reference: it lies in range and picks the value that the library
// returns beside it. Only at the compared places is it checked by what the reference picks. Indices are
// judged by the elements that they select, so ties are right either way. No element is read twice, as the
// library may still write.
#include "baselines/compare/large_picks.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "baselines/compare/groups.h"
#include "cases/slices/places.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

// The library's indices, and where in the input they point.
class LargePicks {
 public:
  LargePicks(const TensorView& indices, const Slices& slices) : indices_(indices), slices_(slices) {
    const int64_t all = slices_.outer * slices_.inner;
    picks_ = all == 0 ? 0 : NumElements(indices.shape) / all;
  }

  bool fits() const { return picks_ * slices_.outer * slices_.inner == NumElements(indices_.shape); }
  int64_t Index(int64_t i) const { return IndexIn(indices_, i); }
  static int64_t IndexIn(const TensorView& tensor, int64_t i) {
    if (tensor.dtype != v1::Dtype::int64)
      return static_cast<int64_t>(ElementAsDouble(tensor.dtype, tensor.data.data(), i));
    int64_t index = 0;
    std::memcpy(&index, tensor.data.data() + static_cast<size_t>(i) * sizeof(index), sizeof(index));
    return index;
  }
  bool InRange(int64_t index) const { return index >= 0 && index < slices_.middle; }

  // Where in the input the element i of the indices finds what `index` picks.
  int64_t Source(int64_t i, int64_t index) const {
    const int64_t inner = i % slices_.inner;
    const int64_t outer = i / slices_.inner / picks_;
    return (outer * slices_.middle + index) * slices_.inner + inner;
  }

  v1::Finding OutOfRange(int64_t index) const {
    return Found(F::INDEX_OUTSIDE).Got(absl::StrCat(index)).Limit(absl::StrCat("[0, ", slices_.middle, ")"));
  }

  // The first element that picks what its slice already picks; -1 where none does.
  int64_t FirstRepeat() const {
    if (picks_ < 2) return -1;
    std::vector<std::pair<int64_t, int64_t>> seen;
    for (int64_t s = 0; s < slices_.outer * slices_.inner; ++s) {
      seen.clear();
      for (int64_t k = 0; k < picks_; ++k) {
        const int64_t i = (s / slices_.inner * picks_ + k) * slices_.inner + s % slices_.inner;
        seen.emplace_back(Index(i), i);
      }
      std::sort(seen.begin(), seen.end());
      for (size_t k = 1; k < seen.size(); ++k) {
        if (seen[k].first == seen[k - 1].first) return seen[k].second;
      }
    }
    return -1;
  }

 private:
  const TensorView& indices_;
  const Slices slices_;
  int64_t picks_ = 0;  // of a slice
};

HostTensor ElementOf(const TensorView& tensor, int64_t i) {
  return slices::TakeFlat(tensor, {i});
}

bool AreSame(const TensorView& a, int64_t i, const TensorView& b, int64_t j) {
  const auto size = static_cast<size_t>(ElementSize(a.dtype));
  return std::memcmp(a.data.data() + static_cast<size_t>(i) * size,
                     b.data.data() + static_cast<size_t>(j) * size, size) == 0;
}

// What is wrong with the element i of the indices, by itself and beside the value there.
std::optional<v1::Finding> WrongIndex(const LargePicks& picks, const TensorView& input,
                                      const TensorView* values, const std::string& values_name, int64_t i) {
  const int64_t index = picks.Index(i);
  if (!picks.InRange(index)) return picks.OutOfRange(index);
  const int64_t source = picks.Source(i, index);
  if (values == nullptr || AreSame(input, source, *values, i)) return std::nullopt;
  return Found(F::INDEX_PICKS_ANOTHER)
      .Index(index)
      .Got(ElementText(ElementOf(input, source), 0))
      .Name(values_name)
      .Expected(ElementText(ElementOf(*values, i), 0));
}

// The same, with the reference's index beside it.
std::optional<v1::Finding> WrongPick(const LargePicks& picks, const TensorView& input, int64_t i,
                                     int64_t wanted_index) {
  const int64_t index = picks.Index(i);
  if (!picks.InRange(index)) return picks.OutOfRange(index);
  const int64_t source = picks.Source(i, index);
  const int64_t wanted = picks.Source(i, wanted_index);
  if (AreSame(input, source, input, wanted)) return std::nullopt;
  return Found(F::INDEX_PICKS_WRONG)
      .Index(index)
      .Got(ElementText(ElementOf(input, source), 0))
      .Expected(ElementText(ElementOf(input, wanted), 0));
}

// Fails the output for the element i of the indices.
void FailPick(const TensorView& indices, int64_t i, std::vector<v1::Finding> found, v1::OutputStats* stats,
              Findings* findings) {
  v1::Mismatch* first = stats->add_first();
  first->set_index(i);
  first->set_actual_text(ElementText(ElementOf(indices, i), 0));
  Fail("X", std::move(found), stats, findings);
}

}  // namespace

bool JudgeLargePicks(const v1::Case& c, const JudgedOutput& output, const TensorViews& inputs,
                     const HostTensor& expected, const std::vector<int64_t>& places,
                     const TensorViews& actual, v1::OutputStats* stats, Findings* findings) {
  const TensorView& indices = actual.at(output.key);
  const TensorView* input = FindView(inputs, output.judge->input());
  if (input == nullptr || NumElements(expected.shape) != static_cast<int64_t>(places.size())) {
    findings->harness_error =
        absl::StrCat("no input '", output.judge->input(), "', or not a reference for each place");
    return false;
  }
  double dim = 0;
  const bool along = NumberOf(c, output.judge->dim(), &dim);
  const Slices whole{.middle = NumElements(input->shape)};
  const LargePicks picks(indices, along ? SlicesAround(input->shape, static_cast<int64_t>(dim)) : whole);
  if (!picks.fits()) {
    findings->harness_error = absl::StrCat("the shape of ", output.key, " does not fit its input");
    return false;
  }
  const TensorView* values = FindView(actual, output.judge->values());
  if (values != nullptr && (values->shape != indices.shape || values->dtype != input->dtype))
    values = nullptr;
  const int64_t count = NumElements(indices.shape);
  for (int64_t i = 0; i < count; ++i) {
    const std::optional<v1::Finding> wrong = WrongIndex(picks, *input, values, output.judge->values(), i);
    if (!wrong.has_value()) continue;
    FailPick(indices, i, {Found(F::PICK_WRONG).Place(PlaceAt(indices.shape, i)), *wrong}, stats, findings);
    return true;
  }
  for (size_t k = 0; k < places.size(); ++k) {
    const int64_t wanted = LargePicks::IndexIn(expected, static_cast<int64_t>(k));
    const std::optional<v1::Finding> wrong = WrongPick(picks, *input, places[k], wanted);
    if (!wrong.has_value()) continue;
    FailPick(indices, places[k], {Found(F::PICK_WRONG).Place(PlaceAt(indices.shape, places[k])), *wrong},
             stats, findings);
    return true;
  }
  const int64_t repeat = output.judge->unique() ? picks.FirstRepeat() : -1;
  if (repeat >= 0) {
    const std::string got = ElementText(ElementOf(indices, repeat), 0);
    FailPick(indices, repeat, {Found(F::INDEX_REPEATS).Got(got).Place(PlaceAt(indices.shape, repeat))}, stats,
             findings);
  }
  return true;
}

}  // namespace diopi::baselines
