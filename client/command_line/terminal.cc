#include "client/command_line/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace diopi {
namespace {

constexpr size_t kNoTerminal = 100;
constexpr size_t kNarrowest = 40;
constexpr size_t kWidest = 120;  // longer lines are hard to read

}  // namespace

size_t TextWidth(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kNoTerminal;
  return std::clamp<size_t>(size.ws_col, kNarrowest, kWidest);
}

bool ShowsColours(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  return isatty(descriptor) == 1 && (no_colour == nullptr || *no_colour == '\0') && kind != nullptr &&
         std::string_view(kind) != "dumb";
}

}  // namespace diopi
