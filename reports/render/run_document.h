// A run's report as a document, for people: what Markdown and HTML show.
#ifndef REPORTS_RENDER_RUN_DOCUMENT_H_
#define REPORTS_RENDER_RUN_DOCUMENT_H_

#include <string>
#include <vector>

#include "reports/document/document.h"
#include "reports/model/report.h"
#include "reports/render/render.h"

namespace diopi::reports {

Document RunDocument(const RunReport& report, const RenderOptions& options = {});

// The parts, for documents that hold a run among other things.
Facts LibraryFacts(const RunReport& report);
Tiles FigureTiles(const RunReport& report);
Bar OutcomeBar(const RunReport& report);
Table OperatorTable(const RunReport& report);
// Says that the run is partial, and why; nothing for a complete one.
std::vector<Block> PartialNote(const RunReport& report);
// A finding a group of failures, with an example.
std::vector<Block> FailureGroupBlocks(const RunReport& report);
// Every case that did not pass for a reason of the library's or ours, below a heading an operator.
std::vector<Block> FailureBlocks(const RunReport& report);

Tone ToneOf(v1::Outcome outcome);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_RUN_DOCUMENT_H_
