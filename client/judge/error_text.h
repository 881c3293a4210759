// The texts of errors, as libraries give them.
#ifndef CLIENT_JUDGE_ERROR_TEXT_H_
#define CLIENT_JUDGE_ERROR_TEXT_H_

#include <string>

namespace diopi::agent {

// What happened, and the backtrace that frameworks append to it: libtorch's exceptions have 2 to 5 KB of one,
// which nobody wants to read for each of hundreds of cases.
struct ErrorText {
  std::string message;    // without a line end
  std::string backtrace;  // empty: there was none
};

ErrorText SplitBacktrace(const std::string& text);

}  // namespace diopi::agent

#endif  // CLIENT_JUDGE_ERROR_TEXT_H_
