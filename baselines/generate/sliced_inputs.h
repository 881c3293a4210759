// The inputs of a large call, whole or a piece's slices of them (cases/slices/slices.h).
#ifndef BASELINES_GENERATE_SLICED_INPUTS_H_
#define BASELINES_GENERATE_SLICED_INPUTS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/base/tensor.h"
#include "cases/fill/fill.h"
#include "cases/slices/slices.h"
#include "diopi/v1/case.pb.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::baselines {

// The elements that a piece reads, and, for a piece that is the whole call, all.
class SlicedInputs {
 public:
  struct Taken {
    TensorMap tensors;
    // The other inputs of a whole call, which the reference makes in its tensors; null: there are none.
    const BlockInputs* left = nullptr;
  };
  virtual ~SlicedInputs() = default;
  virtual absl::StatusOr<Taken> Of(const slices::Piece& piece) = 0;
};

// Out of inputs that are there, which outlive it.
class GivenInputs final : public SlicedInputs {
 public:
  explicit GivenInputs(const TensorMap& inputs) : inputs_(inputs) {}
  absl::StatusOr<Taken> Of(const slices::Piece& piece) override;

 private:
  const TensorMap& inputs_;
};

// Those that the case describes: each slice is made where a piece reads it. Saved tensors come from the
// reference's own forward, which is called on slices, too, where its axes allow it.
class MadeInputs final : public SlicedInputs {
 public:
  // Both outlive it.
  MadeInputs(loader::InProcessLibrary& reference, const v1::Case& c) : reference_(reference), c_(c) {}
  absl::StatusOr<Taken> Of(const slices::Piece& piece) override;
  // Of a forward that is called in steps, its largest tensor: few enough bytes to stay in the processor's
  // caches.
  static constexpr int64_t kBytesAtOnce = int64_t{1} << 20;
  // The saved tensors of the whole call. A forward that can be cut is called on one stretch of an axis after
  // the other, so that neither its inputs nor copies of its outputs are in memory whole.
  absl::StatusOr<TensorMap> AllSaved(int64_t bytes_at_once = kBytesAtOnce);

 private:
  // What a call's fills describe: blocks are made where they are read.
  struct Filled {
    TensorMap small;
    BlockInputs blocks;
  };
  // A call that gives saved tensors.
  struct Forward {
    Filled inputs;
    std::optional<TensorMap> outputs;  // of the whole call
  };

  // An output of a forward that is an input of the case.
  struct SavedTensor {
    const v1::Argument* arg;
    const v1::Case* producer;
    std::string output;
  };
  // A forward is called for `step` positions of an output's axis at a time.
  struct Steps {
    size_t axis;
    int64_t step;

    bool operator==(const Steps&) const = default;
  };

  static absl::StatusOr<Filled> Fill(const v1::Case& c);
  absl::Status Open();
  absl::StatusOr<std::vector<SavedTensor>> ListSaved() const;
  absl::Status AddSaved(const slices::Piece& piece, TensorMap* taken);
  std::optional<Steps> StepsFor(const SavedTensor& saved, int64_t bytes_at_once) const;
  absl::Status SaveInSteps(const SavedTensor& saved, const Steps& steps, int64_t begin, HostTensor* whole);
  absl::StatusOr<HostTensor> Saved(const v1::Case& producer, const std::string& output,
                                   const slices::Places* places);

  loader::InProcessLibrary& reference_;
  const v1::Case& c_;
  std::optional<Filled> filled_;
  std::map<std::string, Forward> forwards_;  // by function
  // The latest call of a forward on slices: an argument's places differ seldom from those of the one before.
  std::string latest_;
  TensorMap latest_outputs_;
};

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_SLICED_INPUTS_H_
