// Writes numbers of one distribution (v1::Fill), each from its index and the key alone. For fill.cc.
#ifndef CASES_FILL_FILLER_H_
#define CASES_FILL_FILLER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi {

// The element type of the two parts of a complex number; other types are their own.
Dtype PartOf(Dtype dtype);

// As StoreDouble, except for NaN where `low_payload` (v1::Fill::Specials).
void StoreSpecial(Dtype dtype, void* data, int64_t i, double value, bool low_payload);

// Writes the values into `data`, which holds `count` elements whose last dimension is `slice` long.
class Filler {
 public:
  Filler(const v1::Fill& fill, Dtype dtype, uint64_t key, int64_t count, int64_t slice, void* data)
      : fill_(fill), dtype_(dtype), key_(key), count_(count), slice_(slice), data_(data) {}

  absl::Status Run();

  // The errors of Run.
  absl::Status Check() const;
  // The fill's special values and their places, which Run writes last.
  std::vector<std::pair<int64_t, double>> SpecialPlaces() const;

 private:
  absl::Status CheckIntegers() const;
  absl::Status CheckNumbers() const;
  void Range(int64_t begin, int64_t end);  // the elements in [begin, end), but for special values
  void Element(int64_t i, uint64_t bits);
  void Normal(int64_t first, size_t count, const uint64_t* bits);
  void Continuous(int64_t i, double value);
  void FullRange(int64_t i, uint64_t bits);

  const v1::Fill& fill_;
  Dtype dtype_;
  uint64_t key_;
  int64_t count_;
  int64_t slice_;
  void* data_;
};

}  // namespace diopi

#endif  // CASES_FILL_FILLER_H_
