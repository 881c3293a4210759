// Weighted sums of a tensor's elements along some of its axes, at the speed of memory: what probes of whole
// outputs are made of. Sums are float64.
#ifndef BASELINES_COMPARE_CONTRACTION_H_
#define BASELINES_COMPARE_CONTRACTION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cases/base/tensor_view.h"
#include "cases/slices/resolved_axes.h"

namespace diopi::baselines {

// Where a tensor's elements lie, for all combinations of some axes' positions.
struct Offsets {
  std::vector<int64_t> at;  // in elements
  int64_t run = 1;  // so many neighbours in the list are neighbours in the tensor, from every multiple on
};

// A tensor and its axes by their letters.
class Operand {
 public:
  // Nothing where the tensor is missing or does not have these axes.
  static std::optional<Operand> Of(const slices::ResolvedAxes& axes, const std::string& name,
                                   const TensorView* tensor);

  const TensorView& tensor() const { return *tensor_; }
  // Whether it is broadcast along none of its axes.
  bool IsWhole() const;
  bool Has(const std::string& letter) const { return strides_.contains(letter); }
  bool SameAxes(const Operand& other) const { return axes_ == other.axes_; }

  // Offsets for all combinations of these letters' positions, the last one varying fastest. The tensor is
  // broadcast along axes that it lacks.
  Offsets Of(const slices::Letters& letters) const;
  double At(int64_t offset) const { return ElementAsDouble(tensor_->dtype, tensor_->data.data(), offset); }

  // For each place of `kept`: the sum over `summed` of the weights times the elements, all from `base` on.
  std::vector<double> Contract(int64_t base, const Offsets& kept, const Offsets& summed,
                               const std::vector<double>& weights) const;

 private:
  void SumRuns(int64_t base, const Offsets& kept, const Offsets& summed, const std::vector<double>& weights,
               std::vector<double>* sums) const;
  void AddFewRuns(int64_t base, const Offsets& kept, const Offsets& summed,
                  const std::vector<double>& weights, std::vector<double>* sums) const;
  void AddManyRuns(int64_t base, const Offsets& kept, const Offsets& summed,
                   const std::vector<double>& weights, std::vector<double>* sums) const;

  const TensorView* tensor_ = nullptr;
  std::vector<slices::Letters> axes_;
  std::map<std::string, int64_t> strides_;       // of each letter, in elements
  const std::map<std::string, int64_t>* sizes_;  // of the case's letters
};

// 1 or -1, at random.
std::vector<double> RandomSigns(uint64_t key, size_t count);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_CONTRACTION_H_
