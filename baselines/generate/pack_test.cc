// Packs whose checksums are right and whose content is not: the verifier names every fault, and an install
// takes nothing that is of other inputs.
#include "baselines/generate/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>

#include "absl/strings/match.h"
#include "baselines/generate/generate.h"
#include "build_paths.h"
#include "cases/base/test_folder.h"
#include "cases/core/catalog.h"

namespace diopi::baselines {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kOracle[] = DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so";

class PackTest : public ::testing::Test {
 protected:
  PackTest() {
    const auto catalog = cases::Catalog::LoadBuiltin().value();
    v1::Selection selection;
    for (const char* function : {"diopiAdd", "diopiNormBackward", "diopiRMSNorm"})
      selection.add_functions(function);
    selection.add_dtypes(v1::Dtype::float32);
    cases_ = catalog->Select(selection).value();
    Generate(here_);
    DeviceReferenceOptions device;
    device.data_folder = here_;
    device.worker.worker_program = DIOPI_BINARY_DIR "/bin/diopi-worker";
    device.worker.impl_path = kOracle;
    device.library_sha256 = "abc";
    EXPECT_TRUE(AddDeviceReference(cases_, device).ok());
    EXPECT_TRUE(MakePack(cases_, {here_}, pack_).ok());
  }

  void Generate(const std::string& data) {
    GenerateOptions options;
    options.data_folder = data;
    options.library_path = kOracle;
    EXPECT_TRUE(baselines::Generate(cases_, options).ok());
  }

  // The pack written anew, every case through `change`.
  std::unique_ptr<PackReader> Changed(
      const std::function<void(PackCase*)>& change,
      const std::function<void(PackHeader*)>& head = [](PackHeader*) {}) {
    const auto old = PackReader::Open(pack_).value();
    PackHeader header = old->header();
    head(&header);
    const std::string path = folder_ / "changed.h5";
    auto writer = PackWriter::Create(path, header).value();
    for (const std::string& name : old->operators()) {
      std::vector<PackCase> cases = old->Read(name).value();
      for (PackCase& c : cases) change(&c);
      EXPECT_TRUE(writer->Add(name, cases).ok());
    }
    EXPECT_TRUE(writer->Commit().ok());
    writer.reset();
    return PackReader::Open(path).value();
  }
  std::vector<std::string> Faults(const PackReader& pack) {
    return VerifyPack(cases_, pack, kOracle).value().faults;
  }

  const TestFolder folder_;
  const std::string here_ = folder_ / "here";
  const std::string there_ = folder_ / "there";
  const std::string pack_ = folder_ / "pack.h5";
  std::vector<v1::Case> cases_;
};

TEST_F(PackTest, TheOriginalIsRight) {
  const auto report = VerifyPack(cases_, *PackReader::Open(pack_).value(), kOracle).value();
  EXPECT_THAT(report.faults, IsEmpty());
  EXPECT_EQ(report.other_inputs, 0);
  EXPECT_EQ(report.figures.cases, static_cast<int64_t>(cases_.size()));
  EXPECT_GT(report.judged, report.figures.cases / 2);  // not those that judge nothing
}

TEST_F(PackTest, AWrongElementIsNamed) {
  const auto pack = Changed([&](PackCase* c) {
    if (c->id != cases_[0].id()) return;
    HostTensor& out = c->tensors.at(0).values;
    StoreDouble(out.dtype, out.data.data(), 0, 1e6);
  });
  const std::vector<std::string> faults = Faults(*pack);
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_THAT(faults[0], HasSubstr(cases_[0].id() + ": oracle/contract conflict: "));
}

TEST_F(PackTest, AnotherHashAndAMissingReasonAreNamed) {
  const auto pack = Changed([&](PackCase* c) {
    if (c->id == cases_[0].id()) c->hash = "0123";
    if (c->id == cases_[1].id()) c->tensors.clear();
    if (c->id == cases_[2].id()) c->tensors.at(0).key = "nothing";
    if (c->id == cases_[3].id()) c->id = "add.no_such_case";
  });
  const std::vector<std::string> faults = Faults(*pack);
  ASSERT_THAT(faults, SizeIs(5));
  EXPECT_THAT(faults[0], HasSubstr("hash 0123, this program"));
  EXPECT_THAT(faults[1], HasSubstr("neither tensors nor a reason"));
  EXPECT_THAT(faults[2], HasSubstr("no output nothing"));
  EXPECT_THAT(faults[3], HasSubstr(cases_[3].id() + ": it is not in the pack"));
  EXPECT_THAT(faults[4], HasSubstr("add.no_such_case: not a case of this suite"));
}

TEST_F(PackTest, WithoutProvenanceItIsNotRight) {
  const auto pack = Changed([](PackCase*) {}, [](PackHeader* header) { header->device.sha256.clear(); });
  const std::vector<std::string> faults = Faults(*pack);
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_THAT(faults[0], HasSubstr("does not name the library and the device"));
}

TEST_F(PackTest, OutputsOfOtherInputsAreNotTaken) {
  const auto pack = Changed([](PackCase* c) {
    if (absl::StartsWith(c->id, "norm.backward")) c->inputs = "other";
  });
  const auto report = VerifyPack(cases_, *pack, kOracle).value();
  EXPECT_THAT(report.faults, IsEmpty());
  EXPECT_GT(report.other_inputs, 0);
  Generate(there_);
  const auto summary = InstallPack(cases_, *pack, there_, "cpu").value();
  EXPECT_GE(static_cast<int64_t>(summary.without.size()), report.other_inputs);
  const auto reader = BaselineReader::Open(BaselinePath(there_, "cpu", "norm")).value();
  EXPECT_EQ(reader->provenance().device_reference, pack->header().device);
  for (const std::string& id : reader->case_ids()) {
    const Baseline baseline = reader->Read(id).value();
    for (const auto& [key, tensor] : baseline.references) {
      EXPECT_FALSE(absl::EndsWith(key, ".device")) << id;
    }
  }
}

TEST_F(PackTest, ACallWithASampledOutputIsNotAReference) {
  PackOptions options{here_};
  options.full_bytes = 256;  // RMSNorm: one inverse per row in full, the rows themselves sampled
  options.samples = 8;
  ASSERT_TRUE(MakePack(cases_, options, pack_).ok());
  const auto pack = PackReader::Open(pack_).value();
  const std::vector<PackCase> packed = pack->Read("rms_norm").value();
  std::set<std::string> mixed;
  for (const PackCase& c : packed) {
    if (c.tensors.size() == 2 && c.tensors[0].sampled != c.tensors[1].sampled) mixed.insert(c.id);
  }
  ASSERT_FALSE(mixed.empty());
  EXPECT_THAT(Faults(*pack), IsEmpty());
  Generate(there_);
  const auto summary = InstallPack(cases_, *pack, there_, "cpu").value();
  EXPECT_THAT(summary.quarantined, IsEmpty());
  for (const std::string& id : mixed) {
    EXPECT_THAT(summary.without, Contains(id + ": the pack holds only samples of an output"));
  }
}

TEST_F(PackTest, WhatIsInstalledIsWhatTheDeviceReturned) {
  Generate(there_);
  ASSERT_TRUE(InstallPack(cases_, *PackReader::Open(pack_).value(), there_, "cpu").ok());
  for (const std::string name : {"add", "norm"}) {
    const auto here = BaselineReader::Open(BaselinePath(here_, "cpu", name)).value();
    const auto there = BaselineReader::Open(BaselinePath(there_, "cpu", name)).value();
    EXPECT_EQ(here->provenance().device_reference, there->provenance().device_reference);
    ASSERT_EQ(here->case_ids(), there->case_ids());
    for (const std::string& id : here->case_ids()) {
      const TensorMap mine = here->Read(id)->references, yours = there->Read(id)->references;
      ASSERT_EQ(mine.size(), yours.size()) << id;
      for (const auto& [key, tensor] : mine) EXPECT_EQ(tensor.data, yours.at(key).data) << id << " " << key;
    }
  }
}

}  // namespace
}  // namespace diopi::baselines
