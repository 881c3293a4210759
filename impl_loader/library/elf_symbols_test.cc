// Reading ELF files, sound and broken ones. A broken file may give any status, but never a crash or a read
// outside the file.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "cases/base/test_folder.h"
#include "impl_loader/library/library.h"
#include "impl_loader/library/library_testing.h"

namespace diopi::loader {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class ElfTest : public ::testing::Test {
 protected:
  void SetUp() override {
    good_ = ReadAll(kVendors + "elf_good.so");
    ASSERT_GT(good_.size(), sizeof(Elf64_Ehdr));
  }

  std::string Write(const std::string& bytes) {
    const std::string path = folder_ / "file.so";
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    return path;
  }

  // The sound file with `value` written at `offset`.
  template <typename T>
  std::string Patched(size_t offset, T value) const {
    std::string bytes = good_;
    std::memcpy(bytes.data() + offset, &value, sizeof(value));
    return bytes;
  }

  const TestFolder folder_;
  std::string good_;
};

TEST_F(ElfTest, ReadsASoundLibrary) {
  const auto symbols = ReadElfSymbols(kVendors + "elf_good.so");
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_THAT(symbols->exported, Contains("diopiReluInp"));
  EXPECT_THAT(symbols->exported, Contains("device_malloc"));
  EXPECT_THAT(symbols->exported, Not(Contains("diopiGetTensorData")));
  EXPECT_THAT(symbols->undefined_strong, Contains("diopiGetTensorData"));
  EXPECT_THAT(symbols->undefined_strong, Contains("malloc"));
  EXPECT_THAT(symbols->undefined_weak, Contains("__gmon_start__"));
  EXPECT_THAT(symbols->needed, Contains("libc.so.6"));
}

TEST_F(ElfTest, KnowsVersions) {
  const auto symbols = ReadElfSymbols(kVendors + "aside/elf_dependency.so");
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_THAT(symbols->exported, Contains("elf_dependency_answer"));
  EXPECT_THAT(symbols->exported, Contains("elf_dependency_current"));
  EXPECT_THAT(symbols->exported, Not(Contains("elf_dependency_first")));
  EXPECT_THAT(symbols->exported, Not(Contains("elf_dependency_gone")));
  EXPECT_THAT(symbols->exported_old, Contains("elf_dependency_gone"));
}

TEST_F(ElfTest, ReadsSymbolsWithoutSections) {
  const auto with = ReadElfSymbols(kVendors + "elf_good.so");
  std::string bytes = Patched(offsetof(Elf64_Ehdr, e_shoff), uint64_t{0});
  std::memset(bytes.data() + offsetof(Elf64_Ehdr, e_shnum), 0, sizeof(uint16_t));
  const auto without = ReadElfSymbols(Write(bytes));
  ASSERT_TRUE(with.ok() && without.ok()) << without.status();
  EXPECT_EQ(with->exported, without->exported);
  EXPECT_EQ(with->undefined_strong, without->undefined_strong);
}

TEST_F(ElfTest, RecognisesWhatIsNotALibrary) {
  using Code = absl::StatusCode;
  struct Row {
    const char* what;
    std::string bytes;
    Code code;
    const char* text;
  };
  const size_t machine = offsetof(Elf64_Ehdr, e_machine);
  const size_t type = offsetof(Elf64_Ehdr, e_type);
  const Row rows[] = {
      {"empty", "", Code::kInvalidArgument, "not an ELF file: it is empty"},
      {"text", "#!/bin/sh\nexit 0\n", Code::kInvalidArgument, "not an ELF file"},
      {"two bytes",
       "\x7f"
       "E",
       Code::kInvalidArgument, "not an ELF file"},
      {"half a header", good_.substr(0, 20), Code::kDataLoss,
       "truncated: the file ends within the ELF header"},
      {"another machine", Patched(machine, uint16_t{EM_S390}), Code::kInvalidArgument,
       "built for S/390; this"},
      {"unknown machine", Patched(machine, uint16_t{0xFEED}), Code::kInvalidArgument, "ELF machine 65261"},
      {"32 bit", Patched(EI_CLASS, uint8_t{ELFCLASS32}), Code::kInvalidArgument, "(not 64 bit)"},
      {"big-endian", Patched(EI_DATA, uint8_t{ELFDATA2MSB}), Code::kInvalidArgument, "big-endian"},
      {"object file", Patched(type, uint16_t{ET_REL}), Code::kInvalidArgument,
       "an object file (.o), not a shared"},
      {"program", Patched(type, uint16_t{ET_EXEC}), Code::kInvalidArgument,
       "a program, not a shared library"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const std::string path = Write(row.bytes);
    for (const absl::Status& status :
         {CheckElf(path), ReadElfSymbols(path).status(), Library::Open(path).status()}) {
      EXPECT_EQ(status.code(), row.code) << status;
      EXPECT_THAT(std::string(status.message()), HasSubstr(row.text));
      EXPECT_THAT(std::string(status.message()), HasSubstr(path));
    }
  }
  EXPECT_EQ(CheckElf(folder_.path()).code(), Code::kInvalidArgument);
  EXPECT_EQ(CheckElf(folder_ / "absent.so").code(), Code::kNotFound);
  EXPECT_EQ(CheckElf(kVendors + "elf_good.so/below").code(), Code::kInvalidArgument);
  // This test program is position independent: ET_DYN, and yet no library.
  const auto self = ReadElfSymbols("/proc/self/exe");
  EXPECT_EQ(self.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(self.status().message()), HasSubstr("a program, not a shared library"));
}

TEST_F(ElfTest, EveryTruncationIsNoticed) {
  for (size_t length = 0; length < good_.size(); length += length < 8192 ? 7 : 61) {
    SCOPED_TRACE(length);
    const std::string path = Write(good_.substr(0, length));
    EXPECT_FALSE(ReadElfSymbols(path).ok());
    // dlopen would die of some of these with SIGBUS.
    EXPECT_FALSE(Library::Open(path).ok());
  }
}

TEST_F(ElfTest, CorruptFilesNeverCrash) {
  std::mt19937_64 random(20221120);
  // The places that matter most: the header, the program headers, and the dynamic section with its tables,
  // which stand at the beginning and in the last quarter.
  const uint64_t extremes[] = {
      0, 1, 0xFF, 0x7FFFFFFFu, 0xFFFFFFFFu, ~uint64_t{0}, ~uint64_t{0} - 7, uint64_t{1} << 63};
  int sound = 0;
  int broken = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = good_;
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < changes; ++i) {
      const size_t limit = round % 2 == 0 ? std::min<size_t>(bytes.size(), 4096) : bytes.size();
      const size_t at = random() % (limit - 8);
      const uint64_t value = random() % 3 == 0 ? random() : extremes[random() % std::size(extremes)];
      std::memcpy(bytes.data() + at, &value, 1 + random() % 8);
    }
    const auto symbols = ReadElfSymbols(Write(bytes));
    (symbols.ok() ? sound : broken) += 1;
    if (!symbols.ok()) {
      EXPECT_TRUE(symbols.status().code() == absl::StatusCode::kDataLoss ||
                  symbols.status().code() == absl::StatusCode::kInvalidArgument)
          << symbols.status();
    }
  }
  EXPECT_GT(broken, 100) << "the changes hit nothing";
  EXPECT_GT(sound, 100) << "the changes hit only the header";
}

}  // namespace
}  // namespace diopi::loader
