#include "baselines/generate/other_readings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "baselines/compare/readings.h"

namespace diopi::baselines {
namespace {

bool HasDims(const v1::Reading& reading, const std::vector<int64_t>& shape) {
  return std::all_of(reading.dims().begin(), reading.dims().end(),
                     [&](int64_t dim) { return dim < static_cast<int64_t>(shape.size()); });
}

// The index of each element's slice: the same for elements that differ only in `dims`.
std::vector<int64_t> Slices(const v1::Reading& reading, const std::vector<int64_t>& shape) {
  std::vector<int64_t> slices{0};
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const bool spreads = std::find(reading.dims().begin(), reading.dims().end(), static_cast<int64_t>(dim)) !=
                         reading.dims().end();
    std::vector<int64_t> finer;
    finer.reserve(slices.size() * static_cast<size_t>(shape[dim]));
    for (const int64_t slice : slices) {
      for (int64_t i = 0; i < shape[dim]; ++i) finer.push_back(spreads ? slice : slice * shape[dim] + i);
    }
    slices = std::move(finer);
  }
  return slices;
}

// 1 for each element in whose slice `special` holds for some element.
template <typename F>
std::string Spread(const v1::Reading& reading, const HostTensor& tensor, F&& special) {
  const auto elements = static_cast<size_t>(NumElements(tensor.shape));
  std::string mask(elements, '\0');
  if (!HasDims(reading, tensor.shape)) return mask;
  const std::vector<int64_t> slices = Slices(reading, tensor.shape);
  std::string hit(elements, '\0');
  for (size_t i = 0; i < elements; ++i) {
    const double value = ElementAsDouble(tensor.dtype, tensor.data.data(), static_cast<int64_t>(i));
    if (special(value)) hit[static_cast<size_t>(slices[i])] = '\1';
  }
  for (size_t i = 0; i < elements; ++i) mask[i] = hit[static_cast<size_t>(slices[i])];
  return mask;
}

}  // namespace

bool RoundScalars(const v1::Reading& reading, v1::Case* c) {
  bool changed = false;
  for (v1::Argument& arg : *c->mutable_args()) {
    if (std::find(reading.args().begin(), reading.args().end(), arg.name()) == reading.args().end()) continue;
    if (arg.has_scalar()) {
      const bool integer = arg.scalar().value_case() == v1::ScalarValue::kI;
      const double value = integer ? static_cast<double>(arg.scalar().i()) : arg.scalar().f();
      const double rounded = RoundedTo(c->dtype(), value);
      if (rounded == value || std::isnan(value)) continue;
      changed = true;
      if (integer && std::isfinite(rounded)) {
        arg.mutable_scalar()->set_i(static_cast<int64_t>(rounded));
      } else {
        arg.mutable_scalar()->set_f(rounded);
      }
    } else if (arg.value_case() == v1::Argument::kF) {
      const double rounded = RoundedTo(c->dtype(), arg.f());
      changed |= rounded != arg.f() && !std::isnan(arg.f());
      arg.set_f(rounded);
    }
  }
  return changed;
}

bool SpreadNan(const v1::Reading& reading, TensorMap* tensors) {
  bool any = false;
  for (auto& [key, tensor] : *tensors) {
    if (!IsFloating(tensor.dtype)) continue;
    const std::string mask = Spread(reading, tensor, [](double value) { return !std::isfinite(value); });
    for (size_t i = 0; i < mask.size(); ++i) {
      if (mask[i] == 0) continue;
      any = true;
      StoreDouble(tensor.dtype, tensor.data.data(), static_cast<int64_t>(i),
                  std::numeric_limits<double>::quiet_NaN());
    }
  }
  return any;
}

HostTensor SpreadMask(const v1::Reading& reading, const HostTensor& spread) {
  return {v1::Dtype::uint8, spread.shape,
          Spread(reading, spread, [](double value) { return std::isnan(value); })};
}

}  // namespace diopi::baselines
