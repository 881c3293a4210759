// The products image[n, g, c, y] * kernel[g, o, c, i] belong to result[n, g, o, h] where window h reads y at
// i. A convolution sums them up for the result, its gradients for the image and for the kernel. `mixed` are
// the axes that the output has in common with one operand alone (n and o of a result), `kept` those of all
// three (g), and `summed` the one that it lacks (c).
#include "baselines/compare/convolution_probe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baselines/compare/contraction.h"
#include "baselines/compare/contraction_kernel.h"
#include "baselines/compare/expect.h"

namespace diopi::baselines {
namespace {

using slices::Letters;

constexpr char kBias[] = "bias";

// One of the three tensors, without the axes that are mixed: [kept, summed where it has them, windows].
struct Side {
  Operand operand;
  Letters windows;  // its letter of each window
  Letters mixed;    // of this tensor and the output
  std::vector<double> sums = {};
};

int64_t Size(const slices::ResolvedAxes& axes, const Letters& letters) {
  int64_t size = 1;
  for (const std::string& letter : letters) size *= axes.sizes.at(letter);
  return size;
}

class ConvolutionProbe {
 public:
  ConvolutionProbe(const slices::SliceAxes& axes, const slices::ResolvedAxes& resolved, uint64_t key)
      : axes_(axes), resolved_(resolved), key_(key) {}

  // False where the output is no convolution of two inputs.
  bool Find(const v1::Case& c, const ProbedOutput& output, const TensorViews& inputs) {
    const std::optional<std::vector<slices::WindowShape>> shapes = WindowShapes(c, axes_, resolved_);
    std::optional<Operand> out = Operand::Of(resolved_, output.key, output.tensor);
    if (!shapes.has_value() || !out.has_value() || !out->IsWhole()) return false;
    shapes_ = *shapes;
    sides_.push_back({*std::move(out), {}, {}});
    for (const auto& [name, letters] : resolved_.tensors) {
      std::optional<Operand> operand = Operand::Of(resolved_, name, FindView(inputs, name));
      if (name == output.key || !operand.has_value()) continue;
      const bool windows =
          std::any_of(axes_.windows.begin(), axes_.windows.end(),
                      [&](const slices::WindowAxes& w) { return WindowOf(*operand, w) != ""; });
      // A gradient's function gets all three tensors: the one like the output is not an operand.
      if (windows && !operand->SameAxes(sides_[0].operand))
        sides_.push_back({*std::move(operand), {}, {}});
      else if (name == kBias)
        bias_ = std::move(operand);
    }
    if (sides_.size() != 3) return false;
    for (Side& side : sides_) {
      for (const slices::WindowAxes& window : axes_.windows) {
        const std::string letter = WindowOf(side.operand, window);
        if (letter.empty()) return false;
        side.windows.push_back(letter);
      }
    }
    return SortLetters();
  }

  Probed Run(double deviation) {
    const std::vector<double> signs[2] = {RandomSigns(key_, Count(1)), RandomSigns(key_ + 1, Count(2))};
    std::vector<double> both;
    for (const double a : signs[0]) {
      for (const double b : signs[1]) both.push_back(a * b);
    }
    Letters mixed = sides_[1].mixed;
    mixed.insert(mixed.end(), sides_[2].mixed.begin(), sides_[2].mixed.end());
    Fold(0, mixed, both);
    Fold(1, sides_[1].mixed, signs[0]);
    Fold(2, sides_[2].mixed, signs[1]);
    std::vector<double> expected = Convolve();
    AddBias(signs, &expected);
    const double limit = kProbeLimit * deviation * std::sqrt(static_cast<double>(both.size()));
    const Offsets places = sides_[0].operand.Of(AxesOf(0));
    Probed probed{true, std::nullopt};
    for (size_t i = 0; i < expected.size(); ++i) {
      probed.finite = probed.finite && std::isfinite(sides_[0].sums[i]);
      if (probed.wrong.has_value() || std::fabs(sides_[0].sums[i] - expected[i]) <= limit) continue;
      probed.wrong = Found(v1::Finding::SUM_WRONG)
                         .Place(PlaceAt(sides_[0].operand.tensor().shape, places.at[i]))
                         .Word(absl::StrJoin(mixed, ", "))
                         .Got(absl::StrCat(sides_[0].sums[i]))
                         .Expected(absl::StrCat(expected[i]))
                         .Limit(absl::StrCat(limit));
    }
    return probed;
  }

 private:
  static std::string WindowOf(const Operand& operand, const slices::WindowAxes& window) {
    for (const std::string& letter : {window.out, window.in, window.kernel}) {
      if (!letter.empty() && operand.Has(letter)) return letter;
    }
    return "";
  }

  bool IsWindow(const std::string& letter) const {
    return std::any_of(sides_.begin(), sides_.end(), [&](const Side& side) {
      return std::find(side.windows.begin(), side.windows.end(), letter) != side.windows.end();
    });
  }

  bool SortLetters() {
    for (const auto& [letter, size] : resolved_.sizes) {
      if (IsWindow(letter)) continue;
      const bool in_out = sides_[0].operand.Has(letter);
      const bool in_first = sides_[1].operand.Has(letter);
      const bool in_second = sides_[2].operand.Has(letter);
      if (in_out && in_first && in_second)
        kept_.push_back(letter);
      else if (!in_out && in_first && in_second)
        summed_.push_back(letter);
      else if (in_out && in_first)
        sides_[1].mixed.push_back(letter);
      else if (in_out && in_second)
        sides_[2].mixed.push_back(letter);
      else
        return false;
    }
    return !sides_[1].mixed.empty() && !sides_[2].mixed.empty();
  }

  size_t Count(size_t side) const { return static_cast<size_t>(Size(resolved_, sides_[side].mixed)); }

  // The axes of a side that are left.
  Letters AxesOf(size_t side) const {
    Letters axes = kept_;
    if (side > 0) axes.insert(axes.end(), summed_.begin(), summed_.end());
    axes.insert(axes.end(), sides_[side].windows.begin(), sides_[side].windows.end());
    return axes;
  }

  void Fold(size_t side, const Letters& mixed, const std::vector<double>& signs) {
    const Operand& operand = sides_[side].operand;
    sides_[side].sums = operand.Contract(0, operand.Of(AxesOf(side)), operand.Of(mixed), signs);
  }

  std::vector<double> Convolve() const {
    std::vector<double> expected(sides_[0].sums.size(), 0.0);
    const int64_t kept = Size(resolved_, kept_);
    const int64_t summed = Size(resolved_, summed_);
    for (int64_t k = 0; k < kept; ++k) {
      for (int64_t s = 0; s < summed; ++s) Along(0, {k, k * summed + s, k * summed + s}, &expected);
    }
    return expected;
  }

  // Multiplies along the windows from `window` on; places are of all axes before it, of the output and both
  // operands.
  void Along(size_t window, const std::array<int64_t, 3>& before, std::vector<double>* expected) const {
    const slices::WindowShape& shape = shapes_[window];
    std::array<int64_t, 3> step{};  // of each place as the window moves by one output
    std::array<int64_t, 3> in_kernel{};
    std::array<int64_t, 3> first{};
    for (size_t side = 0; side < 3; ++side) {
      const std::string& letter = sides_[side].windows[window];
      const bool out = letter == axes_.windows[window].out;
      const bool in = letter == axes_.windows[window].in;
      step[side] = out ? 1 : in ? shape.stride : 0;
      in_kernel[side] = out ? 0 : in ? shape.dilation : 1;
      first[side] = before[side] * resolved_.sizes.at(letter) - (in ? shape.padding : 0);
    }
    for (int64_t i = 0; i < shape.kernel; ++i) {
      const auto [begin, end] = OutputsWithin(shape, i);
      std::array<int64_t, 3> at{};
      for (size_t side = 0; side < 3; ++side)
        at[side] = first[side] + i * in_kernel[side] + begin * step[side];
      if (window + 1 == axes_.windows.size()) {
        if (begin < end) MultiplyAlong(at, step, end - begin, expected);
        continue;
      }
      for (int64_t h = 0; h < end - begin; ++h)
        Along(window + 1, {at[0] + h * step[0], at[1] + h * step[1], at[2] + h * step[2]}, expected);
    }
  }

  // The outputs whose window reads an element of the image, and not its padding, at the kernel's `i`.
  static std::pair<int64_t, int64_t> OutputsWithin(const slices::WindowShape& shape, int64_t i) {
    const int64_t shift = shape.padding - i * shape.dilation;
    const auto steps = [&](int64_t elements) {
      return elements <= 0 ? 0 : (elements + shape.stride - 1) / shape.stride;
    };
    return {steps(shift), std::min(shape.out, steps(shape.in + shift))};
  }

  void MultiplyAlong(const std::array<int64_t, 3>& at, const std::array<int64_t, 3>& step, int64_t count,
                     std::vector<double>* expected) const {
    double* const out = expected->data() + at[0];
    const double* first = sides_[1].sums.data() + at[1];
    const double* second = sides_[2].sums.data() + at[2];
    std::array<int64_t, 2> steps = {step[1], step[2]};
    if (steps[0] == 0) {
      std::swap(first, second);
      std::swap(steps[0], steps[1]);
    }
    const auto n = static_cast<size_t>(count);
    if (step[0] == 1 && steps[0] == 1 && steps[1] == 0) {
      AddScaled(v1::Dtype::float64, *second, reinterpret_cast<const char*>(first), n, out);
    } else if (step[0] == 0 && steps[0] == 1 && steps[1] == 1) {
      *out += Dot(v1::Dtype::float64, reinterpret_cast<const char*>(first), second, n);
    } else {
      for (int64_t h = 0; h < count; ++h) out[h * step[0]] += first[h * steps[0]] * second[h * steps[1]];
    }
  }

  // A bias has the axes of a kernel's outputs, and is the same everywhere else.
  void AddBias(const std::vector<double> (&signs)[2], std::vector<double>* expected) const {
    if (!bias_.has_value()) return;
    const bool first = bias_->Has(sides_[1].mixed[0]);
    const std::vector<double>& own = signs[first ? 0 : 1];
    double others = 0;
    for (const double sign : signs[first ? 1 : 0]) others += sign;
    const std::vector<double> sums =
        bias_->Contract(0, bias_->Of(kept_), bias_->Of(sides_[first ? 1 : 2].mixed), own);
    const size_t inner = expected->size() / sums.size();
    for (size_t i = 0; i < expected->size(); ++i) (*expected)[i] += others * sums[i / inner];
  }

  const slices::SliceAxes& axes_;
  const slices::ResolvedAxes& resolved_;
  const uint64_t key_;
  std::vector<slices::WindowShape> shapes_;
  std::vector<Side> sides_;  // the output, and its operands
  std::optional<Operand> bias_;
  Letters kept_, summed_;
};

}  // namespace

Probed ProbeConvolution(const v1::Case& c, const slices::SliceAxes& axes,
                        const slices::ResolvedAxes& resolved, const ProbedOutput& output,
                        const TensorViews& inputs, uint64_t key, double deviation) {
  ConvolutionProbe probe(axes, resolved, key);
  if (!probe.Find(c, output, inputs)) return {};
  return probe.Run(deviation);
}

}  // namespace diopi::baselines
