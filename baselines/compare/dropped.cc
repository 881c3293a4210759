#include "baselines/compare/dropped.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"
#include "baselines/compare/expect.h"
#include "baselines/compare/judging.h"
#include "baselines/compare/readings.h"
#include "baselines/compare/rule.h"

namespace diopi::baselines {
namespace {

// What one element of dropout's output should be: x/(1-p) rounded once or twice, or 0.
bool DropoutElementOk(const PointwiseRule& rule, double y, double x, bool kept, double scale) {
  if (!kept) return y == 0 || (!std::isfinite(x) && std::isnan(y));
  const double r = x * scale;
  const double sigma = std::isfinite(r) ? std::ldexp(std::fabs(r), rule.wide ? -53 : -24) : 0;
  return Judge(rule, y, r, sigma, 0).bad == 0;
}

}  // namespace

bool Training(const v1::Case& c) {
  double train = 1;
  return !NumberOf(c, "train", &train) || train != 0;
}

double DropRate(const v1::Case& c) {
  double p = 0.5;
  for (const char* name : {"p", "p_dropout", "dropout_p"}) {
    if (NumberOf(c, name, &p)) break;
  }
  return p;
}

std::optional<v1::Finding> CheckDropped(const TensorView& input, const TensorView& actual, double keep,
                                        absl::FunctionRef<bool(int64_t)> kept, v1::OutputStats* stats) {
  const int64_t count = NumElements(actual.shape);
  const auto at = [](const TensorView& tensor, int64_t i) {
    return ElementAsDouble(tensor.dtype, tensor.data.data(), i);
  };
  const bool all = keep == 1;
  const PointwiseRule rule = RuleFor(actual.dtype, 0);
  const auto fits = [&](double factor) {
    for (int64_t i = 0; i < count; ++i) {
      if (!DropoutElementOk(rule, at(actual, i), at(input, i), all || kept(i), factor)) return false;
    }
    return true;
  };
  // A kernel may get the factor as a number of the 16-bit type (dropout.textproto).
  double scale = 1 / keep;
  const double rounded = RoundedTo(actual.dtype, scale);
  if (FormatOf(actual.dtype).precision < 24 && !fits(scale) && fits(rounded)) scale = rounded;
  int64_t wrong = 0;
  std::optional<v1::Finding> found;
  for (int64_t i = 0; i < count; ++i) {
    const double y = at(actual, i);
    const double x = at(input, i);
    const bool keeps = all || kept(i);
    if (DropoutElementOk(rule, y, x, keeps, scale)) continue;
    const double expected = keeps ? x * scale : 0;
    if (wrong++ == 0) {
      found = Found(v1::Finding::WRONG_ELEMENTS)
                  .Of(count)
                  .Place(PlaceAt(actual.shape, i))
                  .Got(absl::StrFormat("%.9g", y))
                  .Expected(absl::StrFormat("%.9g", expected));
    }
    if (static_cast<size_t>(stats->first_size()) < kMaxFirst) {
      v1::Mismatch* m = stats->add_first();
      m->set_index(i);
      m->set_actual(y);
      m->set_expected(expected);
    }
  }
  stats->set_mismatches(wrong);
  if (found.has_value()) found->set_count(wrong);
  return found;
}

}  // namespace diopi::baselines
