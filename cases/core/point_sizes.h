// The sizes of a point's tensors, which change together: where one occurs in several shapes, lists of sizes
// and ranges of indices, it usually is one size of the operator, so it is replaced in all of them.
#ifndef CASES_CORE_POINT_SIZES_H_
#define CASES_CORE_POINT_SIZES_H_

#include <cstdint>
#include <map>
#include <string>

#include "cases/base/dtype.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

// Views of one point and of its function's rules, which outlive it. Whether the rules allow what comes out,
// only BuildCase (case_builder.h) says.
class PointSizes {
 public:
  // An attribute larger than this that equals a tensor's size is taken to be that size.
  static constexpr int64_t kSurelyASize = 5;

  PointSizes(const v1::FunctionRules& rules, Dtype dtype, v1::Point* point)
      : rules_(rules), dtype_(dtype), point_(point) {}

  // Replaces a size in all shapes and, if it surely is one, in integers; with `lists` also in lists of sizes.
  void Replace(int64_t from, int64_t to, bool lists);
  // Changes dimension `d` of one of the point's tensors and of those of the same shape.
  void SetDimension(const v1::PointTensor& tensor, int d, int64_t to);
  // Two sizes change places in all shapes.
  void Exchange(int64_t a, int64_t b);

  // The rule of the argument that has this name in points.
  const v1::ArgRule& RuleOf(const std::string& name) const;
  // Indices, lengths, masks: what they may hold depends on the point.
  bool IsIndex(const v1::PointTensor& tensor) const;
  bool IsIndexType(const std::string& dtype) const;
  // Indices into a dimension of `from` elements become indices into one of `to`.
  void MoveIndexRanges(int64_t from, int64_t to);
  bool HasIndicesInto(int64_t size) const;
  // Starts or lengths of sequences, slots, rows that belong together, ...: they fit the point's sizes only.
  bool HasTable() const;

 private:
  std::map<int, int> ShapeLists() const;
  void SetShapeLists(const std::map<int, int>& lists);
  bool IsRangeOf(const v1::PointTensor& tensor, int64_t size) const;

  const v1::FunctionRules& rules_;
  const Dtype dtype_;
  v1::Point* const point_;
};

}  // namespace diopi::cases

#endif  // CASES_CORE_POINT_SIZES_H_
