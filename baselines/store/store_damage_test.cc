// Truncated, altered and foreign files: never a crash, never silence, always the file's name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "absl/strings/str_cat.h"
#include "baselines/store/checksum.h"
#include "baselines/store/index.h"
#include "baselines/store/store.h"
#include "baselines/store/testing.h"
#include "cases/base/status_macros.h"

namespace diopi::baselines {
namespace {

using ::testing::HasSubstr;

// Reads everything there is. OK only when it equals what was written.
absl::Status ReadAll(const std::string& path, const std::vector<Baseline>& written) {
  ASSIGN_OR_RETURN(const auto reader, BaselineReader::Open(path));
  if (reader->case_ids().size() != written.size()) return absl::UnknownError("silent: case ids");
  if (reader->operator_name() != "add") return absl::UnknownError("silent: operator");
  if (reader->provenance().device != "a device") return absl::UnknownError("silent: provenance");
  for (const Baseline& b : written) {
    ASSIGN_OR_RETURN(const auto read, reader->Read(b.c.id()));
    ASSIGN_OR_RETURN(const auto c, reader->ReadCase(b.c.id()));
    if (!SameTensors(read.inputs, b.inputs) || !SameTensors(read.references, b.references) ||
        reader->HashOf(b.c.id()) != b.c.hash() || c.SerializeAsString() != b.c.SerializeAsString()) {
      return absl::UnknownError("silent: other tensors or another case");
    }
  }
  return absl::OkStatus();
}

class Damage : public ::testing::Test {
 protected:
  void SetUp() override {
    written_ = {SomeBaseline("add.a", 1), SomeBaseline("add.b", 2)};
    Provenance provenance;
    provenance.device = "a device";
    auto writer = BaselineWriter::Create(path_, "add", provenance);
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (const Baseline& b : written_) ASSERT_EQ((*writer)->Add(b), absl::OkStatus());
    ASSERT_EQ((*writer)->Commit(), absl::OkStatus());
    good_ = ReadFileText(path_);
    ASSERT_EQ(ReadAll(path_, written_), absl::OkStatus());
  }
  void ExpectNoticed(const absl::Status& status, const std::string& what) {
    EXPECT_TRUE(status.code() == absl::StatusCode::kDataLoss ||
                status.code() == absl::StatusCode::kFailedPrecondition)
        << what << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path_)) << what;
  }

  const TestFolder folder_;
  const std::string path_ = folder_ / "add.h5";
  std::vector<Baseline> written_;
  std::string good_;
};

TEST_F(Damage, TruncatedAtManyLengths) {
  for (size_t length = 0; length < good_.size(); length += length < 100 ? 1 : 211) {
    WriteFileText(path_, good_.substr(0, length));
    ExpectNoticed(ReadAll(path_, written_), "length " + std::to_string(length));
  }
}

// Bytes all over the file, each of the index and the footer among them, are altered one at a time, in one of
// several ways. Bytes that nothing reads may change unnoticed; then all that is read is what was written.
TEST_F(Damage, AlteredBytes) {
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  const auto put = [&](size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte).flush();
  };
  const size_t index = good_.find("diopi-baselines 2");
  int noticed = 0;
  int altered = 0;
  for (size_t i = 0; i < good_.size(); i += i >= index ? 1 : 13, ++altered) {
    put(i, static_cast<char>(good_[i] ^ (i % 3 == 0 ? 0xff : i % 3 == 1 ? 0x01 : 0x80)));
    const absl::Status status = ReadAll(path_, written_);
    put(i, good_[i]);
    if (status.ok()) continue;
    ++noticed;
    ExpectNoticed(status, "byte " + std::to_string(i));
  }
  std::printf("%d of %d altered bytes matter\n", noticed, altered);
  EXPECT_GT(noticed, 1000);
  EXPECT_EQ(ReadAll(path_, written_), absl::OkStatus());
}

TEST_F(Damage, ZeroedBlocks) {
  for (size_t start = 0; start < good_.size(); start += 512) {
    std::string bad = good_;
    for (size_t i = start; i < std::min(start + 4096, bad.size()); ++i) bad[i] = '\0';
    WriteFileText(path_, bad);
    const absl::Status status = ReadAll(path_, written_);
    if (!status.ok()) ExpectNoticed(status, "block " + std::to_string(start));
  }
}

TEST_F(Damage, ForeignFiles) {
  for (const std::string& text : {std::string(), std::string("hello"), std::string(5000, '\0')}) {
    WriteFileText(path_, text);
    ExpectNoticed(BaselineReader::Open(path_).status(), text.substr(0, 5));
  }
  const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  const absl::Status foreign = BaselineReader::Open(path_).status();
  ExpectNoticed(foreign, "another HDF5 file");
  EXPECT_THAT(std::string(foreign.message()), HasSubstr("not a baseline"));

  EXPECT_EQ(BaselineReader::Open(folder_.path()).status().code(), absl::StatusCode::kDataLoss);
  const absl::Status missing = BaselineReader::Open(folder_ / "none.h5").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("none.h5"));
}

// Sizes that a file claims, with every checksum in order: none is believed beyond the file's own size.
TEST_F(Damage, ClaimedSizesAreBounded) {
  Piece piece;
  ASSERT_TRUE(ParseFooter(good_.substr(good_.size() - kFooterBytes), &piece));
  const std::string index = good_.substr(piece.offset, piece.nbytes);
  const size_t at = index.find("\nin empty int64 3x0 ");
  ASSERT_NE(at, std::string::npos);
  const std::string line = index.substr(at + 1, index.find('\n', at + 1) - at);
  const std::string whole = absl::StrCat("in empty uint8 ", good_.size(), " 0 ", good_.size(), " x\n");
  struct Row {
    std::string line;
    std::string says;
  };
  const std::vector<Row> rows = {
      {"in empty int64 0x9223372036854775807x9223372036854775807 0 0 x\n", "shape of empty"},
      {"in empty int64 9223372036854775807x0 0 0 x\n", "shape of empty"},
      {"in empty int64 4294967296x4294967296 0 0 x\n", "shape of empty"},
      {"in empty int64 2305843009213693952 0 0 x\n", "shape of empty"},
      {"in empty int64 -1 0 0 x\n", "shape of empty"},
      {"in empty int64 0x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1 0 0 x\n",
       "shape of empty"},
      {"in empty uint8 1000000 0 1000000 x\n", "outside the file"},
      {"in empty uint8 8 18446744073709551612 8 x\n", "outside the file"},
      {"in empty uint8 8 0 18446744073709551615 x\n", "outside the file"},
      // Each lies in the file; together they are many times the file.
      {whole + whole, "claims more bytes than the file has"},
  };
  for (const Row& row : rows) {
    std::string bad_index = index;
    bad_index.replace(at + 1, line.size(), row.line);
    const std::string head = good_.substr(0, piece.offset);
    const std::string footer = FormatFooter({piece.offset, bad_index.size(), Checksum(bad_index)});
    WriteFileText(path_, absl::StrCat(head, bad_index, footer));
    const absl::Status status = BaselineReader::Open(path_).status();
    ExpectNoticed(status, row.line);
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.says)) << row.line;
  }
}

// A hole of a terabyte costs the disk nothing; reading it would cost a terabyte of memory.
TEST_F(Damage, AnIndexInAHoleIsNotRead) {
  constexpr uint64_t kHole = uint64_t{1} << 40;
  std::filesystem::resize_file(path_, kHole);
  std::ofstream(path_, std::ios::binary | std::ios::app) << FormatFooter({4096, kHole - 4096, "x"});
  const absl::Status status = BaselineReader::Open(path_).status();
  ExpectNoticed(status, "hole");
  EXPECT_THAT(std::string(status.message()), HasSubstr("the limit is"));
}

TEST_F(Damage, AnotherVersionNamesBoth) {
  const std::string line = "diopi-baselines 2 1\n";
  const size_t at = good_.find(line);
  ASSERT_NE(at, std::string::npos);
  struct Row {
    const char* line;
    const char* ours;
  };
  for (const Row& row :
       {Row{"diopi-baselines 7 1\n", " 2; generate"}, Row{"diopi-baselines 2 7\n", " 1; generate"}}) {
    // A file as another version of this program would have written it: with its checksum in order.
    std::string bad = good_;
    bad.replace(at, line.size(), row.line);
    Piece piece;
    ASSERT_TRUE(ParseFooter(bad.substr(bad.size() - kFooterBytes), &piece));
    piece.checksum = Checksum(bad.substr(piece.offset, piece.nbytes));
    bad.replace(bad.size() - kFooterBytes, kFooterBytes, FormatFooter(piece));
    WriteFileText(path_, bad);
    const absl::Status status = BaselineReader::Open(path_).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("version 7, "));
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.ours));
    EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
  }
}

}  // namespace
}  // namespace diopi::baselines
