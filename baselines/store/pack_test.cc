// Packs: what is written is read, samples are where they are said to be, and what is truncated, altered or of
// another version is refused before HDF5 sees it.
#include "baselines/store/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "baselines/store/pack_text.h"
#include "baselines/store/testing.h"
#include "cases/base/status_macros.h"
#include "cases/fill/fill.h"

namespace diopi::baselines {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

PackHeader SomeHeader() {
  return {"core",
          {"a vendor", "1.0, a GPU, driver 1, CUDA 13.0, cuDNN 9", "abc", "tf32", "2026-01-02T03:04:05Z"},
          "an oracle 0.1",
          64,
          8,
          "2026-01-02T03:04:06Z"};
}

std::vector<PackCase> SomeCases() {
  const PackHeader header = SomeHeader();
  PackCase all{"add.all", "h1", "i1", "", "", {}};
  all.tensors.push_back(MakePackTensor("empty", SomeTensor(v1::Dtype::float32, {3, 0}, 3), header));
  int seed = 0;
  for (const Dtype dtype : {v1::Dtype::float16, v1::Dtype::bfloat16, v1::Dtype::float32, v1::Dtype::float64,
                            v1::Dtype::int64, v1::Dtype::uint8, v1::Dtype::bool_}) {
    all.tensors.push_back(
        MakePackTensor(absl::StrCat("out.", seed), SomeTensor(dtype, {2, 3}, seed), header));
    ++seed;
  }
  all.tensors.push_back(MakePackTensor("scalar", SomeTensor(v1::Dtype::float32, {}, 3), header));
  PackCase large{"add.large", "h2", "i2", "", "", {}};
  large.tensors.push_back(MakePackTensor("out", SomeTensor(v1::Dtype::float32, {100, 11}, 5), header));
  return {all,
          large,
          {"add.conflict", "h3", "i3", "the device reference\ndiffers", "", {}},
          {"add.absent", "h4", "i4", "", "it has no such function", {}}};
}

void Write(const std::string& path) {
  auto writer = PackWriter::Create(path, SomeHeader());
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_EQ((*writer)->Add("add", SomeCases()), absl::OkStatus());
  ASSERT_EQ((*writer)->Add("exp", {{"exp.a", "h5", "i5", "", "none", {}}}), absl::OkStatus());
  ASSERT_EQ((*writer)->Commit(), absl::OkStatus());
}

TEST(PackTest, WhatIsWrittenIsRead) {
  const TestFolder folder;
  const std::string path = folder / "new/pack.h5";
  Write(path);
  const auto reader = PackReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->header().suite, "core");
  EXPECT_EQ((*reader)->header().device, SomeHeader().device);
  EXPECT_EQ((*reader)->header().oracle, "an oracle 0.1");
  EXPECT_EQ((*reader)->header().full_bytes, 64);
  EXPECT_EQ((*reader)->header().samples, 8);
  EXPECT_THAT((*reader)->operators(), ElementsAre("add", "exp"));
  EXPECT_EQ((*reader)->file_bytes(), static_cast<int64_t>(ReadFileText(path).size()));
  const auto cases = (*reader)->Read("add");
  ASSERT_TRUE(cases.ok()) << cases.status();
  const std::vector<PackCase> written = SomeCases();
  ASSERT_EQ(cases->size(), written.size());
  for (size_t i = 0; i < written.size(); ++i) {
    const PackCase &c = (*cases)[i], &w = written[i];
    EXPECT_EQ(c.id, w.id);
    EXPECT_EQ(c.hash, w.hash);
    EXPECT_EQ(c.inputs, w.inputs);
    EXPECT_EQ(c.without, w.without);
    EXPECT_EQ(c.quarantined, absl::StrReplaceAll(w.quarantined, {{"\n", " "}}));
    ASSERT_EQ(c.tensors.size(), w.tensors.size());
    for (size_t t = 0; t < w.tensors.size(); ++t) {
      EXPECT_EQ(c.tensors[t].key, w.tensors[t].key);
      EXPECT_EQ(c.tensors[t].shape, w.tensors[t].shape);
      EXPECT_EQ(c.tensors[t].sampled, w.tensors[t].sampled);
      EXPECT_EQ(c.tensors[t].values.dtype, w.tensors[t].values.dtype);
      EXPECT_EQ(c.tensors[t].values.shape, w.tensors[t].values.shape);
      EXPECT_EQ(c.tensors[t].values.data, w.tensors[t].values.data);
      EXPECT_EQ(c.tensors[t].statistics, w.tensors[t].statistics);
    }
  }
  EXPECT_TRUE(written[1].tensors[0].sampled);
  EXPECT_FALSE(written[0].tensors[0].sampled);
}

TEST(PackTest, WithoutCommitNothingIsLeft) {
  const TestFolder folder;
  {
    auto writer = PackWriter::Create(folder / "pack.h5", SomeHeader());
    ASSERT_EQ((*writer)->Add("add", SomeCases()), absl::OkStatus());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(PackTest, SamplesAreOneOfEachStretchInOrder) {
  for (const int64_t n : {9, 10, 1000, 4097}) {
    for (const int64_t samples : {1, 7, 8}) {
      int64_t before = -1;
      for (int64_t i = 0; i < samples; ++i) {
        const int64_t at = SamplePosition(i, samples, n);
        EXPECT_GT(at, before);
        EXPECT_GE(at, i * n / samples);
        EXPECT_LT(at, (i + 1) * n / samples);
        before = at;
      }
    }
  }
  const int64_t huge = int64_t{1} << 60;
  EXPECT_LT(SamplePosition(4095, 4096, huge), huge);
  EXPECT_GE(SamplePosition(4095, 4096, huge), huge / 4096 * 4095);
  const HostTensor tensor = SomeTensor(v1::Dtype::uint8, {100}, 1);
  const PackTensor packed = MakePackTensor("out", tensor, SomeHeader());
  ASSERT_TRUE(packed.sampled);
  for (int64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(packed.values.data[static_cast<size_t>(i)],
              tensor.data[static_cast<size_t>(SamplePosition(i, 8, 100))]);
  }
}

TEST(PackTest, StatisticsAreOfAllElements) {
  HostTensor tensor{v1::Dtype::float64, {6}, std::string(48, '\0')};
  const double infinity = std::numeric_limits<double>::infinity();
  const double values[] = {1, -2, std::nan(""), infinity, -infinity, 7};
  for (int64_t i = 0; i < 6; ++i) StoreDouble(tensor.dtype, tensor.data.data(), i, values[i]);
  const TensorStatistics s = StatisticsOf(tensor);
  EXPECT_EQ(s.nans, 1);
  EXPECT_EQ(s.infinities, 2);
  EXPECT_EQ(s.min, -2);
  EXPECT_EQ(s.max, 7);
  EXPECT_DOUBLE_EQ(s.mean, 2);
  EXPECT_DOUBLE_EQ(s.deviation, std::sqrt(14));
  EXPECT_EQ(StatisticsOf({v1::Dtype::float32, {0}, ""}), TensorStatistics());
}

class PackDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    Write(path_);
    good_ = ReadFileText(path_);
  }
  // The status of reading everything.
  absl::Status ReadAll(const std::string& bytes) {
    WriteFileText(path_, bytes);
    ASSIGN_OR_RETURN(const auto reader, PackReader::Open(path_));
    for (const std::string& name : reader->operators()) {
      RETURN_IF_ERROR(reader->Read(name).status());
    }
    return absl::OkStatus();
  }
  std::string WithFooter(const PackFooter& footer) const {
    return good_.substr(0, good_.size() - kPackFooterBytes) + FormatPackFooter(footer);
  }
  PackFooter Footer() const {
    PackFooter footer;
    EXPECT_TRUE(ParsePackFooter(good_.substr(good_.size() - kPackFooterBytes), &footer));
    return footer;
  }

  const TestFolder folder_;
  const std::string path_ = folder_ / "pack.h5";
  std::string good_;
};

TEST_F(PackDamage, TruncatedAnywhere) {
  for (size_t size = 0; size < good_.size(); size += size < 200 ? 7 : 97) {
    const absl::Status status = ReadAll(good_.substr(0, size));
    EXPECT_TRUE(absl::IsDataLoss(status)) << size << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
  }
  // The end is there and the middle is not.
  EXPECT_TRUE(absl::IsDataLoss(ReadAll(good_.substr(0, 1000) + good_.substr(2000))));
}

TEST_F(PackDamage, AlteredAnywhere) {
  for (size_t at = 0; at < good_.size(); at += 53) {
    std::string bytes = good_;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    const absl::Status status = ReadAll(bytes);
    EXPECT_TRUE(absl::IsDataLoss(status) || absl::IsFailedPrecondition(status)) << at << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
  }
  EXPECT_EQ(ReadAll(good_), absl::OkStatus());
}

TEST_F(PackDamage, ForeignVersionsAreNamed) {
  PackFooter format = Footer();
  format.format_version = 7;
  const absl::Status other = ReadAll(WithFooter(format));
  EXPECT_TRUE(absl::IsFailedPrecondition(other));
  EXPECT_THAT(std::string(other.message()), HasSubstr("format version 7, this program reads 1"));
  PackFooter generator = Footer();
  generator.generator_version = 99;
  const absl::Status inputs = ReadAll(WithFooter(generator));
  EXPECT_TRUE(absl::IsFailedPrecondition(inputs));
  EXPECT_THAT(std::string(inputs.message()),
              HasSubstr(absl::StrCat("generator version 99, this program has ", kGeneratorVersion)));
}

TEST_F(PackDamage, OtherFilesAreNoPacks) {
  EXPECT_THAT(std::string(ReadAll("a text").message()), HasSubstr("not an HDF5 file"));
  auto writer = BaselineWriter::Create(path_, "add", {});
  ASSERT_EQ((*writer)->Add(SomeBaseline("add.a", 1)), absl::OkStatus());
  ASSERT_EQ((*writer)->Commit(), absl::OkStatus());
  EXPECT_THAT(std::string(PackReader::Open(path_).status().message()), HasSubstr("not a pack"));
  EXPECT_TRUE(absl::IsNotFound(PackReader::Open(folder_ / "nothing.h5").status()));
}

TEST(PackTextTest, OtherLinesAreRefused) {
  for (const std::string line :
       {"full out float32 2x3 0 abc", "case a b", "case a b c d", "quarantined x", "hello"}) {
    std::vector<PackPlace> places;
    EXPECT_TRUE(absl::IsDataLoss(ParsePackLines({line}, 8, &places).status())) << line;
  }
  for (const std::string line :
       {"full out float33 2x3 0 abc", "full out float32 2x-3 0 abc", "full out float32 2x3 -1 abc",
        "full out float32 9999999999x9999999999 0 abc", "full out float32 2x3 0",
        "sampled out float32 2x3 0 abc nan=0 inf=0 min=0 max=0 mean=0 std=0",
        "sampled out float32 200 0 abc nan=0 inf=0 min=0 max=x mean=0 std=0"}) {
    std::vector<PackPlace> places;
    EXPECT_TRUE(absl::IsDataLoss(ParsePackLines({"case a b c", line}, 8, &places).status())) << line;
  }
}

}  // namespace
}  // namespace diopi::baselines
