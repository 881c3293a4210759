// The section on a chip's technical specification, as the lab submitted it. Private to this folder.
#ifndef REPORTS_EVALUATION_SPECIFICATION_H_
#define REPORTS_EVALUATION_SPECIFICATION_H_

#include <optional>
#include <string>
#include <vector>

#include "diopi/v1/run.pb.h"
#include "diopi/v1/spec.pb.h"
#include "reports/document/document.h"

namespace diopi::reports {

// The content of section 2; its parts are 2.1 to 2.5.
std::vector<Block> SpecificationBlocks(const std::optional<v1::ChipSpec>& spec, const Translator& t);

// 2.6: the machine of the run.
std::vector<Block> MachineBlocks(const v1::Machine& machine, const Translator& t);

// "float16 324, float16 sparse 648 x 10^12 op/s (submitted)", and what else the indicators name.
Text ComputeFigure(const v1::ChipSpec& spec, const Translator& t);
Text MemoryFigure(const v1::ChipSpec& spec, const Translator& t);
Text InterconnectFigure(const v1::ChipSpec& spec, const Translator& t);
// Peak rate over the board's power, per kind of arithmetic.
Text EfficiencyFigure(const v1::ChipSpec& spec, const Translator& t);

}  // namespace diopi::reports

#endif  // REPORTS_EVALUATION_SPECIFICATION_H_
