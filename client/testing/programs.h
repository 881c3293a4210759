// Runs our programs as processes, for end-to-end tests.
#ifndef CLIENT_TESTING_PROGRAMS_H_
#define CLIENT_TESTING_PROGRAMS_H_

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "cases/base/process.h"
#include "cases/base/test_folder.h"

namespace diopi::testing {

// In a sanitizer build, leaks cannot be measured (its allocator reports nothing), and a plain program cannot
// load our libraries.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

struct Finished {
  int code = 0;  // 128 + the signal's number when a signal ended it
  std::string out;
  std::string err;
};

// build/NAME
std::string BuildPath(const std::string& name);
// build/bin/NAME
std::string BinPath(const std::string& name);
// build/lib/NAME
std::string LibPath(const std::string& name);
// build/lib/vendors/NAME.so
std::string VendorPath(const std::string& name);

// A running program. Collects its output as it comes.
class Running {
 public:
  Running(std::vector<std::string> command, std::vector<std::string> environment);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  pid_t pid() const { return process_->pid(); }
  void Signal(int signal) { process_->Signal(signal); }
  // Reads standard output up to and including the first line that holds `text`, and returns that line; empty
  // when the program ends without one.
  std::string WaitForLine(const std::string& text);
  // Reads the rest of the output and waits for the end.
  Finished Finish();

 private:
  bool ReadMore();

  Pipe out_;
  Pipe err_;
  std::unique_ptr<Process> process_;
  std::string out_text_;
  size_t looked_at_ = 0;
  std::string err_text_;
  std::thread err_reader_;
};

Finished RunProgram(std::vector<std::string> command, std::vector<std::string> environment = {});

// Processes whose parent is `pid` and whose program is `name`.
std::vector<pid_t> ChildrenOf(pid_t pid, const std::string& name);

// Whether the process exists and is not a zombie.
bool IsAlive(pid_t pid);

std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& text);

// The rows of `diopi-cli report --format csv`, by column name. RFC 4180.
std::vector<std::map<std::string, std::string>> ReportRows(const std::string& data_folder,
                                                           const std::string& run);

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_PROGRAMS_H_
