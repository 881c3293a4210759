#include "impl_loader/worker/symbolize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "impl_loader/caller/test_cases.h"

namespace diopi::loader {
namespace {

// Nobody ever opens the other end: if Symbolize waits for it, this test hangs.
TEST(Symbolize, DoesNotWaitForAFifoThatTheMapsName) {
  const std::string fifo = testing::TempDir() + "/symbolize_fifo";
  std::filesystem::remove(fifo);
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string maps = absl::StrCat("10000-20000 r--p 00000000 00:01 5 ", fifo,
                                        "\n20000-30000 r-xp 00010000 00:01 5 ", fifo, "\n");
  EXPECT_EQ(Symbolize(0x20010, {}, maps), "#0 ? (symbolize_fifo+0x10010)\n");
  std::filesystem::remove(fifo);
}

// The same for a FIFO that a library's file names as the place of its debugging information.
TEST(Symbolize, DoesNotWaitForAFifoThatALibraryNames) {
  const std::string folder = testing::TempDir() + "/symbolize_link";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string library = folder + "/library.so";
  std::filesystem::copy_file(VendorPath("good"), library);
  std::ofstream(folder + "/information") << "none";
  const std::string link =
      absl::StrCat("cd ", folder, " && objcopy --strip-debug --remove-section=.note.gnu.build-id",
                   " --add-gnu-debuglink=information library.so");
  if (std::system(link.c_str()) != 0) GTEST_SKIP() << "no objcopy";
  std::filesystem::remove(folder + "/information");
  ASSERT_EQ(mkfifo((folder + "/information").c_str(), 0600), 0);
  const auto bytes = (std::filesystem::file_size(library) + 0xFFF) / 0x1000 * 0x1000;
  const std::string maps =
      absl::StrCat("10000-", absl::Hex(0x10000 + bytes), " r-xp 00000000 00:01 5 ", library, "\n");
  EXPECT_THAT(Symbolize(0x10010, {}, maps), testing::HasSubstr("library.so+0x"));
  std::filesystem::remove_all(folder);
}

TEST(Symbolize, NamesAFunctionOfThisProgram) {
  std::string maps;
  std::ifstream file("/proc/self/maps");
  std::getline(file, maps, '\0');
  const auto here = reinterpret_cast<uint64_t>(&Symbolize);
  EXPECT_THAT(Symbolize(here, {}, maps), testing::HasSubstr("Symbolize"));
}

}  // namespace
}  // namespace diopi::loader
