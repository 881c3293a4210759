// The machine that a library was tested on, in words.
#ifndef REPORTS_RENDER_MACHINE_H_
#define REPORTS_RENDER_MACHINE_H_

#include <string>
#include <utility>
#include <vector>

#include "diopi/v1/run.pb.h"
#include "reports/document/document.h"
#include "reports/document/language.h"

namespace diopi::reports {

// Names and values: system, kernel, processor, memory, GPUs; what the agent did not say is left out.
std::vector<std::pair<std::string, std::string>> MachineRows(const v1::Machine& machine, const Translator& t);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_MACHINE_H_
