// The axes of one case's tensors, and ranges of windows along them.
#ifndef CASES_SLICES_RESOLVED_AXES_H_
#define CASES_SLICES_RESOLVED_AXES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cases/slices/sample.h"
#include "cases/slices/slice_axes.h"
#include "cases/slices/slices.h"

namespace diopi::slices {

using Letters = std::vector<std::string>;

// The axes of a case's tensors, each axis by its letters, of which the last varies fastest.
struct ResolvedAxes {
  std::map<std::string, int64_t> sizes;                    // of each letter
  std::map<std::string, std::vector<Letters>> tensors;     // by argument
  std::map<std::string, std::vector<Letters>> attributes;  // by argument
  std::map<std::string, Letters> free;                     // by output
};

// Nothing where the file's axes do not fit the case's shapes: it is then called whole.
std::optional<ResolvedAxes> ResolveAxes(const v1::Case& c, const SliceAxes& axes);

// A window's range along its two axes: what a piece takes, and which part of it is right.
struct WindowRange {
  int64_t out_begin = 0, out_end = 0;              // that the piece computes
  int64_t in_begin = 0, in_end = 0;                // that it takes
  int64_t out_right_begin = 0, out_right_end = 0;  // of the whole output, where no window is shortened
  int64_t in_right_begin = 0, in_right_end = 0;  // of the whole input, where every window that reads it is in
};

// How windows along one axis lie: attributes, the sizes of both axes and the length of a window.
struct WindowShape {
  int64_t stride = 1, padding = 0, dilation = 1, kernel = 1, out = 1, in = 1;
  bool ceil = false;

  // Outputs of an input of that length.
  int64_t Outputs(int64_t length) const;
  // How far an input of that length goes beyond what so many windows reach, without the padding.
  int64_t Beyond(int64_t windows, int64_t length) const;
  // The inputs of the outputs [begin, end); empty if they read only padding.
  WindowRange Around(int64_t begin, int64_t end) const;
};

// The windows of a case, in the file's order; nothing where attributes and sizes do not fit together.
std::optional<std::vector<WindowShape>> WindowShapes(const v1::Case& c, const SliceAxes& axes,
                                                     const ResolvedAxes& resolved);

}  // namespace diopi::slices

#endif  // CASES_SLICES_RESOLVED_AXES_H_
