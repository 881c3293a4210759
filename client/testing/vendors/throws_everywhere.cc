// Every function of the ABI. Each throws what a framework's CPU library throws for a missing dtype: a message
// on the first line, followed by a backtrace of some kilobytes.
#include <exception>
#include <string>

namespace framework {

class Error : public std::exception {
 public:
  explicit Error(const std::string& kernel) : text_("\"" + kernel + "_cpu\" not implemented for 'Half'\n") {
    text_ += "Exception raised from operator() at kernels/cpu/dispatch.cpp:751 (most recent call first):\n";
    for (int frame = 0; frame < 40; ++frame) {
      text_ += "frame #" + std::to_string(frame) + ": framework::dispatch(" + kernel +
               ", framework::Tensor const&) + 0x1b7 (0x7f0123456789 in libframework.so)\n";
    }
  }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace framework

#define EACH(name)                 \
  extern "C" int name();           \
  int name() {                     \
    throw framework::Error(#name); \
  }
#include "abi_functions.inc"
