// Every case of suite core, in this process: the reference library's own result in the case's dtype passes
// against the baseline that its oracle made, and the same result with one element spoilt does not.
#include <cmath>
#include <cstdio>

#include "baselines/compare/compare.h"
#include "baselines/store/store.h"
#include "cases/core/catalog.h"
#include "client/testing/core_baselines.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::testing {
namespace {

using baselines::BaselineReader;
using baselines::CompareCase;

// Turns the sign of the last element of an exact or noisy output; false when that is not a change.
bool SpoilLast(HostTensor* tensor) {
  const int64_t last = NumElements(tensor->shape) - 1;
  if (last < 0 || !IsFloating(tensor->dtype)) return false;
  const double value = ElementAsDouble(tensor->dtype, tensor->data.data(), last);
  if (value == 0 || std::isnan(value)) return false;
  StoreDouble(tensor->dtype, tensor->data.data(), last, -value);
  return true;
}

struct Counts {
  int64_t outputs = 0;
  int64_t exact = 0;  // outputs of exact data
  double worst = 0;   // of rms z over gate R's limit
  std::string worst_at;
  int64_t passed = 0;
  int64_t spoilt = 0;
  int64_t survived = 0;
};

void CountOutputs(const v1::Case& c, const TensorMap& references, const v1::Verdict& verdict,
                  Counts* counts) {
  for (const v1::OutputStats& output : verdict.outputs()) {
    ++counts->outputs;
    counts->exact += references.count(output.key() + ".exact") != 0 ? 1 : 0;
    if (output.groups() == 0) continue;
    double kf = 0;
    for (const v1::Judge& judge : c.judges()) {
      if (judge.output() == output.key() && output.dtype() == v1::Dtype::float32) kf = judge.kf();
    }
    const double limit = 2 * (1 + 3 / std::sqrt(static_cast<double>(output.groups()))) * (1 + kf);
    if (output.rms_z() / limit <= counts->worst) continue;
    counts->worst = output.rms_z() / limit;
    counts->worst_at = c.id() + " " + output.key();
  }
}

void JudgeCase(loader::InProcessLibrary* library, const BaselineReader& reader, const v1::Case& c,
               Counts* counts) {
  const absl::StatusOr<baselines::Baseline> baseline = reader.Read(c.id());
  ASSERT_TRUE(baseline.ok()) << baseline.status();
  const absl::StatusOr<TensorMap> native = library->Call(c, baseline->inputs, v1::Dtype::unsupported);
  ASSERT_TRUE(native.ok()) << c.id() << ": " << native.status();
  const v1::Verdict verdict = CompareCase(c, baseline->inputs, baseline->references, *native);
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << c.id() << ": " << verdict.reason();
  ++counts->passed;
  CountOutputs(c, baseline->references, verdict, counts);
  for (const v1::Judge& judge : c.judges()) {
    const bool numeric = judge.kind() == v1::Judge::EXACT || judge.kind() == v1::Judge::MATH ||
                         judge.kind() == v1::Judge::ACCUMULATION || judge.kind() == v1::Judge::COMPOSITION;
    const auto output = native->find(judge.output());
    if (!numeric || output == native->end()) continue;
    TensorMap spoilt = *native;
    if (!SpoilLast(&spoilt[judge.output()])) continue;
    ++counts->spoilt;
    const v1::Verdict on_spoilt = CompareCase(c, baseline->inputs, baseline->references, spoilt);
    // A reading may accept it: the last row of a triangle is one element, whose sign is free in a QR.
    if (on_spoilt.outcome() == v1::OUTCOME_PASS && on_spoilt.readings().empty()) {
      ++counts->survived;
      std::printf("survives: %s %s\n", c.id().c_str(), judge.output().c_str());
    }
  }
}

class SelfVerdictTest : public CoreBaselinesTest {};

TEST_F(SelfVerdictTest, EveryCaseOfSuiteCore) {
  auto library = loader::InProcessLibrary::Open(LibPath("libdiopi_cpu.so"));
  ASSERT_TRUE(library.ok()) << library.status();
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const auto cases = (*catalog)->Select({});
  ASSERT_TRUE(cases.ok()) << cases.status();
  Counts counts;
  std::unique_ptr<BaselineReader> reader;
  for (const v1::Case& c : *cases) {
    if (reader == nullptr || reader->operator_name() != c.operator_()) {
      auto opened = BaselineReader::Open(baselines::BaselinePath(data(), "cpu", c.operator_()));
      ASSERT_TRUE(opened.ok()) << opened.status();
      reader = *std::move(opened);
    }
    JudgeCase(library->get(), *reader, c, &counts);
  }
  std::printf("%jd cases pass; %jd of %jd spoilt outputs survive\n", static_cast<intmax_t>(counts.passed),
              static_cast<intmax_t>(counts.survived), static_cast<intmax_t>(counts.spoilt));
  std::printf("%jd outputs, %jd of exact data; largest rms z / limit %.3f: %s\n",
              static_cast<intmax_t>(counts.outputs), static_cast<intmax_t>(counts.exact), counts.worst,
              counts.worst_at.c_str());
  EXPECT_GE(counts.exact, 50);
  EXPECT_GE(counts.passed, 2000);
  EXPECT_GE(counts.spoilt, 1000);
  // A sign may only hide where the noise is as large as the value.
  EXPECT_LE(counts.survived, counts.spoilt / 1000);
}

}  // namespace
}  // namespace diopi::testing
