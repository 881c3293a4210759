// transpose, flip, roll, repeat and meshgrid: every element of the output is one of the input's.
#include <utility>

#include "baselines/ops/tensor/moving.h"

namespace diopi::ops::both {

DIOPI_KERNEL(diopiTranspose, a) {
  const Tensor x(a.input);
  Lines lines = LinesOf(x.shape());
  const auto d0 = static_cast<size_t>(WrapDim(a.dim0, x.rank()));
  const auto d1 = static_cast<size_t>(WrapDim(a.dim1, x.rank()));
  if (d0 != d1) std::swap(lines[d0], lines[d1]);
  MoveLines(a.ctx, a.out, x, lines);
}

DIOPI_KERNEL(diopiFlip, a) {
  const Tensor x(a.input);
  Lines lines = LinesOf(x.shape());
  const Shape dims = Sizes(a.dims);
  // No dims at all flip nothing; WrapDims would take them for all.
  for (const int64_t dim : dims.empty() ? Shape{} : WrapDims(dims, x.rank())) {
    if (lines.empty()) break;
    Line& line = lines[static_cast<size_t>(dim)];
    line.start = line.count - 1;
    line.step = -1;
  }
  MoveLines(a.ctx, a.out, x, lines);
}

DIOPI_KERNEL(diopiRoll, a) {
  const Tensor out(a.out), x(a.input);
  const Shape shifts = Sizes(a.shifts), dims = Sizes(a.dims);
  Check(dims.empty() ? shifts.size() == 1 : shifts.size() == dims.size(), shifts.size(), " shifts of ",
        dims.size(), " dims");
  CheckShape(out, x.shape(), "out");
  // Without dims the elements move in their order over the whole tensor.
  Lines lines = LinesOf(dims.empty() ? Shape{x.numel()} : x.shape());
  for (size_t i = 0; i < shifts.size(); ++i) {
    const int64_t dim = dims.empty() ? 0 : WrapDim(dims[i], x.rank());
    if (x.numel() == 0 || lines.empty()) continue;
    Line& line = lines[static_cast<size_t>(dim)];
    const int64_t shift = shifts[i] % line.size;
    line.start = (line.start - shift + 2 * line.size) % line.size;
  }
  Move(a.ctx, out, x, Places(lines));
}

DIOPI_KERNEL(diopiRepeat, a) {
  const Tensor x(a.input);
  const Shape repeats = Sizes(a.repeats_size);
  Lines lines = LinesOf(x.shape());
  Check(repeats.size() >= lines.size(), "fewer repeats than dimensions");
  lines.insert(lines.begin(), repeats.size() - lines.size(), Line());
  for (size_t d = 0; d < repeats.size(); ++d) {
    Check(repeats[d] >= 0, "a negative repeat");
    lines[d].count *= repeats[d];
  }
  MoveLines(a.ctx, a.out, x, lines);
}

DIOPI_KERNEL(diopiMeshGrid, a) {
  Lines still;
  for (int64_t i = 0; i < a.inputsNum; ++i) {
    const Tensor x(a.inputs[i]);
    Check(x.rank() <= 1, "inputs must be vectors, got shape ", ShapeText(x.shape()));
    still.push_back({x.numel(), 0, 1, x.numel(), 0});
  }
  for (int64_t i = 0; i < a.inputsNum; ++i) {
    Lines lines = still;
    lines[static_cast<size_t>(i)].stride = 1;
    MoveLines(a.ctx, a.outs[i], a.inputs[i], lines);
  }
}

}  // namespace diopi::ops::both
