// Real cases, called on the right reference with an argument that is not the case's: the diagnosis finds
// which.
#include "baselines/diagnose/diagnose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "baselines/generate/generate.h"
#include "build_paths.h"
#include "cases/core/catalog.h"
#include "cases/findings/finding_text.h"

namespace diopi::baselines {
namespace {

using ::testing::HasSubstr;

constexpr char kReference[] = DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so";

class DiagnoserTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    library_ = loader::InProcessLibrary::Open(kReference).value().release();
    catalog_ = cases::Catalog::LoadBuiltin().value().release();
  }
  static void TearDownTestSuite() {
    delete library_;
    delete catalog_;
  }

  static std::vector<v1::Case> Cases(const std::string& function, v1::Dtype::Code dtype) {
    v1::Selection selection;
    selection.add_functions(function);
    selection.add_dtypes(dtype);
    return catalog_->Select(selection).value();
  }

  // What the diagnosis says of `c` when the device computed `altered`; "passes" when that is right for `c`
  // too.
  static std::string Told(Diagnoser* diagnoser, const v1::Case& c, const v1::Case& altered) {
    const Baseline original = GenerateCase(*library_, c).value();
    const auto wrong = GenerateCase(*library_, altered);
    if (!wrong.ok()) return "refused";
    const auto actual = library_->Call(wrong->c, wrong->inputs, v1::Dtype::unsupported);
    if (!actual.ok()) return "refused";
    if (CompareCase(c, original.inputs, original.references, *actual).outcome() == v1::OUTCOME_PASS)
      return "passes";
    return TextOf(diagnoser->LikelyCause({c, original.inputs, original.references, *actual}));
  }

  static std::string TextOf(const Cause& cause) {
    return cause.found.has_value() ? FindingText(*cause.found) : "";
  }

  static std::unique_ptr<Diagnoser> Open(DiagnoseOptions options = {}) {
    if (options.library_path.empty()) options.library_path = kReference;
    return std::make_unique<Diagnoser>(options);
  }

  static loader::InProcessLibrary* library_;
  static cases::Catalog* catalog_;
};
loader::InProcessLibrary* DiagnoserTest::library_ = nullptr;
cases::Catalog* DiagnoserTest::catalog_ = nullptr;

// Whatever is altered, where it shows at all the diagnosis names it.
TEST_F(DiagnoserTest, NamesTheArgumentThatWasAltered) {
  const std::unique_ptr<Diagnoser> diagnoser = Open();
  int told = 0;
  int shown = 0;
  for (const char* function : {"diopiAdd", "diopiConvolution2d", "diopiMaxPool2d", "diopiAvgPool2d",
                               "diopiBatchNorm", "diopiCrossEntropyLoss", "diopiSoftmax", "diopiAdamW"}) {
    int of_function = 0;
    for (const v1::Case& c : Cases(function, v1::Dtype::float32)) {
      for (const AlteredCase& altered : AlterArguments(c)) {
        const std::string cause = Told(diagnoser.get(), c, altered.c);
        if (cause == "refused" || cause == "passes") continue;
        ++shown;
        const std::string text = FindingText(altered.found);
        const bool named = cause.find(text) != std::string::npos;
        told += named ? 1 : 0;
        of_function += named ? 1 : 0;
        if (!named) std::printf("%s, %s: '%s'\n", c.id().c_str(), text.c_str(), cause.c_str());
      }
    }
    EXPECT_GT(of_function, 0) << function;
  }
  std::printf("%d of %d altered calls named\n", told, shown);
  EXPECT_GE(told, shown * 9 / 10);
}

// A defect that is no argument's is not blamed on one.
TEST_F(DiagnoserTest, SaysNothingOfOtherDefects) {
  const std::unique_ptr<Diagnoser> diagnoser = Open();
  int failures = 0;
  double total = 0;
  double longest = 0;
  for (const char* function : {"diopiAdd", "diopiConvolution2d", "diopiSoftmax"}) {
    for (const v1::Case& c : Cases(function, v1::Dtype::float32)) {
      const Baseline original = GenerateCase(*library_, c).value();
      TensorMap actual = library_->Call(original.c, original.inputs, v1::Dtype::unsupported).value();
      HostTensor& out = actual.at("out");
      if (NumElements(out.shape) < 8) continue;
      StoreDouble(out.dtype, out.data.data(), 3, 1 + 2 * ElementAsDouble(out.dtype, out.data.data(), 3));
      if (CompareCase(c, original.inputs, original.references, actual).outcome() != v1::OUTCOME_FAIL)
        continue;
      ++failures;
      const auto start = std::chrono::steady_clock::now();
      EXPECT_EQ(TextOf(diagnoser->LikelyCause({c, original.inputs, original.references, actual})), "")
          << c.id();
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      total += took.count();
      longest = std::max(longest, took.count());
    }
  }
  std::printf("%d failures without a cause: %.3f ms each, %.2f at most\n", failures, total / failures,
              longest);
  EXPECT_GE(failures, 20);
}

// The agent calls the reference in its own process: whatever is altered, it must answer or refuse. Of every
// function, each alteration is tried on four cases of each dtype.
TEST_F(DiagnoserTest, TheReferenceSurvivesEveryAlterationOfSuiteCore) {
  int refused = 0;
  int answered = 0;
  std::map<std::tuple<std::string, std::string, int>, int> tried;
  const std::vector<v1::Case> cases = catalog_->Select({}).value();
  for (const v1::Case& c : cases) {
    for (const AlteredCase& altered : AlterArguments(c)) {
      if (++tried[{c.function(), FindingText(altered.found), c.dtype()}] <= 4)
        ++(GenerateCase(*library_, altered.c).ok() ? answered : refused);
    }
  }
  std::printf("%d altered cases answered, %d refused\n", answered, refused);
  EXPECT_GT(answered, 1000);
  EXPECT_GT(refused, 0);
}

TEST_F(DiagnoserTest, StaysWithinItsLimits) {
  const std::vector<v1::Case> cases = Cases("diopiAdd", v1::Dtype::float32);
  const auto cause = [&](Diagnoser* diagnoser) {
    for (const v1::Case& c : cases) {
      const std::vector<AlteredCase> altered = AlterArguments(c);
      if (altered.empty() || FindingText(altered.front().found) != "alpha taken as 1") continue;
      std::string text = Told(diagnoser, c, altered.front().c);
      if (text != "passes") return text;
    }
    return std::string("no case");
  };
  EXPECT_THAT(cause(Open().get()), HasSubstr("consistent with alpha taken as 1"));
  EXPECT_EQ(cause(Open({.max_bytes = 8}).get()), "");
  EXPECT_EQ(cause(Open({.max_operations = 1000}).get()), "");
  EXPECT_EQ(cause(Open({.library_path = "/nowhere/libdiopi_cpu.so"}).get()), "");
}

// Eight busy processes on a machine of any size: what is said of a failure does not depend on the time it
// took.
TEST_F(DiagnoserTest, SaysTheSameOnABusyMachine) {
  const auto causes = [] {
    const std::unique_ptr<Diagnoser> diagnoser = Open();
    std::vector<std::string> told;
    for (const v1::Case& c : Cases("diopiBatchNorm", v1::Dtype::float32)) {
      if (told.size() >= 40) break;
      for (const AlteredCase& altered : AlterArguments(c))
        told.push_back(Told(diagnoser.get(), c, altered.c));
    }
    return told;
  };
  const std::vector<std::string> quiet = causes();
  const pid_t self = getpid();
  std::vector<pid_t> busy;
  for (int i = 0; i < 8; ++i) {
    busy.push_back(fork());
    ASSERT_GE(busy.back(), 0);
    if (busy.back() > 0) continue;
    while (getppid() == self) {
    }
    _exit(0);
  }
  EXPECT_EQ(causes(), quiet);
  for (const pid_t process : busy) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
  EXPECT_THAT(quiet, testing::Contains(HasSubstr("consistent with")));
}

// What no argument shows: how integers and variances are computed, and how angles turn. `compute` makes of
// the right outputs, or of the call, those of the bug; a bug beside it gets no such cause.
struct OtherWay {
  const char* function;
  v1::Dtype::Code dtype;
  std::function<void(loader::InProcessLibrary*, const Baseline&, TensorMap*)> compute;
  const char* text;  // "": no cause
};

void MapOutputs(TensorMap* outputs, const std::function<double(double)>& change) {
  for (auto& [key, tensor] : *outputs) {
    for (int64_t i = 0; i < NumElements(tensor.shape); ++i) {
      StoreDouble(tensor.dtype, tensor.data.data(), i,
                  change(ElementAsDouble(tensor.dtype, tensor.data.data(), i)));
    }
  }
}

// The same call with every element of an input changed.
std::function<void(loader::InProcessLibrary*, const Baseline&, TensorMap*)> OnInputs(
    const std::function<double(int64_t, double)>& change) {
  return [change](loader::InProcessLibrary* library, const Baseline& original, TensorMap* outputs) {
    TensorMap inputs = original.inputs;
    for (auto& [key, tensor] : inputs) {
      for (int64_t i = 0; i < NumElements(tensor.shape); ++i) {
        StoreDouble(tensor.dtype, tensor.data.data(), i,
                    change(i, ElementAsDouble(tensor.dtype, tensor.data.data(), i)));
      }
    }
    *outputs = library->Call(original.c, inputs, v1::Dtype::unsupported).value();
  };
}

const std::vector<OtherWay>& OtherWays() {
  using D = v1::Dtype;
  static const auto* const kWays = new std::vector<OtherWay>{
      {"diopiArgmax", D::int64,
       OnInputs([](int64_t, double x) { return static_cast<double>(static_cast<float>(x)); }),
       "the computation goes through float32"},
      {"diopiArgmax", D::int64, OnInputs([](int64_t, double x) { return -x; }), ""},
      {"diopiSum", D::int8,
       [](auto*, const Baseline&, TensorMap* outputs) {
         MapOutputs(outputs, [](double x) {
           return static_cast<double>(static_cast<int8_t>(static_cast<int64_t>(x)));
         });
       },
       "integers are accumulated in int8"},
      {"diopiSum", D::int8,
       [](auto*, const Baseline&, TensorMap* outputs) {
         MapOutputs(outputs, [](double x) { return std::clamp(x, -128.0, 127.0); });
       },
       ""},
      {"diopiBoxIouRotatedMmcv", D::float32,
       OnInputs([](int64_t i, double x) { return i % 5 == 4 ? -x : x; }),
       "the angles of bboxes1 have the opposite sign"},
      {"diopiBoxIouRotatedMmcv", D::float32,
       OnInputs([](int64_t i, double x) { return i % 5 == 4 ? x / 2 : x; }), ""},
  };
  return *kWays;
}

TEST_F(DiagnoserTest, NamesOtherWaysOfComputing) {
  const std::unique_ptr<Diagnoser> diagnoser = Open();
  for (const OtherWay& way : OtherWays()) {
    int told = 0, failures = 0;
    for (const v1::Case& c : Cases(way.function, way.dtype)) {
      if (failures == 40) break;
      const Baseline original = GenerateCase(*library_, c).value();
      TensorMap actual = library_->Call(original.c, original.inputs, v1::Dtype::unsupported).value();
      way.compute(library_, original, &actual);
      const v1::Verdict v = CompareCase(original.c, original.inputs, original.references, actual);
      if (v.outcome() != v1::OUTCOME_FAIL || v.outputs(0).mismatches() < 4) continue;
      ++failures;
      const std::string cause =
          TextOf(diagnoser->LikelyCause({original.c, original.inputs, original.references, actual}));
      const bool any = cause.find("float32") != std::string::npos ||
                       cause.find("accumulated") != std::string::npos ||
                       cause.find("angles") != std::string::npos;
      EXPECT_EQ(any, *way.text != '\0' && cause.find(way.text) != std::string::npos)
          << c.id() << ": " << cause;
      told += any ? 1 : 0;
    }
    EXPECT_GE(failures, 2) << way.function;
    EXPECT_GE(told, *way.text == '\0' ? 0 : (failures + 1) / 2) << way.function << ": " << way.text;
  }
}

// Arithmetic of the operands is found by computing with such operands, whatever size the errors have.
TEST_F(DiagnoserTest, NamesTheOperandsThatWereRounded) {
  const std::unique_ptr<Diagnoser> diagnoser = Open();
  const auto bf16 = [](float x) {
    return std::bit_cast<float>((std::bit_cast<uint32_t>(x) + 0x8000U) & 0xFFFF0000U);
  };
  const auto tf32 = [](float x) {
    return std::bit_cast<float>((std::bit_cast<uint32_t>(x) + 0x1000U) & 0xFFFFE000U);
  };
  int told = 0;
  for (const v1::Case& c : Cases("diopiBmm", v1::Dtype::float32)) {
    if (c.label() != "k_33" && c.label() != "k_129") continue;
    const Baseline original = GenerateCase(*library_, c).value();
    for (const auto& [round, text] : std::vector<std::pair<std::function<float(float)>, std::string>>{
             {tf32, "declare tf32"}, {bf16, "rounded to bfloat16"}}) {
      TensorMap rounded = original.inputs;
      for (auto& [key, tensor] : rounded) {
        for (int64_t i = 0; i < NumElements(tensor.shape); ++i) {
          const double x = ElementAsDouble(tensor.dtype, tensor.data.data(), i);
          StoreDouble(tensor.dtype, tensor.data.data(), i, static_cast<double>(round(static_cast<float>(x))));
        }
      }
      const TensorMap actual = library_->Call(c, rounded, v1::Dtype::unsupported).value();
      const auto cause = diagnoser->LikelyCause({c, original.inputs, original.references, actual});
      EXPECT_THAT(TextOf(cause), HasSubstr(text)) << c.id();
      EXPECT_GE(cause.confidence, 0.9);
      const auto code = text == "declare tf32" ? v1::Finding::DECLARE : v1::Finding::CONSISTENT_WITH;
      EXPECT_EQ(cause.found->code(), code);
      EXPECT_EQ(cause.found->parts(0).code(), v1::Finding::OPERANDS_ROUNDED);
      ++told;
    }
  }
  EXPECT_GE(told, 2);
}

}  // namespace
}  // namespace diopi::baselines
