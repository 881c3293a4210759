// The work that operators' files declare, beside what the CPU reference does.
//
// Operations: the float32 kernels run on numbers that count the operations on them. The reference is not the
// leanest implementation, and a declaration is the least that any needs, so a function's largest cases must
// need at most kMostExcess times the declared operations, and at least 1 / kMostMissing of them. The latter
// holds for what a rule declares: the default of one operation for each element is a floor for functions that
// only move, compare or select, which count as nothing.
//
// Bytes: an element of an input must be read if another value in its place changes the result. Data may
// decide that (a mask), so up to kMostUnread times as many may be declared, and one of several cases counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/generate/generate.h"
#include "cases/base/case_parts.h"
#include "cases/core/case_builder.h"
#include "cases/core/catalog.h"
#include "cases/core/work.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::baselines {
namespace {

// A case of a function, with what it declares and what the reference did.
struct Counted {
  std::string id;
  double declared = 0;
  double counted = 0;
};

// The case with the most elements among those with plain values: NaN and infinity take short cuts.
const v1::Case* LargestOf(const std::vector<const v1::Case*>& cases, const v1::OperatorFile& op) {
  const v1::Case* largest = nullptr;
  double most = -1;
  for (const v1::Case* c : cases) {
    double elements = 0;
    bool plain = true;
    for (const v1::Argument& argument : c->args()) {
      const auto add = [&](const v1::TensorSpec& spec) {
        elements += static_cast<double>(NumElements({spec.shape().begin(), spec.shape().end()}));
        plain = plain && !spec.fill().has_specials();
      };
      for (const v1::TensorSpec* spec : SpecsOf(argument)) add(*spec);
    }
    const auto work = cases::WorkOf(op, *c);
    if (work.ok()) elements += work->operations();
    if (!plain || elements <= most) continue;
    most = elements;
    largest = c;
  }
  return largest;
}

class CountingTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    catalog_ = cases::Catalog::LoadBuiltin()->release();
    auto reference = loader::InProcessLibrary::Open(DIOPI_CPU_LIBRARY);
    ASSERT_TRUE(reference.ok()) << reference.status();
    reference_ = reference->release();
    auto counting = loader::InProcessLibrary::Open(DIOPI_COUNTING_LIBRARY);
    ASSERT_TRUE(counting.ok()) << counting.status();
    counting_ = counting->release();
    take_ = reinterpret_cast<uint64_t (*)()>(counting_->Symbol("diopiTakeOperationsCounted"));
    ASSERT_NE(take_, nullptr);
  }

  // Nothing where the reference cannot make the call.
  static std::optional<Counted> Count(const v1::OperatorFile& op, const v1::Case& c) {
    const auto inputs = GenerateInputs(*reference_, c);
    if (!inputs.ok()) return std::nullopt;
    take_();
    const auto outputs = counting_->Call(inputs->c, inputs->inputs, v1::Dtype::unsupported);
    if (!outputs.ok()) return std::nullopt;
    const auto work = cases::WorkOf(op, inputs->c);
    if (!work.ok()) return std::nullopt;
    return Counted{c.id(), work->operations(), static_cast<double>(take_())};
  }

  static cases::Catalog* catalog_;
  static loader::InProcessLibrary* reference_;
  static loader::InProcessLibrary* counting_;
  static uint64_t (*take_)();
};
cases::Catalog* CountingTest::catalog_ = nullptr;
loader::InProcessLibrary* CountingTest::reference_ = nullptr;
loader::InProcessLibrary* CountingTest::counting_ = nullptr;
uint64_t (*CountingTest::take_)() = nullptr;

constexpr double kMostExcess = 4;
constexpr double kMostMissing = 2;
// Where the reference looks at every sample for each element of a gradient, or at every point for each rank,
// so that its order of summation is fixed. The declared work is that of an implementation that scatters.
const std::map<std::string, double> kMostExcessOf = {{"diopiDeformConvBackwardInputMmcv", 10},
                                                     {"diopiKnnMmcv", 30},
                                                     {"diopiModulatedDeformConvBackwardMmcv", 10},
                                                     {"diopiMsDeformAttnBackwardMmcv", 15},
                                                     {"diopiRoiAlignBackward", 35}};
constexpr double kSmall = 64;  // operations; a scalar factor computed once counts more than the elements

TEST_F(CountingTest, DeclaredOperationsAreThoseOfTheReference) {
  const char* const listing = std::getenv("DIOPI_WORK_LISTING");
  std::ofstream list(listing != nullptr ? listing : "/dev/null");
  int64_t functions = 0;
  for (const v1::OperatorFile& op : catalog_->operators()) {
    const auto expanded = cases::Expand(op, op.operator_());
    ASSERT_TRUE(expanded.ok()) << expanded.status();
    std::map<std::string, std::vector<const v1::Case*>> by_function;
    for (const v1::Case& c : *expanded) {
      if (c.dtype() == v1::Dtype::float32) by_function[c.function()].push_back(&c);
    }
    for (const auto& [function, cases] : by_function) {
      const v1::Case* c = LargestOf(cases, op);
      if (c == nullptr) continue;
      const std::optional<Counted> count = Count(op, *c);
      if (!count.has_value()) continue;
      ++functions;
      list << function << "\t" << op.operator_() << "\t" << count->id << "\t" << count->declared << "\t"
           << count->counted << "\n";
      const auto excess = kMostExcessOf.find(function);
      EXPECT_LE(count->counted,
                (excess == kMostExcessOf.end() ? kMostExcess : excess->second) * count->declared + kSmall)
          << function << ": " << count->id << " declares " << count->declared;
      const v1::Work* const rule = cases::WorkRuleOf(op, function);
      if (rule == nullptr || rule->operations().empty()) continue;
      EXPECT_GE(count->counted, count->declared / kMostMissing - kSmall)
          << function << ": " << count->id << " declares " << count->declared;
    }
  }
  EXPECT_GT(functions, 350);
}

// Whether the outputs are the same, bit for bit.
bool Same(const TensorMap& a, const TensorMap& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.shape == y.second.shape && x.second.data == y.second.data;
  });
}

// Other values for an element: NaN shows in most results, zero in those of comparisons and of logic.
template <typename T>
std::vector<std::string> OtherNumbers(size_t size) {
  std::vector<std::string> values;
  for (const T x : {std::numeric_limits<T>::quiet_NaN(), T(0)}) {
    const std::vector<T> parts(size / sizeof(T), x);
    values.emplace_back(reinterpret_cast<const char*>(parts.data()), size);
  }
  return values;
}

std::vector<std::string> OtherValues(Dtype dtype, const std::string& value) {
  switch (dtype) {
    case v1::Dtype::float32:
    case v1::Dtype::complex64:
      return OtherNumbers<float>(value.size());
    case v1::Dtype::float64:
    case v1::Dtype::complex128:
      return OtherNumbers<double>(value.size());
    default: {  // the integer beside it
      std::string other = value;
      other[0] = static_cast<char>(other[0] ^ 1);
      return {other};
    }
  }
}

// The bytes of the inputs whose elements matter: with another value the call has another result, or fails.
// Nothing where the reference cannot make the call.
std::optional<double> BytesThatMatter(loader::InProcessLibrary& reference, const Baseline& baseline) {
  const auto expected = reference.Call(baseline.c, baseline.inputs, v1::Dtype::unsupported);
  if (!expected.ok()) return std::nullopt;
  double bytes = 0;
  TensorMap inputs = baseline.inputs;
  for (auto& [key, tensor] : inputs) {
    const auto size = static_cast<size_t>(ElementSize(tensor.dtype));
    for (size_t at = 0; at < tensor.data.size(); at += size) {
      const std::string before = tensor.data.substr(at, size);
      for (const std::string& value : OtherValues(tensor.dtype, before)) {
        tensor.data.replace(at, size, value);
        const auto changed = reference.Call(baseline.c, inputs, v1::Dtype::unsupported);
        if (changed.ok() && Same(*changed, *expected)) continue;
        bytes += static_cast<double>(size);
        break;
      }
      tensor.data.replace(at, size, before);
    }
  }
  return bytes;
}

// Whether the batch is empty: then the other inputs do not matter. An empty list only stands for none.
bool IsEmpty(const Baseline& baseline) {
  return std::any_of(baseline.inputs.begin(), baseline.inputs.end(), [](const auto& input) {
    return input.second.data.empty() && input.second.shape.size() > 1;
  });
}

size_t InputElements(const Baseline& baseline) {
  size_t elements = 0;
  for (const auto& [key, tensor] : baseline.inputs) {
    elements += tensor.data.size() / static_cast<size_t>(ElementSize(tensor.dtype));
  }
  return elements;
}

constexpr size_t kFewElements = 60, kManyElements = 400;
constexpr double kMostUnread = 3;  // data decides what a call may leave out
constexpr double kSmallBytes = 64;
constexpr int kMostCases = 10;

// What a function's cases showed so far.
struct Reading {
  int cases = 0;
  bool read = false;  // one of them needs what it declares
  std::string last;
};

// No case may need more than it declares. One of a function's first cases must need it, not all: in a case
// the data may decide, as where a region lies outside of the image, or all that is compared is NaN.
TEST_F(CountingTest, DeclaredBytesAreThoseThatMatter) {
  const char* const listing = std::getenv("DIOPI_WORK_LISTING");
  std::ofstream list(listing != nullptr ? std::string(listing) + ".bytes" : "/dev/null");
  int64_t functions = 0;
  for (const v1::OperatorFile& op : catalog_->operators()) {
    const auto expanded = cases::Expand(op, op.operator_());
    ASSERT_TRUE(expanded.ok()) << expanded.status();
    std::map<std::string, Reading> readings;
    for (const v1::Case& c : *expanded) {
      const bool random = std::any_of(c.args().begin(), c.args().end(),
                                      [](const v1::Argument& argument) { return argument.has_generator(); });
      if (c.dtype() != v1::Dtype::float32 || random) continue;
      const auto known = readings.find(c.function());
      if (known != readings.end() && (known->second.read || known->second.cases >= kMostCases)) continue;
      if (!LargestOf({&c}, op)) continue;  // special values
      const auto baseline = GenerateInputs(*reference_, c);
      if (!baseline.ok() || IsEmpty(*baseline)) continue;
      const size_t elements = InputElements(*baseline);
      if (elements < kFewElements || elements > kManyElements) continue;
      const auto work = cases::WorkOf(op, baseline->c);
      ASSERT_TRUE(work.ok()) << work.status();
      const std::optional<double> matter = BytesThatMatter(*reference_, *baseline);
      if (!matter.has_value()) continue;
      Reading& reading = readings[c.function()];
      ++reading.cases;
      reading.read = *matter >= work->read_bytes() / kMostUnread - kSmallBytes;
      reading.last = absl::StrCat(c.id(), " declares ", work->read_bytes(), ", needs ", *matter);
      list << c.function() << "\t" << op.operator_() << "\t" << c.id() << "\t" << work->read_bytes() << "\t"
           << *matter << "\n";
      EXPECT_LE(*matter, work->read_bytes() + kSmallBytes) << c.id();
    }
    for (const auto& [function, reading] : readings) {
      ++functions;
      EXPECT_TRUE(reading.read) << function << ": " << reading.last;
    }
  }
  EXPECT_GT(functions, 300);
}

}  // namespace
}  // namespace diopi::baselines
