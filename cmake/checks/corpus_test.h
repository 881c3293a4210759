// Passes every file of a fuzz target's regression corpus to the target (diopi_fuzz in cmake), so that earlier
// findings of a fuzzer are tested without libFuzzer, too. A finding ends the program.
#ifndef CMAKE_CHECKS_CORPUS_TEST_H_
#define CMAKE_CHECKS_CORPUS_TEST_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace diopi::checks {

using FuzzTarget = int (*)(const uint8_t* data, size_t size);

// Runs the target on every file of the folder and its subfolders.
inline void RunFolder(FuzzTarget target, const std::string& folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    ASSERT_TRUE(in) << entry.path();
    EXPECT_EQ(target(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), 0);
    ++count;
  }
  EXPECT_GT(count, 0u) << folder << " is empty";
  std::cout << folder << ": " << count << " inputs\n";
}

}  // namespace diopi::checks

// `Target` is also the name of the test suite; `seeds` may be empty.
#define DIOPI_CORPUS_TEST(Target, corpus, seeds)                   \
  extern "C" int Target(const uint8_t* data, size_t size);         \
  namespace {                                                      \
  TEST(Target##_corpus, EveryInputIsSurvived) {                    \
    diopi::checks::RunFolder(Target, corpus);                      \
    if (*(seeds) != '\0') diopi::checks::RunFolder(Target, seeds); \
  }                                                                \
  /* The two that every parser forgets. */                         \
  TEST(Target##_corpus, NothingAndOneByte) {                       \
    const uint8_t zero = 0;                                        \
    EXPECT_EQ(Target(&zero, 0), 0);                                \
    EXPECT_EQ(Target(&zero, 1), 0);                                \
  }                                                                \
  }

#endif  // CMAKE_CHECKS_CORPUS_TEST_H_
