// For tests: a model's call from the generator to the verdict, with the CPU reference as the library.
#ifndef BASELINES_GENERATE_SLICED_VERDICT_TESTING_H_
#define BASELINES_GENERATE_SLICED_VERDICT_TESTING_H_

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "baselines/compare/compare_slices.h"
#include "baselines/generate/generate.h"
#include "build_paths.h"
#include "cases/core/catalog.h"
#include "cases/core/model_cases.h"
#include "cases/slices/slices.h"

namespace diopi::baselines {

inline constexpr int64_t kTrueSize = int64_t{1} << 40;
inline constexpr int64_t kMostStored = int64_t{1} << 20;

class SlicedVerdictTest : public ::testing::Test {
 public:
  void SetUp() override {
    auto library = loader::InProcessLibrary::Open(DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so");
    ASSERT_TRUE(library.ok()) << library.status();
    library_ = *std::move(library);
    auto catalog = cases::Catalog::LoadBuiltin();
    ASSERT_TRUE(catalog.ok()) << catalog.status();
    catalog_ = *std::move(catalog);
  }

  // Makes the case of a model's call, its references and the library's own outputs.
  void Make(const std::string& call, const std::string& function) {
    const auto model = cases::ParseModel({"one", call});
    ASSERT_TRUE(model.ok()) << model.status();
    const v1::OperatorFile* op = cases::OperatorOf(model->calls[0], catalog_->operators());
    const auto built = cases::BuildCall(*op, model->calls[0], kTrueSize);
    ASSERT_TRUE(built.ok()) << built.status();
    for (const v1::Case& c : built->cases) {
      if (c.function() == function) case_ = c;
    }
    ASSERT_TRUE(slices::IsSliced(case_)) << call;
    absl::StatusOr<Baseline> baseline = GenerateCase(*library_, case_);
    ASSERT_TRUE(baseline.ok()) << baseline.status();
    baseline_ = *std::move(baseline);
    absl::StatusOr<TensorMap> outputs = library_->Call(baseline_.c, baseline_.inputs, v1::Dtype::unsupported);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    outputs_ = *std::move(outputs);
    places_ = slices::ComparedPlaces(slices::Cut(case_, slices::BuiltinSlices(case_.function())));
    int64_t stored = 0;
    for (const auto& [key, tensor] : baseline_.references) stored += static_cast<int64_t>(tensor.data.size());
    EXPECT_LT(stored, kMostStored) << case_.id();
  }

  v1::Verdict Judge(const TensorMap& outputs) const {
    return CompareSlices(case_, places_, baseline_.inputs, baseline_.references, outputs);
  }

  // The output of a call whose input lacks one row of each plane.
  HostTensor OutputWithoutRow(int64_t row, int64_t rows, int64_t width) const {
    TensorMap inputs = baseline_.inputs;
    HostTensor& input = inputs.at("input");
    const auto bytes = static_cast<size_t>(width * ElementSize(input.dtype));
    for (size_t at = static_cast<size_t>(row) * bytes; at < input.data.size();
         at += static_cast<size_t>(rows) * bytes)
      input.data.replace(at, bytes, bytes, '\0');
    const absl::StatusOr<TensorMap> outputs = library_->Call(baseline_.c, inputs, v1::Dtype::unsupported);
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    return outputs.ok() ? outputs->at("out") : HostTensor();
  }

  // The outputs with zeros in [begin, end) of an output's elements.
  TensorMap Zeroed(const std::string& output, int64_t begin, int64_t end) const {
    TensorMap wrong = outputs_;
    const auto size = static_cast<size_t>(ElementSize(wrong.at(output).dtype));
    std::memset(wrong.at(output).data.data() + static_cast<size_t>(begin) * size, 0,
                static_cast<size_t>(end - begin) * size);
    return wrong;
  }

  std::unique_ptr<loader::InProcessLibrary> library_;
  std::unique_ptr<cases::Catalog> catalog_;
  v1::Case case_;
  Baseline baseline_;
  TensorMap outputs_;
  SlicePlaces places_;
};

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_SLICED_VERDICT_TESTING_H_
