// What standard output and error are connected to.
#ifndef CLIENT_COMMAND_LINE_TERMINAL_H_
#define CLIENT_COMMAND_LINE_TERMINAL_H_

#include <cstddef>

namespace diopi {

// Columns for text that a person reads: those of the terminal, within reason; 100 where there is none.
size_t TextWidth(int descriptor);

// Whether colours may be written: to a terminal that shows them, unless NO_COLOR is set (no-color.org).
bool ShowsColours(int descriptor);

}  // namespace diopi

#endif  // CLIENT_COMMAND_LINE_TERMINAL_H_
