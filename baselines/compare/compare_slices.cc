// The compared elements of each output become a tensor of one dimension, which is judged like any output. How
// many groups of roundings they have is counted, because their shape does not say it; what mismatches have in
// common is not searched for, because neighbours in the sample are no neighbours in the output.
#include "baselines/compare/compare_slices.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "baselines/compare/expect.h"
#include "baselines/compare/gates.h"
#include "baselines/compare/groups.h"
#include "baselines/compare/large_picks.h"
#include "baselines/compare/large_random.h"
#include "baselines/compare/product_probe.h"
#include "baselines/compare/rule.h"
#include "cases/base/hash.h"
#include "cases/base/output_hash.h"
#include "cases/base/parallel.h"
#include "cases/core/reference_key.h"
#include "cases/findings/describe.h"
#include "cases/slices/slice_axes.h"
#include "cases/slices/slices.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

// Infinities may lie beyond the largest compared value by less than this factor.
constexpr double kRoomForOverflow = 16;

// The groups of roundings that the compared elements belong to.
int64_t GroupsAt(const v1::Case& c, const JudgedOutput& output, const std::vector<int64_t>& shape,
                 const std::vector<int64_t>& places) {
  std::set<int64_t> groups;
  for (const int64_t place : places) groups.insert(GroupOf(c, output, shape, place));
  return static_cast<int64_t>(groups.size());
}

// The first element whose exponent has all bits set. Looks at blocks first, which the processor takes many
// elements of at a time.
template <typename Bits>
int64_t FirstNotFinite(std::string_view data, Bits exponent) {
  constexpr size_t kBlock = 512;
  const size_t count = data.size() / sizeof(Bits);
  std::atomic<size_t> first{count};
  constexpr int64_t kGrain = kParallelBytes / static_cast<int64_t>(sizeof(Bits));
  ForRanges(static_cast<int64_t>(count), kGrain, [&](int64_t begin, int64_t end) {
    Bits block[kBlock];
    for (auto at = static_cast<size_t>(begin); at < std::min(static_cast<size_t>(end), first.load());
         at += kBlock) {
      const size_t elements = std::min(kBlock, static_cast<size_t>(end) - at);
      std::memcpy(block, data.data() + at * sizeof(Bits), elements * sizeof(Bits));
      Bits largest = 0;
      for (size_t i = 0; i < elements; ++i) {
        block[i] &= exponent;
        largest = std::max(largest, block[i]);
      }
      if (largest != exponent) continue;
      const size_t found = at + static_cast<size_t>(std::find(block, block + elements, exponent) - block);
      for (size_t before = first; found < before && !first.compare_exchange_weak(before, found);) {
      }
    }
  });
  return first == count ? -1 : static_cast<int64_t>(first);
}

int64_t FirstNotFinite(const TensorView& tensor) {
  switch (tensor.dtype) {
    case v1::Dtype::float16:
      return FirstNotFinite<uint16_t>(tensor.data, 0x7c00);
    case v1::Dtype::bfloat16:
      return FirstNotFinite<uint16_t>(tensor.data, 0x7f80);
    case v1::Dtype::float32:
      return FirstNotFinite<uint32_t>(tensor.data, 0x7f800000);
    case v1::Dtype::float64:
      return FirstNotFinite<uint64_t>(tensor.data, 0x7ff0000000000000);
    default:
      return -1;
  }
}

double LargestMagnitude(const HostTensor& tensor) {
  double largest = 0;
  for (int64_t i = 0; i < NumElements(tensor.shape); ++i)
    largest = std::fmax(largest, std::fabs(ElementAsDouble(tensor.dtype, tensor.data.data(), i)));
  return largest;
}

// Sums of products of finite numbers are finite, unless they may overflow.
void CheckFinite(const JudgedOutput& output, const TensorViews& inputs, const HostTensor& expected,
                 const TensorView& actual, v1::OutputStats* stats, Findings* findings) {
  if (output.kind != v1::Judge::ACCUMULATION || !stats->ok()) return;
  const double largest = LargestMagnitude(expected);
  if (!(largest * kRoomForOverflow < RuleFor(output.dtype, 0).top_binade)) return;
  if (FirstNotFinite(expected) >= 0) return;
  const int64_t first = FirstNotFinite(actual);
  if (first < 0) return;
  for (const auto& [key, tensor] : inputs) {
    if (FirstNotFinite(tensor) >= 0) return;
  }
  Fail("P", {Found(F::NOT_FINITE).Place(PlaceAt(actual.shape, first))}, stats, findings);
}

// The deviation of right elements from exact ones: their noise and the rounding of the result, or what the
// compared ones show where a contract allows more.
double DeviationOf(const JudgedOutput& output, const HostTensor& expected, const TensorMap& references,
                   const HostTensor& compared) {
  const HostTensor* sigma = Find(references, ReferenceKey(output.key, ReferencePart::kSigma));
  if (sigma == nullptr) return 0;
  const PointwiseRule rule = RuleFor(output.dtype, 0);
  double noise = 0;
  double seen = 0;
  const int64_t count = NumElements(expected.shape);
  for (int64_t i = 0; i < count; ++i) {
    const double s = ElementAsDouble(sigma->dtype, sigma->data.data(), i);
    const Point point = Judge(rule, ElementAsDouble(compared.dtype, compared.data.data(), i),
                              ElementAsDouble(expected.dtype, expected.data.data(), i), s, 0);
    const double width = point.ulps > 0 ? std::fabs(point.d) / point.ulps : 0;
    noise += s * s + width * width / 12;
    seen += point.d * point.d;
  }
  return std::sqrt(std::fmax(noise, seen) / static_cast<double>(std::max<int64_t>(count, 1)));
}

// Replaces places in the sample by places in the whole output.
void PutIntoWhole(const std::vector<int64_t>& places, const std::vector<int64_t>& shape,
                  v1::Finding* finding) {
  const auto& at = finding->place().at();
  if (at.size() == 1 && at[0] < static_cast<int64_t>(places.size())) {
    const std::vector<int64_t> whole = PlaceAt(shape, places[static_cast<size_t>(at[0])]);
    finding->mutable_place()->mutable_at()->Assign(whole.begin(), whole.end());
  }
  for (v1::Finding& part : *finding->mutable_parts()) PutIntoWhole(places, shape, &part);
}

void PutIntoWhole(const std::vector<int64_t>& places, const TensorView& actual, const std::string& digest,
                  v1::OutputStats* stats) {
  stats->mutable_shape()->Assign(actual.shape.begin(), actual.shape.end());
  stats->set_digest(digest);
  if (stats->argmax() >= 0) stats->set_argmax(places[static_cast<size_t>(stats->argmax())]);
  for (v1::Mismatch& mismatch : *stats->mutable_first()) {
    mismatch.set_index(places[static_cast<size_t>(mismatch.index())]);
  }
}

std::vector<int64_t> ShapeIn(const HostTensor& sizes) {
  std::vector<int64_t> shape(static_cast<size_t>(NumElements(sizes.shape)));
  if (!shape.empty()) std::memcpy(shape.data(), sizes.data.data(), shape.size() * sizeof(int64_t));
  return shape;
}

// Null where the case does not say it.
const v1::TensorSpec* SpecOf(const JudgedOutput& output, const v1::Case& c) {
  for (const v1::Argument& arg : c.args()) {
    if (arg.name() == output.key && !arg.has_tensors()) return &arg.tensor();
    if (!arg.has_tensors() || !BelongsTo(output.key, arg.name())) continue;
    size_t index = 0;
    if (!absl::SimpleAtoi(output.key.substr(arg.name().size() + 1), &index)) return nullptr;
    return &arg.tensors().tensors(static_cast<int>(index));
  }
  return nullptr;
}

bool HasForm(const JudgedOutput& output, const v1::Case& c, const TensorView& actual) {
  const v1::TensorSpec* spec = SpecOf(output, c);
  return spec != nullptr && actual.dtype == spec->dtype() &&
         std::equal(actual.shape.begin(), actual.shape.end(), spec->shape().begin(), spec->shape().end());
}

// Of a tensor that the library makes, the reference says the shape.
bool HasForm(const JudgedOutput& output, const v1::Case& c, const TensorMap& references,
             const TensorView& actual) {
  const HostTensor* made = Find(references, ReferenceKey(output.key, ReferencePart::kShape));
  return made == nullptr ? HasForm(output, c, actual)
                         : actual.dtype == output.dtype && actual.shape == ShapeIn(*made);
}

// The case without judges of what CompareCase does not judge.
v1::Case WithoutJudging(v1::Case c, const std::set<std::string>& outputs) {
  for (v1::Judge& judge : *c.mutable_judges()) {
    const bool named = std::any_of(outputs.begin(), outputs.end(),
                                   [&](const std::string& key) { return BelongsTo(key, judge.output()); });
    if (named) judge.set_kind(v1::Judge::NOT_JUDGED);
  }
  return c;
}

// Judges outputs that only the whole can judge: random ones, indices, and those that the library made in
// another shape.
class WholeOutputs {
 public:
  WholeOutputs(const v1::Case& c, const SlicePlaces& places, const TensorViews& inputs,
               const TensorMap& references, const TensorViews& actual)
      : c_(c), places_(places), inputs_(inputs), references_(references), actual_(actual) {
    for (const JudgedOutput& output : JudgedOutputs(c_)) {
      const TensorView* whole = FindView(actual_, output.key);
      if (whole != nullptr && IsWhole(output, *whole)) names_.insert(output.key);
    }
  }

  const std::set<std::string>& names() const { return names_; }

  // Their mismatches go into the verdict's findings.
  void AddTo(v1::Verdict* verdict) const {
    for (const JudgedOutput& output : JudgedOutputs(c_)) {
      if (!names_.contains(output.key) || verdict->outcome() == v1::OUTCOME_HARNESS_ERROR) continue;
      v1::OutputStats stats = NewStats(output, actual_.at(output.key));
      Findings findings;
      if (!Judge(output, &stats, &findings)) {
        SetHarnessError(output.key, findings.harness_error, verdict);
      } else if (!stats.ok()) {
        FailCase(output.key, findings.found, verdict);
      }
      *verdict->add_outputs() = std::move(stats);
    }
  }

 private:
  bool IsMade(const JudgedOutput& output) const {
    return references_.contains(ReferenceKey(output.key, ReferencePart::kShape));
  }
  bool IsWhole(const JudgedOutput& output, const TensorView& whole) const {
    return output.kind == v1::Judge::RANDOM || output.kind == v1::Judge::INDEX_OF ||
           (IsMade(output) && !HasForm(output, c_, references_, whole));
  }

  bool Judge(const JudgedOutput& output, v1::OutputStats* stats, Findings* findings) const {
    const TensorView& whole = actual_.at(output.key);
    if (!HasForm(output, c_, references_, whole)) {
      const std::optional<v1::Finding> wrong = WrongForm(whole, output.dtype, ShapeOf(output));
      Fail("S", {wrong.value_or(Found(F::WRONG_SHAPE))}, stats, findings);
      return true;
    }
    if (output.kind == v1::Judge::RANDOM)
      return JudgeLargeRandom(c_, output, inputs_, actual_, stats, findings);
    const auto at = places_.find(output.key);
    const HostTensor* expected = Find(references_, output.key);
    if (at == places_.end() || expected == nullptr) {
      findings->harness_error = "the baseline has no reference for it";
      return false;
    }
    return JudgeLargePicks(c_, output, inputs_, *expected, at->second, actual_, stats, findings);
  }

  std::vector<int64_t> ShapeOf(const JudgedOutput& output) const {
    const HostTensor* made = Find(references_, ReferenceKey(output.key, ReferencePart::kShape));
    if (made != nullptr) return ShapeIn(*made);
    const v1::TensorSpec* spec = SpecOf(output, c_);
    if (spec == nullptr) return {};
    return {spec->shape().begin(), spec->shape().end()};
  }

  const v1::Case& c_;
  const SlicePlaces& places_;
  const TensorViews& inputs_;
  const TensorMap& references_;
  const TensorViews& actual_;
  std::set<std::string> names_;
};

// With those of outputs that the library makes.
SlicePlaces AllPlaces(const v1::Case& c, SlicePlaces places, const TensorMap& references) {
  for (const JudgedOutput& output : JudgedOutputs(c)) {
    const HostTensor* made = Find(references, ReferenceKey(output.key, ReferencePart::kShape));
    if (made != nullptr) places[output.key] = slices::PlacesIn(c, output.key, ShapeIn(*made));
  }
  return places;
}

// Elements that are not compared one by one, where a hash of all is known. Not where NaN may be moved, whose
// bits are free.
void CheckHash(const std::string& key, const TensorViews& inputs, const TensorMap& references,
               const TensorView& whole, const std::string& digest, v1::OutputStats* stats,
               Findings* findings) {
  const HostTensor* hash = Find(references, ReferenceKey(key, ReferencePart::kHash));
  if (!stats->ok() || hash == nullptr || hash->data == digest) return;
  if (hash->data.size() != digest.size() && hash->data == Xxh128Hex(whole.data)) return;  // an older baseline
  if (std::any_of(inputs.begin(), inputs.end(),
                  [](const auto& input) { return FirstNotFinite(input.second) >= 0; }))
    return;
  Fail("X", {Found(F::HASH_DIFFERS)}, stats, findings);
}

// Whether every element is among those that are compared one by one.
bool AreAllCompared(const std::vector<int64_t>& places, int64_t elements) {
  if (static_cast<int64_t>(places.size()) < elements) return false;
  std::vector<bool> seen(static_cast<size_t>(elements));
  for (const int64_t place : places) seen[static_cast<size_t>(place)] = true;
  return std::find(seen.begin(), seen.end(), false) == seen.end();
}

// An output that is compared at places, and about all of which something is known.
struct WholeOutput {
  JudgedOutput output;
  const std::vector<int64_t>* places = nullptr;
  const TensorView* tensor = nullptr;
  v1::OutputStats* stats = nullptr;
  std::string digest;  // of all elements
  Findings findings;   // about all elements
};

std::vector<WholeOutput> OutputsWith(const SlicePlaces& places, const v1::Case& c, const TensorViews& actual,
                                     v1::Verdict* verdict) {
  std::vector<WholeOutput> outputs;
  for (const JudgedOutput& output : JudgedOutputs(c)) {
    const auto at = places.find(output.key);
    for (v1::OutputStats& stats : *verdict->mutable_outputs()) {
      if (stats.key() != output.key || at == places.end() || stats.shape_size() != 1) continue;
      outputs.push_back({output, &at->second, &actual.at(output.key), &stats, "", {}});
    }
  }
  return outputs;
}

// What holds for all elements: the sums of a product, no NaN where no term has one, the reference's hash.
// `axes` may be null.
void CheckAllOf(const v1::Case& c, const slices::SliceAxes* axes, const TensorViews& inputs,
                const TensorMap& references, const TensorMap& taken, WholeOutput* each) {
  const std::string& key = each->output.key;
  v1::OutputStats* const stats = each->stats;
  Probed probed;
  if (stats->ok() && each->output.kind == v1::Judge::ACCUMULATION && axes != nullptr &&
      !AreAllCompared(*each->places, NumElements(each->tensor->shape))) {
    const double deviation = DeviationOf(each->output, references.at(key), references, taken.at(key));
    probed = ProbeProduct(c, *axes, key, inputs, *each->tensor, deviation);
  }
  if (!probed.finite)
    CheckFinite(each->output, inputs, references.at(key), *each->tensor, stats, &each->findings);
  if (stats->ok() && probed.wrong.has_value()) Fail("P", {*probed.wrong}, stats, &each->findings);
  // After everything else that reads the output: what was read is what has this hash.
  each->digest = Hex64(HashOutput(each->tensor->data));
  CheckHash(key, inputs, references, *each->tensor, each->digest, stats, &each->findings);
}

// The case with the number of groups in its judges.
v1::Case WithGroups(const v1::Case& c, const SlicePlaces& places, const TensorViews& actual) {
  v1::Case judged = c;
  for (const JudgedOutput& output : JudgedOutputs(c)) {
    const TensorView* whole = FindView(actual, output.key);
    const auto at = places.find(output.key);
    if (whole == nullptr || at == places.end() || !HasForm(output, c, *whole)) continue;
    for (v1::Judge& judge : *judged.mutable_judges()) {
      if (!BelongsTo(output.key, judge.output()) || judge.groups().empty() || judge.groups() == "element")
        continue;
      judge.set_groups(absl::StrCat(GroupsAt(c, output, whole->shape, at->second)));
    }
  }
  return judged;
}

}  // namespace

TensorMap TakeCompared(const v1::Case& c, const SlicePlaces& places, const TensorMap& references,
                       const TensorViews& outputs) {
  TensorMap taken;
  for (const JudgedOutput& output : JudgedOutputs(c)) {
    const TensorView* whole = FindView(outputs, output.key);
    const auto at = places.find(output.key);
    if (whole == nullptr || at == places.end()) continue;
    taken[output.key] =
        HasForm(output, c, references, *whole) ? slices::TakeFlat(*whole, at->second) : whole->Copy();
  }
  return taken;
}

bool NeedsWholeInputs(const v1::Case& c) {
  const std::vector<JudgedOutput> outputs = JudgedOutputs(c);
  return std::any_of(outputs.begin(), outputs.end(), [](const JudgedOutput& output) {
    return output.kind == v1::Judge::ACCUMULATION || output.kind == v1::Judge::INDEX_OF ||
           (output.kind == v1::Judge::RANDOM && output.judge->distribution() != v1::Judge::UNIFORM &&
            output.judge->distribution() != v1::Judge::NORMAL);
  });
}

v1::Verdict CompareSlices(const v1::Case& c, const SlicePlaces& places_of_case, const TensorViews& inputs,
                          const TensorMap& references, const TensorViews& actual,
                          const CompareOptions& options) {
  const SlicePlaces places = AllPlaces(c, places_of_case, references);
  const WholeOutputs whole_outputs(c, places, inputs, references, actual);
  const TensorMap taken = TakeCompared(c, places, references, actual);
  const TensorMap before = TakeCompared(c, places, references, inputs);
  const v1::Case judged = WithoutJudging(WithGroups(c, places, actual), whole_outputs.names());
  v1::Verdict verdict = CompareCase(judged, before, references, taken, options);
  AddWouldPassUnder(judged, before, references, taken, options, &verdict);
  const absl::StatusOr<slices::SliceAxes> axes = slices::ParseSliceAxes(slices::BuiltinSlices(c.function()));
  std::vector<WholeOutput> wholes = OutputsWith(places, c, actual, &verdict);
  ForRanges(static_cast<int64_t>(wholes.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      CheckAllOf(c, axes.ok() ? &*axes : nullptr, inputs, references, taken, &wholes[static_cast<size_t>(i)]);
  });
  int64_t compared = 0;
  int64_t elements = 0;
  for (const WholeOutput& each : wholes) {
    compared += static_cast<int64_t>(each.places->size());
    elements += NumElements(each.tensor->shape);
    for (v1::Finding& finding : *verdict.mutable_findings()) {
      if (finding.code() == F::OF_OUTPUT && finding.name() == each.output.key)
        PutIntoWhole(*each.places, each.tensor->shape, &finding);
    }
    if (!each.findings.found.empty()) FailCase(each.output.key, each.findings.found, &verdict);
    PutIntoWhole(*each.places, *each.tensor, each.digest, each.stats);
  }
  const bool sampled_fail = verdict.outcome() == v1::OUTCOME_FAIL;
  whole_outputs.AddTo(&verdict);
  if (sampled_fail && verdict.outcome() == v1::OUTCOME_FAIL) {
    *verdict.add_findings() = Found(F::ON_SLICES).Count(compared).Of(elements);
    ReportWouldPassUnder(&verdict);
  }
  Describe(&verdict);
  return verdict;
}

}  // namespace diopi::baselines
