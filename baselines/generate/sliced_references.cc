// The references of a large call: each piece's, at the elements that are compared, one after the other.
#include "baselines/generate/sliced_references.h"

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/generate/generate.h"
#include "cases/base/hash.h"
#include "cases/core/reference_key.h"
#include "cases/core/slices.h"

namespace diopi::baselines {
namespace {

class Collector {
 public:
  // A reference has a value for each element of its output, or says something about all of it.
  absl::Status Add(const v1::Case& c, const cases::Piece& piece, TensorMap references) {
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
      Append(key, cases::TakeFlat(tensor, found->second.in_piece));
    }
    for (const auto& [key, compared] : piece.outputs) ++pieces_[key];
    return absl::OkStatus();
  }

  // No order of summation rounds where that holds for every piece.
  TensorMap Take() {
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
    const std::string hash = Xxh128Hex(whole.data);
    collected_[ReferenceKey(key, ReferencePart::kHash)] =
        HostTensor{v1::Dtype::uint8, {static_cast<int64_t>(hash.size())}, hash};
    if (has_places) return;
    HostTensor shape{v1::Dtype::int64, {static_cast<int64_t>(whole.shape.size())}, {}};
    shape.data.assign(reinterpret_cast<const char*>(whole.shape.data()),
                      whole.shape.size() * sizeof(int64_t));
    collected_[ReferenceKey(key, ReferencePart::kShape)] = std::move(shape);
    collected_[key] = cases::TakeFlat(whole, cases::PlacesIn(c, key, whole.shape));
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
};

}  // namespace

absl::StatusOr<TensorMap> SlicedReferences(loader::InProcessLibrary& reference, const v1::Case& c,
                                           SlicedInputs& inputs, const cases::SliceLimits& limits) {
  Collector collector;
  for (const cases::Piece& piece : cases::Cut(c, cases::BuiltinSlices(c.function()), limits)) {
    const absl::StatusOr<TensorMap> taken = inputs.Of(piece);
    if (!taken.ok()) return taken.status();
    absl::StatusOr<TensorMap> references = GenerateReferences(reference, piece.c, *taken);
    absl::Status status =
        references.ok() ? collector.Add(c, piece, *std::move(references)) : references.status();
    if (!status.ok()) return status;
  }
  return collector.Take();
}

}  // namespace diopi::baselines
