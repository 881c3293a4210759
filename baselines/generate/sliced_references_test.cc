// The references of slices equal the whole call's, for every function whose axes cases/slices gives.
#include "baselines/generate/sliced_references.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "baselines/compare/compare_slices.h"
#include "baselines/compare/judging.h"
#include "baselines/generate/generate.h"
#include "build_paths.h"
#include "cases/core/reference_key.h"
#include "cases/fill/block_fill.h"
#include "cases/slices/slices.h"

namespace diopi::baselines {
namespace {

// So small that every case of suite core is cut: along its axes, or all of an output in several pieces.
slices::SliceLimits Small(bool cover) {
  slices::SliceLimits limits;
  limits.compared = 400;
  limits.dense = 6;
  limits.windows = 2;
  limits.pieces = 2;
  (cover ? limits.elements : limits.covered_elements) = cover ? 200 : 8;
  return limits;
}

constexpr int kCasesOfAFunction = 25;
constexpr int64_t kLeastElements = 12;

bool IsDense(const v1::TensorSpec& spec) {
  return NumElements({spec.shape().begin(), spec.shape().end()}) > 0 && spec.same_as().empty() &&
         spec.storage_elements() == NumElements({spec.shape().begin(), spec.shape().end()}) &&
         spec.storage_offset() == 0;
}

// Slices are for dense tensors of some size with inputs that the whole call has as well.
bool IsSuitable(const v1::Case& c) {
  v1::Case large = c;
  large.set_generator_version(kBlockGeneratorVersion);
  if (!slices::IsSliced(large)) return false;
  int64_t most = 0;
  for (const v1::Argument& arg : c.args()) {
    if (arg.has_tensor()) {
      if (!IsDense(arg.tensor())) return false;
      most = std::max(most, NumElements({arg.tensor().shape().begin(), arg.tensor().shape().end()}));
    }
    for (const v1::TensorSpec& spec : arg.tensors().tensors()) {
      if (!IsDense(spec)) return false;
      most = std::max(most, NumElements({spec.shape().begin(), spec.shape().end()}));
    }
  }
  return most >= kLeastElements;
}

struct SlicedCounts {
  int64_t cases = 0;
  int64_t cut = 0;  // cases with a piece that is not the whole call
  int64_t elements = 0;
  int64_t inputs = 0;  // elements
  double worst = 0;    // |r - r of the whole| in sigmas of the whole
};

// What differs, or nothing, in a call of `dtype`. Sums may be added up in another order, in float64. Where
// losses are `joined`, the roundings of a sum over samples and classes at once are not those of the losses'
// sum.
std::string Difference(const std::string& key, const HostTensor& slices, const HostTensor& whole,
                       const HostTensor* sigma, v1::Dtype::Code dtype, bool joined, SlicedCounts* counts) {
  if (slices.dtype != whole.dtype || slices.shape != whole.shape)
    return absl::StrCat(key, ": another dtype or shape");
  const ReferencePart part = ParseReferenceKey(key).part;
  for (int64_t i = 0; i < NumElements(whole.shape); ++i) {
    const double a = ElementAsDouble(slices.dtype, slices.data.data(), i);
    const double b = ElementAsDouble(whole.dtype, whole.data.data(), i);
    ++counts->elements;
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    double allowed = 0;
    if (part == ReferencePart::kSigma) allowed = (joined ? 1e-2 : 1e-5) * std::fabs(b);
    if (part == ReferencePart::kValue && sigma != nullptr) {
      const double s = ElementAsDouble(sigma->dtype, sigma->data.data(), i);
      // A reference of a float64 result has no digits to spare for another order.
      allowed = (dtype == v1::Dtype::float64 ? 2 : 1e-6) * s;
      counts->worst = std::max(counts->worst, std::fabs(a - b) / s);
    }
    if (part == ReferencePart::kLow) allowed = 1e-15;
    if (!(std::fabs(a - b) <= allowed)) return absl::StrCat(key, " element ", i, ": ", a, ", whole ", b);
  }
  return "";
}

// Slices that are made alone, saved tensors among them, are those of the whole call, bit for bit.
std::string DifferentInput(loader::InProcessLibrary* library, const v1::Case& c,
                           const std::vector<slices::Piece>& pieces, GivenInputs* whole,
                           SlicedCounts* counts) {
  MadeInputs alone(*library, c);
  for (const slices::Piece& piece : pieces) {
    const absl::StatusOr<SlicedInputs::Taken> expected = whole->Of(piece);
    const absl::StatusOr<SlicedInputs::Taken> made = alone.Of(piece);
    if (!made.ok()) return std::string(made.status().message());
    for (const auto& [key, tensor] : expected->tensors) {
      const auto found = made->tensors.find(key);
      const HostTensor own = found != made->tensors.end() ? found->second : made->left->at(key)->Whole();
      if (own.data != tensor.data || own.shape != tensor.shape)
        return absl::StrCat("the input ", key, " differs when it is made alone");
      counts->inputs += NumElements(tensor.shape);
    }
  }
  return "";
}

// Saved tensors are the same when the forward is called for a few positions of an axis at a time.
std::string DifferentSavedTensor(loader::InProcessLibrary* library, const Baseline& whole) {
  constexpr int64_t kFewBytes = 64;
  const absl::StatusOr<TensorMap> saved = MadeInputs(*library, whole.c).AllSaved(kFewBytes);
  if (!saved.ok()) return std::string(saved.status().message());
  for (const auto& [key, tensor] : *saved) {
    const HostTensor& expected = whole.inputs.at(key);
    if (tensor.data != expected.data || tensor.shape != expected.shape || tensor.dtype != expected.dtype)
      return absl::StrCat("the saved tensor ", key, " differs when it is made in steps");
  }
  return "";
}

std::string CheckCase(loader::InProcessLibrary* library, const v1::Case& c, const v1::Slices& slices,
                      const slices::SliceLimits& limits, SlicedCounts* counts) {
  const absl::StatusOr<Baseline> whole = GenerateCase(*library, c);
  if (!whole.ok()) return std::string(whole.status().message());
  const std::vector<slices::Piece> pieces = slices::Cut(whole->c, slices, limits);
  ++counts->cases;
  const bool cut =
      std::any_of(pieces.begin(), pieces.end(), [](const slices::Piece& piece) { return !piece.whole; });
  counts->cut += cut ? 1 : 0;
  const bool joined = std::any_of(pieces.begin(), pieces.end(), [](const slices::Piece& piece) {
    return piece.joined != slices::Reduction::kNone;
  });
  GivenInputs inputs(whole->inputs);
  std::string other = DifferentInput(library, c, pieces, &inputs, counts);
  if (other.empty()) other = DifferentSavedTensor(library, *whole);
  if (!other.empty()) return other;
  const absl::StatusOr<TensorMap> references = SlicedReferences(*library, whole->c, inputs, limits);
  if (!references.ok()) return std::string(references.status().message());
  const SlicePlaces places = slices::ComparedPlaces(pieces);
  for (const auto& [key, at] : places) {
    if (!references->contains(key)) return absl::StrCat("no reference of ", key);
  }
  for (const auto& [key, tensor] : *references) {
    const ReferenceName name = ParseReferenceKey(key);
    if (name.part == ReferencePart::kHash || name.part == ReferencePart::kShape) continue;  // of the whole
    if (name.part == ReferencePart::kExact)
      continue;  // the compared elements may be exact where others are not
    const auto found = whole->references.find(key);
    if (found == whole->references.end()) return absl::StrCat("the whole call has no ", key);
    const std::vector<int64_t>& at = places.at(name.output.substr(name.output.rfind(':') + 1));
    const auto sigma = whole->references.find(ReferenceKey(name.output, ReferencePart::kSigma));
    const bool noisy = sigma != whole->references.end();
    const HostTensor taken = noisy ? slices::TakeFlat(sigma->second, at) : HostTensor{};
    const std::string difference = Difference(key, tensor, slices::TakeFlat(found->second, at),
                                              noisy ? &taken : nullptr, c.dtype(), joined, counts);
    if (!difference.empty()) return difference;
  }
  return "";
}

TEST(SlicedReferences, EqualTheWhole) {
  auto library = loader::InProcessLibrary::Open(DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so");
  ASSERT_TRUE(library.ok()) << library.status();
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok());
  const slices::SlicesByFunction& known = slices::AllSlices();
  std::map<std::string, SlicedCounts> functions;
  for (const v1::OperatorFile& op : (*catalog)->operators()) {
    const bool any =
        std::any_of(op.function().begin(), op.function().end(),
                    [&](const v1::FunctionRules& rules) { return known.contains(rules.name()); });
    if (!any) continue;
    const absl::StatusOr<std::vector<v1::Case>> expanded = cases::Expand(op, op.operator_());
    ASSERT_TRUE(expanded.ok()) << expanded.status();
    for (const v1::FunctionRules& rules : op.function()) {
      const auto slices = known.find(rules.name());
      if (slices == known.end()) continue;
      std::vector<const v1::Case*> suitable;
      for (const v1::Case& c : *expanded) {
        if (c.function() == rules.name() && IsSuitable(c)) suitable.push_back(&c);
      }
      const size_t step = std::max<size_t>(1, suitable.size() / kCasesOfAFunction);
      for (size_t i = 0; i < suitable.size(); i += step) {
        const std::string wrong = CheckCase(library->get(), *suitable[i], slices->second,
                                            Small(i / step % 2 == 1), &functions[rules.name()]);
        EXPECT_EQ(wrong, "") << suitable[i]->id();
        if (!wrong.empty()) break;
      }
    }
  }
  SlicedCounts all;
  for (const auto& [name, slices] : known) {
    const SlicedCounts& counts = functions[name];
    EXPECT_GT(counts.cut, 0) << name << ": no case is cut";
    all.cases += counts.cases;
    all.cut += counts.cut;
    all.elements += counts.elements;
    all.inputs += counts.inputs;
    all.worst = std::max(all.worst, counts.worst);
  }
  std::printf(
      "%zu functions, %lld cases, %lld cut, %lld values and %lld inputs equal; r at most %.2g sigma apart\n",
      known.size(), static_cast<long long>(all.cases), static_cast<long long>(all.cut),
      static_cast<long long>(all.elements), static_cast<long long>(all.inputs), all.worst);
}

}  // namespace
}  // namespace diopi::baselines
