// The machine's name, for run records and agents' names.
#ifndef CASES_BASE_HOST_NAME_H_
#define CASES_BASE_HOST_NAME_H_

#include <unistd.h>

#include <string>

namespace diopi {

// "unknown" when the machine has no name.
inline std::string HostName() {
  std::string name(256, '\0');
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  name.resize(name.find('\0'));
  return name;
}

}  // namespace diopi

#endif  // CASES_BASE_HOST_NAME_H_
