// Real libraries as the device reference: the right one is admitted everywhere, the one with planted faults
// is quarantined on what it gets wrong and admitted on the rest.
#include "baselines/generate/device_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "absl/strings/match.h"
#include "baselines/generate/generate.h"
#include "baselines/store/store.h"
#include "build_paths.h"
#include "cases/base/test_folder.h"
#include "cases/core/catalog.h"

namespace diopi::baselines {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kRight[] = DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so";
constexpr char kFaulty[] = DIOPI_BINARY_DIR "/lib/vendors/libdiopi_faulty.so";

class DeviceReferenceTest : public ::testing::Test {
 protected:
  std::vector<v1::Case> Generate(const std::vector<std::string>& operators) {
    const auto catalog = cases::Catalog::LoadBuiltin().value();
    v1::Selection selection;
    for (const std::string& name : operators) selection.add_functions(name);
    selection.add_dtypes(v1::Dtype::float32);
    std::vector<v1::Case> cases = catalog->Select(selection).value();
    GenerateOptions options;
    options.data_folder = folder_.path();
    options.library_path = kRight;
    EXPECT_TRUE(baselines::Generate(cases, options).ok());
    return cases;
  }

  DeviceReferenceOptions Options(const std::string& library) const {
    DeviceReferenceOptions options;
    options.data_folder = folder_.path();
    options.worker.worker_program = DIOPI_BINARY_DIR "/bin/diopi-worker";
    options.worker.impl_path = library;
    options.worker.case_timeout = std::chrono::seconds(3);
    options.library_sha256 = std::filesystem::path(library).filename();
    return options;
  }

  std::unique_ptr<BaselineReader> Open(const std::string& operator_name) const {
    return BaselineReader::Open(BaselinePath(folder_.path(), "cpu", operator_name)).value();
  }

  const TestFolder folder_;
};

TEST_F(DeviceReferenceTest, TheRightLibraryIsAdmittedEverywhere) {
  const std::vector<v1::Case> cases = Generate({"add", "exp", "batch_norm", "sort", "split"});
  const auto summary = AddDeviceReference(cases, Options(kRight));
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_THAT(summary->quarantined, IsEmpty());
  EXPECT_THAT(summary->without, IsEmpty());
  EXPECT_EQ(summary->run, static_cast<int64_t>(cases.size()));
  EXPECT_EQ(summary->admitted, static_cast<int64_t>(cases.size()));
  const auto reader = Open("add");
  EXPECT_EQ(reader->provenance().device_reference.vendor, summary->vendor);
  EXPECT_EQ(reader->provenance().device_reference.sha256, "libdiopi_cpu.so");
  EXPECT_EQ(reader->provenance().device_reference.contracts, "");
  for (const v1::Case& c : cases) {
    const Baseline baseline = Open(c.operator_())->Read(c.id()).value();
    int device = 0;
    for (const auto& [key, tensor] : baseline.references) device += absl::EndsWith(key, ".device") ? 1 : 0;
    EXPECT_GE(device, 1) << c.id();
  }
}

TEST_F(DeviceReferenceTest, SeveralWorkersFindWhatOneFinds) {
  const std::vector<v1::Case> cases = Generate({"add", "exp", "tanh", "gelu", "abs"});
  const auto one = AddDeviceReference(cases, Options(kFaulty));
  ASSERT_TRUE(one.ok()) << one.status();
  DeviceReferenceOptions options = Options(kFaulty);
  options.force = true;
  options.workers = 3;
  const auto several = AddDeviceReference(cases, options);
  ASSERT_TRUE(several.ok()) << several.status();
  EXPECT_EQ(several->vendor, one->vendor);
  EXPECT_EQ(several->run, one->run);
  EXPECT_EQ(several->admitted, one->admitted);
  EXPECT_EQ(several->quarantined.size(), one->quarantined.size());
  EXPECT_THAT(several->without, ::testing::UnorderedElementsAreArray(one->without));
  options.worker.impl_path = folder_ / "no_such.so";
  EXPECT_THAT(AddDeviceReference(cases, options).status().ToString(), HasSubstr("no_such.so"));
}

TEST_F(DeviceReferenceTest, WhatAFaultyLibraryGetsWrongIsQuarantined) {
  // Wrong numbers, a crash, writing outside, a function that is missing, an exception; abs's are all right.
  const std::vector<v1::Case> cases = Generate({"add", "tanh", "mul", "gelu", "masked_fill", "abs"});
  const auto summary = AddDeviceReference(cases, Options(kFaulty));
  ASSERT_TRUE(summary.ok()) << summary.status();
  std::map<std::string, std::string> why;
  for (const v1::Case& c : cases) {
    const Baseline baseline = Open(c.operator_())->Read(c.id()).value();
    if (!baseline.quarantined.empty()) why[c.function()] = baseline.quarantined;
    EXPECT_FALSE(baseline.inputs.empty()) << c.id();
    EXPECT_FALSE(baseline.references.empty()) << c.id();
  }
  EXPECT_THAT(why["diopiAdd"], HasSubstr("differ"));
  EXPECT_THAT(why["diopiTanh"], HasSubstr("SIGSEGV"));
  EXPECT_THAT(why["diopiMul"], HasSubstr("outside"));
  EXPECT_THAT(why["diopiMaskedFill"], HasSubstr("not supported on this device"));
  for (const auto& [function, text] : why) {
    EXPECT_TRUE(function == "diopiAdd" || function == "diopiTanh" || function == "diopiMul" ||
                function == "diopiMaskedFill")
        << function << ": " << text;
  }
  EXPECT_GT(summary->without.size(), 0U);
  for (const std::string& text : summary->without) EXPECT_THAT(text, HasSubstr("gelu"));
  EXPECT_EQ(summary->admitted + static_cast<int64_t>(summary->quarantined.size() + summary->without.size()),
            static_cast<int64_t>(cases.size()));
  EXPECT_GT(summary->admitted, 0);
}

TEST_F(DeviceReferenceTest, IsRunOnceAndAgainForAnotherLibraryOrOtherContracts) {
  const std::vector<v1::Case> cases = Generate({"add"});
  const auto count = static_cast<int64_t>(cases.size());
  ASSERT_EQ(AddDeviceReference(cases, Options(kFaulty))->run, count);
  const auto again = AddDeviceReference(cases, Options(kFaulty));
  EXPECT_EQ(again->run, 0);
  EXPECT_EQ(again->up_to_date, count);
  EXPECT_GT(again->quarantined.size(), 0U);
  DeviceReferenceOptions forced = Options(kFaulty);
  forced.force = true;
  EXPECT_EQ(AddDeviceReference(cases, forced)->run, count);
  DeviceReferenceOptions other = Options(kRight);
  other.compare.contracts = Contracts{.tf32 = true};
  // One case alone: nothing of the other library stays in the file.
  const auto one = AddDeviceReference({cases[0]}, other);
  EXPECT_EQ(one->run, 1);
  const auto reader = Open("add");
  EXPECT_EQ(reader->provenance().device_reference.contracts, "tf32");
  for (const v1::Case& c : cases) {
    const Baseline baseline = reader->Read(c.id()).value();
    EXPECT_EQ(baseline.quarantined, "") << c.id();
    EXPECT_EQ(baseline.references.contains("out.device") || baseline.references.contains("input.device"),
              c.id() == cases[0].id())
        << c.id();
  }
}

TEST_F(DeviceReferenceTest, GeneratingMoreKeepsIt) {
  const std::vector<v1::Case> cases = Generate({"add"});
  ASSERT_TRUE(AddDeviceReference({cases[0]}, Options(kRight)).ok());
  GenerateOptions options;
  options.data_folder = folder_.path();
  options.library_path = kRight;
  v1::Selection selection;
  selection.add_functions("add");
  const auto all = cases::Catalog::LoadBuiltin().value()->Select(selection).value();
  ASSERT_GT(baselines::Generate(all, options)->cases_written, 0);
  const auto reader = Open("add");
  EXPECT_EQ(reader->provenance().device_reference.sha256, "libdiopi_cpu.so");
  EXPECT_TRUE(reader->Read(cases[0].id())->references.contains("out.device"));
}

TEST_F(DeviceReferenceTest, NeedsBaselinesAndALibrary) {
  const auto catalog = cases::Catalog::LoadBuiltin().value();
  v1::Selection selection;
  selection.add_functions("add");
  const std::vector<v1::Case> cases = catalog->Select(selection).value();
  EXPECT_TRUE(absl::IsNotFound(AddDeviceReference(cases, Options(kRight)).status()));
  EXPECT_FALSE(AddDeviceReference(cases, Options("/nowhere/libdiopi_impl.so")).ok());
}

}  // namespace
}  // namespace diopi::baselines
