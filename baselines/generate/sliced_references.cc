// The references of a large call: each piece's, at the elements that are compared, one after the other.
#include "baselines/generate/sliced_references.h"

#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/generate/generate.h"
#include "baselines/generate/widen.h"
#include "baselines/ops/support/sum.h"
#include "cases/base/hash.h"
#include "cases/base/output_hash.h"
#include "cases/base/status_macros.h"
#include "cases/core/reference_key.h"
#include "cases/slices/slices.h"

namespace diopi::baselines {
namespace {

using LossNoise = ops::Noise<double>;

class Collector {
 public:
  // A reference has a value for each element of its output, or says something about all of it.
  absl::Status Add(const v1::Case& c, const slices::Piece& piece, TensorMap references) {
    for (const std::string& key : piece.hashed) {
      const auto found = references.find(key);
      if (found == references.end()) return absl::InternalError(absl::StrCat("no reference for ", key));
      AddWhole(c, key, piece.outputs.contains(key), found->second);
    }
    for (auto& [key, tensor] : references) {
      const ReferenceName name = ParseReferenceKey(key);
      const auto found = piece.outputs.find(name.output.substr(name.output.rfind(':') + 1));
      if (found == piece.outputs.end()) continue;
      if (name.part == ReferencePart::kSpreadNan) continue;  // the inputs of large calls are finite
      if (name.part == ReferencePart::kExact) {
        ++exact_[key];
        continue;
      }
      HostTensor taken = slices::TakeFlat(tensor, found->second.in_piece);
      if (piece.scale != 1) Scale(piece.scale, &taken);
      Append(key, std::move(taken));
    }
    if (piece.joined != slices::Reduction::kNone) joined_ = piece.joined;
    for (const auto& [key, compared] : piece.outputs) ++pieces_[key];
    return absl::OkStatus();
  }

  // No order of summation rounds where that holds for every piece.
  absl::StatusOr<TensorMap> Take() {
    if (joined_ != slices::Reduction::kNone) return Joined();
    for (const auto& [key, count] : exact_) {
      const std::string output = ParseReferenceKey(key).output;
      if (count == pieces_[output.substr(output.rfind(':') + 1)])
        collected_[key] = HostTensor{v1::Dtype::uint8, {}, std::string(1, '\1')};
    }
    return std::move(collected_);
  }

 private:
  // Of an output that is not among the piece's, the library makes, also its shape and its places' elements.
  void AddWhole(const v1::Case& c, const std::string& key, bool has_places, const HostTensor& whole) {
    const std::string hash = Hex64(HashOutput(whole.data));
    collected_[ReferenceKey(key, ReferencePart::kHash)] =
        HostTensor{v1::Dtype::uint8, {static_cast<int64_t>(hash.size())}, hash};
    if (has_places) return;
    HostTensor shape{v1::Dtype::int64, {static_cast<int64_t>(whole.shape.size())}, {}};
    shape.data.assign(reinterpret_cast<const char*>(whole.shape.data()),
                      whole.shape.size() * sizeof(int64_t));
    collected_[ReferenceKey(key, ReferencePart::kShape)] = std::move(shape);
    collected_[key] = slices::TakeFlat(whole, slices::PlacesIn(c, key, whole.shape));
  }

  // Of floating references: a value, sigma, what a value lost.
  static void Scale(double factor, HostTensor* tensor) {
    for (int64_t i = 0; i < NumElements(tensor->shape); ++i) {
      const double value = ElementAsDouble(tensor->dtype, tensor->data.data(), i) * factor;
      if (tensor->dtype == v1::Dtype::float32) {
        reinterpret_cast<float*>(tensor->data.data())[i] = static_cast<float>(value);
      } else {
        reinterpret_cast<double*>(tensor->data.data())[i] = value;
      }
    }
  }

  // The sum of the losses, or their mean, as the reference adds them up.
  absl::StatusOr<TensorMap> Joined() const {
    TensorMap joined;
    for (const auto& [key, losses] : collected_) {
      const ReferenceName name = ParseReferenceKey(key);
      if (name.part != ReferencePart::kValue) continue;
      const auto noise = collected_.find(ReferenceKey(name.output, ReferencePart::kSigma));
      if (noise == collected_.end()) return absl::InternalError(absl::StrCat("no noise of ", key));
      const HostTensor& sigma = noise->second;
      ops::Sum<LossNoise> sum;
      for (int64_t i = 0; i < losses.shape[0]; ++i) {
        const double s = ElementAsDouble(sigma.dtype, sigma.data.data(), i);
        sum += LossNoise(ElementAsDouble(losses.dtype, losses.data.data(), i), s * s);
      }
      const LossNoise total =
          joined_ == slices::Reduction::kMean ? sum.total() / LossNoise(losses.shape[0]) : sum.total();
      HostTensor one{v1::Dtype::noise64, {1}, std::string(sizeof(total), '\0')};
      std::memcpy(one.data.data(), &total, sizeof(total));
      ASSIGN_OR_RETURN(Expected expected, SplitNoise(one, v1::Dtype::float32));
      joined[key] = std::move(expected.r);
      joined[ReferenceKey(name.output, ReferencePart::kSigma)] = std::move(expected.sigma);
    }
    return joined;
  }

  void Append(const std::string& key, HostTensor taken) {
    auto [at, added] = collected_.try_emplace(key, std::move(taken));
    if (added) return;
    at->second.shape[0] += taken.shape[0];
    at->second.data += taken.data;
  }

  TensorMap collected_;
  std::map<std::string, int64_t> exact_;   // pieces that are exact, by reference
  std::map<std::string, int64_t> pieces_;  // by output
  slices::Reduction joined_ = slices::Reduction::kNone;
};

}  // namespace

absl::StatusOr<TensorMap> SlicedReferences(loader::InProcessLibrary& reference, const v1::Case& c,
                                           SlicedInputs& inputs, const slices::SliceLimits& limits) {
  Collector collector;
  for (const slices::Piece& piece : slices::Cut(c, slices::BuiltinSlices(c.function()), limits)) {
    ASSIGN_OR_RETURN(SlicedInputs::Taken taken, inputs.Of(piece));
    absl::StatusOr<TensorMap> references =
        GenerateReferences(reference, piece.c, std::move(taken.tensors), taken.left);
    RETURN_IF_ERROR(references.ok() ? collector.Add(c, piece, *std::move(references)) : references.status());
  }
  return collector.Take();
}

}  // namespace diopi::baselines
