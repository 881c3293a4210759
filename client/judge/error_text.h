// The error texts of libraries.
#ifndef CLIENT_JUDGE_ERROR_TEXT_H_
#define CLIENT_JUDGE_ERROR_TEXT_H_

#include <string>

namespace diopi::agent {

// An error's message, and the backtrace that frameworks append to it: libtorch's exceptions have backtraces
// of 2 to 5 KB, which nobody wants to read for each of hundreds of cases.
struct ErrorText {
  std::string message;    // without a line end
  std::string backtrace;  // empty: there was none
};

ErrorText SplitBacktrace(const std::string& text);

}  // namespace diopi::agent

#endif  // CLIENT_JUDGE_ERROR_TEXT_H_
