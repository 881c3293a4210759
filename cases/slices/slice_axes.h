// The axes of a function's tensors, as cases/slices gives them (v1::Slices): which axes of which tensors
// belong together, and along which of them the elements of an output do not depend on each other.
#ifndef CASES_SLICES_SLICE_AXES_H_
#define CASES_SLICES_SLICE_AXES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "diopi/v1/slices.pb.h"
#include "proto/abi/abi.h"

namespace diopi::slices {

// "k": one axis. "d..": as many axes as there are. "d..-dim": those of d except the ones that the attribute
// `dim` names, unless the tensor keeps them with size 1.
struct AxisTerm {
  std::string letter;
  bool many = false;
  std::string without = {};
};

// One axis of a tensor: its terms, the last one varying fastest ("(g c)" has two).
using TermGroup = std::vector<AxisTerm>;

// "input[n, (g c), y, x]"; "groups{g}": the attribute whose value is, or whose values are, sizes of axes.
struct NamedAxes {
  std::string name;
  std::vector<TermGroup> axes;
};

// "grad_input: n g c".
struct FreeAxes {
  std::string output;
  std::vector<AxisTerm> letters;
};

// "h y i": a range of axis h of an output needs a range of axis y of an input, by the attributes stride,
// padding and dilation, of which the first window uses the first element. The windows are as long as axis i,
// or as the attribute kernel_size says.
struct WindowAxes {
  std::string out;
  std::string in;
  std::string kernel;
};

// "v indices": the values of the tensor `indices` pick positions of axis v, or of all axes "v..". Without a
// tensor, the call does.
struct GatheredAxis {
  std::string letter;
  std::string by;

  bool Has(std::string_view axis) const;  // a letter of a case's axes (resolved_axes.h)
};

struct SliceAxes {
  bool elementwise = false;
  std::vector<NamedAxes> tensors;
  std::vector<NamedAxes> attributes;
  std::vector<FreeAxes> free;
  std::vector<WindowAxes> windows;
  std::vector<GatheredAxis> gathered;
  std::string reduced;  // the axis along which `reduction` joins losses; empty: none

  const NamedAxes* Tensor(std::string_view name) const;
  const FreeAxes* Free(std::string_view output) const;
};

// InvalidArgument for a text that does not follow the form.
absl::StatusOr<SliceAxes> ParseSliceAxes(const v1::Slices& slices);

// What is wrong with the slices of this function, a sentence each: arguments that it does not have or that
// are missing, letters that no tensor has, outputs whose elements would depend on what a slice leaves out.
std::vector<std::string> SliceErrors(const v1::Slices& slices, const abi::Function& function);

}  // namespace diopi::slices

#endif  // CASES_SLICES_SLICE_AXES_H_
