#include "baselines/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "baselines/store/testing.h"
#include "build_paths.h"
#include "cases/base/status_macros.h"
#include "cases/core/case_builder.h"
#include "cases/core/catalog.h"

namespace diopi::baselines {
namespace {

using ::testing::HasSubstr;

const Provenance kProvenance{"cpu",        "diopi cpu 1.0",       "0123456789abcdef", "A processor @ 2 GHz",
                             "OpenBLAS x", "2026-01-01T00:00:00Z"};

// Runs a command, returns its output and exit status.
struct Ran {
  std::string output;
  int status = -1;
};
Ran Shell(const std::string& command) {
  Ran ran;
  // NOLINTNEXTLINE(bugprone-command-processor): the test writes the command itself
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  std::vector<char> buffer(4096);
  for (size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    ran.output.append(buffer.data(), n);
  }
  ran.status = pclose(pipe);
  return ran;
}
const char* const kWriteProgram = DIOPI_BINARY_DIR "/tests/baseline_write_program ";

absl::Status WriteFile(const std::string& path, const std::vector<Baseline>& baselines) {
  ASSIGN_OR_RETURN(auto writer, BaselineWriter::Create(path, "add", kProvenance));
  for (const Baseline& b : baselines) {
    RETURN_IF_ERROR(writer->Add(b));
  }
  return writer->Commit();
}

TEST(Store, ReturnsWhatWasWritten) {
  const TestFolder folder;
  const std::string path = BaselinePath(folder.path(), "cpu", "add");
  EXPECT_EQ(path, folder.path() + "/baselines/cpu/add.h5");
  std::vector<Baseline> written = {SomeBaseline("add.float32.a", 1), SomeBaseline("add.float32.b", 2)};
  written[1].quarantined = "the device reference is wrong: 3 of 8 elements differ";
  ASSERT_EQ(WriteFile(path, written), absl::OkStatus());

  const auto reader = BaselineReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->operator_name(), "add");
  EXPECT_EQ((*reader)->provenance().device_reference, DeviceProvenance());
  EXPECT_EQ((*reader)->provenance().device, kProvenance.device);
  EXPECT_EQ((*reader)->provenance().created, kProvenance.created);
  EXPECT_THAT((*reader)->case_ids(), ::testing::ElementsAre("add.float32.a", "add.float32.b"));
  EXPECT_EQ((*reader)->HashOf("add.float32.b"), written[1].c.hash());
  EXPECT_EQ((*reader)->HashOf("add.float32.c"), "");
  for (const Baseline& b : written) {
    const auto read = (*reader)->Read(b.c.id());
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(SameTensors(read->inputs, b.inputs));
    EXPECT_TRUE(SameTensors(read->references, b.references));
    EXPECT_EQ(read->quarantined, b.quarantined);
    const auto c = (*reader)->ReadCase(b.c.id());
    ASSERT_TRUE(c.ok()) << c.status();
    EXPECT_TRUE(c->SerializeAsString() == b.c.SerializeAsString()) << c->ShortDebugString();
  }
  const absl::Status missing = (*reader)->Read("add.float32.c").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr(path));
}

TEST(Store, TheDeviceReferenceIsNamed) {
  const TestFolder folder;
  Provenance provenance = kProvenance;
  provenance.device_reference = {"Acme", "2.1, driver 535", "00ff", "tf32,tc32", "2026-01-02T00:00:00Z"};
  auto writer = BaselineWriter::Create(folder / "a.h5", "add", provenance);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_EQ((*writer)->Commit(), absl::OkStatus());
  const auto reader = BaselineReader::Open(folder / "a.h5");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->provenance().device_reference, provenance.device_reference);
  EXPECT_EQ((*reader)->provenance().created, provenance.created);
}

TEST(Store, EveryStorableDtypeAndAFileWithoutCases) {
  const TestFolder folder;
  Baseline b = SomeBaseline("add.x", 3);
  for (const Dtype dtype : {v1::Dtype::int8, v1::Dtype::uint8, v1::Dtype::int16, v1::Dtype::uint16,
                            v1::Dtype::int32, v1::Dtype::uint32, v1::Dtype::int64, v1::Dtype::uint64,
                            v1::Dtype::float16, v1::Dtype::float32, v1::Dtype::float64, v1::Dtype::bool_,
                            v1::Dtype::bfloat16, v1::Dtype::complex64, v1::Dtype::complex128}) {
    b.inputs["t." + std::to_string(dtype)] = SomeTensor(dtype, {3, 1, 2}, dtype);
  }
  ASSERT_EQ(WriteFile(folder / "a.h5", {b}), absl::OkStatus());
  const auto reader = BaselineReader::Open(folder / "a.h5");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_TRUE(SameTensors((*reader)->Read("add.x")->inputs, b.inputs));

  ASSERT_EQ(WriteFile(folder / "none.h5", {}), absl::OkStatus());
  const auto none = BaselineReader::Open(folder / "none.h5");
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_TRUE((*none)->case_ids().empty());
}

// The format is text: -0, infinities and the bits of NaN must survive it.
TEST(Store, EveryFunctionsCasesAreReadAsTheyWereWritten) {
  const auto catalog = cases::Catalog::LoadBuiltin().value();
  const std::vector<v1::Case> all = catalog->Select(v1::Selection()).value();
  const TestFolder folder;
  std::vector<Baseline> written;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % 40 != 0 && !absl::StrContains(all[i].id(), "payload")) continue;
    written.emplace_back();
    written.back().c = all[i];
  }
  ASSERT_EQ(WriteFile(folder / "a.h5", written), absl::OkStatus());
  const auto reader = BaselineReader::Open(folder / "a.h5");
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (const Baseline& b : written) {
    const auto c = (*reader)->ReadCase(b.c.id());
    ASSERT_TRUE(c.ok()) << c.status();
    EXPECT_EQ(cases::ContentHash(*c), b.c.hash()) << b.c.id();
  }
}

TEST(Store, CasesLargerThanAnObjectHeader) {
  const TestFolder folder;
  Baseline b = SomeBaseline("add.big", 4);
  auto* values = b.c.mutable_args(0)->mutable_tensor()->mutable_fill()->mutable_values();
  for (int i = 0; i < 20000; ++i) values->add_values(0.1 * i);
  ASSERT_EQ(WriteFile(folder / "a.h5", {b}), absl::OkStatus());
  const auto reader = BaselineReader::Open(folder / "a.h5");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_TRUE((*reader)->ReadCase("add.big")->SerializeAsString() == b.c.SerializeAsString());
}

TEST(Store, OpensInH5dumpAndH5py) {
  if (Shell("h5dump --version && /usr/bin/python3 -c 'import h5py'").status != 0) {
    GTEST_SKIP() << "h5dump or h5py is not installed";
  }
  const TestFolder folder;
  Baseline b = SomeBaseline("add.x", 3);
  b.inputs["half"] = {v1::Dtype::float16, {3}, std::string("\x00\x3c\x48\x42\x00\x7c", 6)};
  b.inputs["brain"] = {v1::Dtype::bfloat16, {3}, std::string("\x80\x3f\x49\x40\x80\xff", 6)};
  b.quarantined = "it is wrong";
  b.inputs["flag"] = {v1::Dtype::bool_, {2}, std::string("\x00\x01", 2)};
  ASSERT_EQ(WriteFile(folder / "a.h5", {b}), absl::OkStatus());
  const Ran dump = Shell("h5dump " + folder / "a.h5");
  EXPECT_EQ(dump.status, 0) << dump.output;
  EXPECT_THAT(dump.output, HasSubstr("1, 3.14062, inf"));
  EXPECT_THAT(dump.output, HasSubstr("1, 3.14062, -inf"));
  const Ran python =
      Shell("/usr/bin/python3 -c \"import h5py; f = h5py.File('" + folder / "a.h5" +
            "'); g = f['add.x']; print(f.attrs['library'], g.attrs['function'], g.attrs['quarantined'], "
            "g['inputs/half'][:], g['inputs/brain'][:], g['inputs/flag'].attrs['dtype'], "
            "g['inputs/empty'].shape, g['inputs/scalar'].shape, g['outputs/out.sigma'].dtype)\"");
  EXPECT_EQ(python.output,
            "diopi cpu 1.0 diopiAdd it is wrong [1.   3.14  inf] [1.       3.140625     -inf] bool (3, 0) () "
            "float32\n");
}

TEST(Store, NothingIsLeftWithoutCommit) {
  const TestFolder folder;
  const std::string path = folder / "add.h5";
  ASSERT_EQ(WriteFile(path, {SomeBaseline("add.old", 1)}), absl::OkStatus());
  {
    auto writer = BaselineWriter::Create(path, "add", kProvenance);
    ASSERT_TRUE(writer.ok());
    ASSERT_EQ((*writer)->Add(SomeBaseline("add.new", 2)), absl::OkStatus());
    EXPECT_EQ(BaselineWriter::Create(path, "add", kProvenance).status().code(), absl::StatusCode::kAborted);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_EQ((*BaselineReader::Open(path))->HashOf("add.new"), "");
  EXPECT_NE((*BaselineReader::Open(path))->HashOf("add.old"), "");
}

TEST(Store, AKilledWriterLeavesTheOldFileAndIsReplaced) {
  const TestFolder folder;
  const std::string path = folder / "add.h5";
  ASSERT_EQ(WriteFile(path, {SomeBaseline("add.old", 1)}), absl::OkStatus());
  const Ran killed = Shell(std::string("exec ") + kWriteProgram + path + " 5 kill");
  ASSERT_TRUE(WIFSIGNALED(killed.status)) << killed.output;
  EXPECT_TRUE(std::filesystem::exists(path + ".tmp"));
  EXPECT_NE((*BaselineReader::Open(path))->HashOf("add.old"), "");
  ASSERT_EQ(WriteFile(path, {SomeBaseline("add.new", 2)}), absl::OkStatus());
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
  EXPECT_NE((*BaselineReader::Open(path))->HashOf("add.new"), "");
}

TEST(Store, AFullDiskIsResourceExhausted) {
  for (const int cases : {1, 20, 100, 1000}) {  // 20 fit into 4 MiB
    const TestFolder folder;
    const std::string path = folder / "add.h5";
    const Ran ran = Shell(kWriteProgram + path + " " + std::to_string(cases) + " limit");
    if (cases <= 20) {
      EXPECT_EQ(ran.status, 0) << ran.output;
      continue;
    }
    ASSERT_TRUE(WIFEXITED(ran.status)) << cases << " " << ran.status << ran.output;
    EXPECT_EQ(WEXITSTATUS(ran.status), 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("RESOURCE_EXHAUSTED")) << cases;
    EXPECT_THAT(ran.output, HasSubstr(path));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << cases;
  }
}

TEST(Store, RefusesNamesItCannotStoreAndDoubledCases) {
  const TestFolder folder;
  auto writer = BaselineWriter::Create(folder / "a.h5", "add", kProvenance);
  ASSERT_TRUE(writer.ok());
  for (const char* id : {"", ".", "a/b", "a b", "index"}) {
    EXPECT_EQ((*writer)->Add(SomeBaseline(id, 1)).code(), absl::StatusCode::kInvalidArgument) << id;
  }
  ASSERT_EQ((*writer)->Add(SomeBaseline("a", 1)), absl::OkStatus());
  EXPECT_EQ((*writer)->Add(SomeBaseline("a", 1)).code(), absl::StatusCode::kAlreadyExists);
  Baseline bad = SomeBaseline("b", 1);
  bad.inputs["input"].data.pop_back();
  EXPECT_EQ((*writer)->Add(bad).code(), absl::StatusCode::kInvalidArgument);
}

TEST(Store, ManyThreadsReadOneReader) {
  const TestFolder folder;
  std::vector<Baseline> written;
  written.reserve(20);
  for (int i = 0; i < 20; ++i) written.push_back(SomeBaseline("add." + std::to_string(i), i));
  ASSERT_EQ(WriteFile(folder / "a.h5", written), absl::OkStatus());
  const auto reader = BaselineReader::Open(folder / "a.h5");
  ASSERT_TRUE(reader.ok());
  std::vector<int> good(4, 0);
  std::vector<std::thread> threads(good.size());
  for (size_t t = 0; t < good.size(); ++t) {
    threads[t] = std::thread([&, t] {
      for (const Baseline& b : written) {
        const auto read = (*reader)->Read(b.c.id());
        const auto c = (*reader)->ReadCase(b.c.id());
        if (read.ok() && c.ok() && SameTensors(read->inputs, b.inputs)) ++good[t];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(good, ::testing::Each(20));
}

// Figures for the log: writing 100 cases and opening their file.
TEST(Store, OpensAHundredCasesQuickly) {
  const TestFolder folder;
  std::vector<Baseline> written;
  written.reserve(100);
  for (int i = 0; i < 100; ++i) written.push_back(SomeBaseline("add." + std::to_string(i), i));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(WriteFile(folder / "a.h5", written), absl::OkStatus());
  const auto middle = std::chrono::steady_clock::now();
  ASSERT_TRUE(BaselineReader::Open(folder / "a.h5").ok());
  const auto end = std::chrono::steady_clock::now();
  const std::chrono::duration<double, std::milli> write = middle - start;
  const std::chrono::duration<double, std::milli> open = end - middle;
  RecordProperty("write_ms", std::to_string(write.count()));
  RecordProperty("open_ms", std::to_string(open.count()));
  std::printf("write %.1f ms, open %.2f ms, %ju bytes\n", write.count(), open.count(),
              std::filesystem::file_size(folder / "a.h5"));
}

}  // namespace
}  // namespace diopi::baselines
