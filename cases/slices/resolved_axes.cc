// The letters of an operator's file become the axes of one case's tensors: "d.." becomes as many letters as
// the tensors have axes there, an axis of size 1 fits every letter (broadcasting), and the sizes of letters
// that stand together ("(g c)") follow from the others.
#include "cases/slices/resolved_axes.h"

#include <algorithm>

#include "cases/base/case_parts.h"

namespace diopi::slices {
namespace {

std::vector<int64_t> ArgShape(const v1::Argument& arg) {
  return {arg.tensor().shape().begin(), arg.tensor().shape().end()};
}

class AxisResolver {
 public:
  AxisResolver(const v1::Case& c, const SliceAxes& axes) : c_(c), axes_(axes) {}

  std::optional<ResolvedAxes> Run() {
    FindLengths();
    for (const NamedAxes& named : axes_.tensors) {
      const v1::Argument* arg = FindArgument(c_, named.name);
      if (arg == nullptr || !arg->has_tensor()) continue;
      if (!arg->tensor().same_as().empty()) return std::nullopt;
      std::optional<std::vector<Letters>> letters = Expand(named.axes, arg->tensor().shape_size());
      if (!letters.has_value()) return std::nullopt;
      resolved_.tensors[named.name] = *std::move(letters);
    }
    for (const NamedAxes& named : axes_.attributes) {
      std::optional<std::vector<Letters>> letters = Expand(named.axes, -1);
      if (!letters.has_value()) return std::nullopt;
      resolved_.attributes[named.name] = *std::move(letters);
    }
    FindSizes();
    if (!Fits()) return std::nullopt;
    for (const FreeAxes& free : axes_.free) resolved_.free[free.output] = FreeLetters(free);
    return std::move(resolved_);
  }

 private:
  // The axes of `letter` that the attribute names; all of them where it is null, empty or missing.
  std::vector<bool> Named(const AxisTerm& term) const {
    const int64_t length = lengths_.at(term.letter);
    const v1::Argument* arg = FindArgument(c_, term.without);
    std::vector<int64_t> dims;
    if (arg != nullptr && arg->value_case() == v1::Argument::kI) dims.push_back(arg->i());
    if (arg != nullptr && arg->has_sizes())
      dims.assign(arg->sizes().values().begin(), arg->sizes().values().end());
    std::vector<bool> named(static_cast<size_t>(length), dims.empty());
    for (const int64_t dim : dims) {
      const int64_t at = dim < 0 ? dim + length : dim;
      if (at >= 0 && at < length) named[static_cast<size_t>(at)] = true;
    }
    return named;
  }

  // Until nothing more is learnt: a tensor with one unknown length has it; among several tensors the longest
  // counts.
  void FindLengths() {
    for (size_t round = 0; round <= axes_.tensors.size(); ++round) {
      std::map<std::string, int64_t> found;
      for (const NamedAxes& named : axes_.tensors) {
        const v1::Argument* arg = FindArgument(c_, named.name);
        if (arg == nullptr || !arg->has_tensor()) continue;
        int64_t rest = arg->tensor().shape_size();
        std::string unknown;
        bool usable = true;
        for (const TermGroup& group : named.axes) {
          const AxisTerm& term = group.front();
          if (!term.many) {
            --rest;
          } else if (!term.without.empty() || (!lengths_.contains(term.letter) && !unknown.empty())) {
            usable = false;
          } else if (lengths_.contains(term.letter)) {
            rest -= lengths_.at(term.letter);
          } else {
            unknown = term.letter;
          }
        }
        if (usable && !unknown.empty()) found[unknown] = std::max(found[unknown], std::max<int64_t>(rest, 0));
      }
      if (found.empty()) return;
      lengths_.insert(found.begin(), found.end());
    }
  }

  // `rank` -1: as many axes as there are.
  std::optional<std::vector<Letters>> Expand(const std::vector<TermGroup>& axes, int64_t rank) const {
    int64_t single = 0;
    int64_t several = 0;
    for (const TermGroup& group : axes) {
      if (!group.front().many) {
        ++single;
        continue;
      }
      if (!lengths_.contains(group.front().letter)) return std::nullopt;
      several += lengths_.at(group.front().letter);
    }
    // Leading axes that a tensor lacks are broadcast.
    int64_t missing = rank < 0 ? 0 : single + several - rank;
    std::vector<Letters> letters;
    for (const TermGroup& group : axes) {
      const AxisTerm& term = group.front();
      if (!term.many) {
        Letters& axis = letters.emplace_back();
        for (const AxisTerm& each : group) axis.push_back(each.letter);
        continue;
      }
      const std::vector<bool> left_out = term.without.empty() ? std::vector<bool>() : Named(term);
      const bool reduced = !term.without.empty() && missing > 0;
      for (int64_t i = 0; i < lengths_.at(term.letter); ++i) {
        const bool skipped = reduced ? left_out[static_cast<size_t>(i)] : term.without.empty() && missing > 0;
        if (skipped) {
          --missing;
        } else {
          letters.push_back({term.letter + std::to_string(i)});
        }
      }
    }
    if (rank >= 0 && static_cast<int64_t>(letters.size()) != rank) return std::nullopt;
    return letters;
  }

  void FindSizes() {
    for (const auto& [name, axes] : resolved_.attributes) {
      const v1::Argument* arg = FindArgument(c_, name);
      if (arg != nullptr && arg->value_case() == v1::Argument::kI && axes.size() == 1 && axes[0].size() == 1)
        resolved_.sizes[axes[0][0]] = arg->i();
    }
    for (const bool together : {false, true, true}) {
      for (const auto& [name, axes] : resolved_.tensors) {
        const std::vector<int64_t> shape = ArgShape(*FindArgument(c_, name));
        for (size_t i = 0; i < axes.size(); ++i) {
          if ((axes[i].size() > 1) == together) Learn(axes[i], shape[i]);
        }
      }
    }
  }

  void Learn(const Letters& axis, int64_t size) {
    if (axis.size() == 1) {
      int64_t& known = resolved_.sizes[axis[0]];
      known = std::max(known, size);
      return;
    }
    std::string unknown;
    int64_t rest = size;
    for (const std::string& letter : axis) {
      const auto known = resolved_.sizes.find(letter);
      if (known != resolved_.sizes.end() && known->second > 0) {
        rest /= known->second;
      } else if (unknown.empty()) {
        unknown = letter;
      } else {
        return;
      }
    }
    if (!unknown.empty()) resolved_.sizes[unknown] = rest;
  }

  bool Fits() const {
    for (const auto& [name, axes] : resolved_.tensors) {
      const std::vector<int64_t> shape = ArgShape(*FindArgument(c_, name));
      for (size_t i = 0; i < axes.size(); ++i) {
        int64_t size = 1;
        for (const std::string& letter : axes[i]) {
          const auto known = resolved_.sizes.find(letter);
          if (known == resolved_.sizes.end() || known->second < 1) return false;
          size *= known->second;
        }
        if (shape[i] != size && shape[i] != 1) return false;
      }
    }
    return true;
  }

  Letters FreeLetters(const FreeAxes& free) const {
    Letters letters;
    for (const AxisTerm& term : free.letters) {
      if (!term.many) {
        letters.push_back(term.letter);
        continue;
      }
      const std::vector<bool> whole = term.without.empty() ? std::vector<bool>() : Named(term);
      for (int64_t i = 0; i < lengths_.at(term.letter); ++i) {
        if (whole.empty() || !whole[static_cast<size_t>(i)])
          letters.push_back(term.letter + std::to_string(i));
      }
    }
    return letters;
  }

  const v1::Case& c_;
  const SliceAxes& axes_;
  std::map<std::string, int64_t> lengths_;
  ResolvedAxes resolved_;
};

// The element of an attribute of sizes, or its only one.
int64_t SizeAt(const v1::Case& c, const char* name, size_t index, int64_t otherwise) {
  for (const v1::Argument& arg : c.args()) {
    if (arg.name() != name || !arg.has_sizes() || arg.sizes().values().empty()) continue;
    const int count = arg.sizes().values_size();
    return arg.sizes().values(std::min(static_cast<int>(index), count - 1));
  }
  return otherwise;
}

}  // namespace

std::optional<ResolvedAxes> ResolveAxes(const v1::Case& c, const SliceAxes& axes) {
  return AxisResolver(c, axes).Run();
}

int64_t WindowShape::Outputs(int64_t length) const {
  const int64_t reach = length + 2 * padding - dilation * (kernel - 1) - 1;
  if (reach < 0) return 0;
  int64_t outputs = (ceil ? (reach + stride - 1) / stride : reach / stride) + 1;
  if (ceil && (outputs - 1) * stride >= length + padding) --outputs;
  return outputs;
}

int64_t WindowShape::Beyond(int64_t windows, int64_t length) const {
  return length - ((windows - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1);
}

WindowRange WindowShape::Around(int64_t begin, int64_t end) const {
  const int64_t reach = dilation * (kernel - 1) + 1;
  WindowRange range;
  range.out_begin = std::max<int64_t>(0, begin - (padding + stride - 1) / stride);
  range.in_begin = range.out_begin * stride;
  if (range.in_begin >= in) return {};  // these windows read only padding
  range.in_end = std::clamp<int64_t>((end - 1) * stride - padding + reach, range.in_begin + 1, in);
  range.out_end = std::min(range.out_begin + Outputs(range.in_end - range.in_begin), out);
  range.out_right_begin = begin;
  range.out_right_end = std::min(end, range.out_end);
  // An element of the input is right in a gradient when all windows that read it are in the piece.
  range.in_right_begin =
      range.out_begin == 0 ? 0 : std::max(range.in_begin, (range.out_begin - 1) * stride - padding + reach);
  range.in_right_end =
      range.out_end == out ? range.in_end : std::min(range.in_end, range.out_end * stride - padding);
  return range;
}

std::optional<std::vector<WindowShape>> WindowShapes(const v1::Case& c, const SliceAxes& axes,
                                                     const ResolvedAxes& resolved) {
  std::vector<WindowShape> shapes;
  for (size_t i = 0; i < axes.windows.size(); ++i) {
    const WindowAxes& window = axes.windows[i];
    const auto out = resolved.sizes.find(window.out);
    const auto in = resolved.sizes.find(window.in);
    if (out == resolved.sizes.end() || in == resolved.sizes.end()) return std::nullopt;
    WindowShape& shape = shapes.emplace_back();
    shape.out = out->second;
    shape.in = in->second;
    shape.kernel = window.kernel.empty()
                       ? SizeAt(c, "kernel_size", i, 0)
                       : (resolved.sizes.contains(window.kernel) ? resolved.sizes.at(window.kernel) : 0);
    shape.stride = SizeAt(c, "stride", i, shape.kernel);
    shape.padding = SizeAt(c, "padding", i, 0);
    shape.dilation = SizeAt(c, "dilation", i, 1);
    for (const v1::Argument& arg : c.args()) {
      if (arg.name() == "ceil_mode") shape.ceil = arg.b();
    }
    if (shape.kernel < 1 || shape.stride < 1 || shape.Outputs(shape.in) != shape.out) return std::nullopt;
  }
  return shapes;
}

}  // namespace diopi::slices
