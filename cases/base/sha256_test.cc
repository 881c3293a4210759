#include "cases/base/sha256.h"

#include <gtest/gtest.h>

#include <fstream>

namespace diopi {
namespace {

TEST(Sha256OfFile, KnownDigests) {
  const std::string path = testing::TempDir() + "/sha256_test_file";
  std::ofstream(path, std::ios::binary) << "abc";
  // FIPS 180-2's example.
  EXPECT_EQ(Sha256OfFile(path).value(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::ofstream(path, std::ios::binary | std::ios::trunc).flush();
  EXPECT_EQ(Sha256OfFile(path).value(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256OfFile, MissingFile) {
  EXPECT_EQ(Sha256OfFile("/nonexistent/file").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace diopi
