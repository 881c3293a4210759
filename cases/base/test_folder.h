// An empty folder for tests, fuzzers and benchmarks, removed at the end.
#ifndef CASES_BASE_TEST_FOLDER_H_
#define CASES_BASE_TEST_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace diopi {

// A new folder among the system's temporary files; the destructor removes it with everything in it. Ends the
// process if none can be made. Unlike TemporaryFolder it begins empty, without a lock.
class TestFolder {
 public:
  TestFolder() : path_((std::filesystem::temp_directory_path() / "diopi-test-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

}  // namespace diopi

#endif  // CASES_BASE_TEST_FOLDER_H_
