// A run's report as a document for people, written as Markdown and HTML.
#ifndef REPORTS_RENDER_RUN_DOCUMENT_H_
#define REPORTS_RENDER_RUN_DOCUMENT_H_

#include <string>
#include <vector>

#include "reports/document/document.h"
#include "reports/model/report.h"
#include "reports/render/render.h"

namespace diopi::reports {

Document RunDocument(const RunReport& report, const RenderOptions& options = {});

// The parts, for documents that contain more than a run.
Facts LibraryFacts(const RunReport& report, const Translator& t = English());
Tiles FigureTiles(const RunReport& report, const Translator& t = English());
Bar OutcomeBar(const RunReport& report, const Translator& t = English());
Table OperatorTable(const RunReport& report);
// Why the run is partial, as report.partial says in English; empty for a complete run.
std::string PartialReason(const RunReport& report, const Translator& t);
// A note that the run is partial, and why; empty for a complete run.
std::vector<Block> PartialNote(const RunReport& report, const Translator& t = English());
// One finding per group of failures, with an example.
std::vector<Block> FailureGroupBlocks(const RunReport& report);
// Every case that failed through the library's fault or ours, with one heading per operator.
std::vector<Block> FailureBlocks(const RunReport& report, const Translator& t = English());

Tone ToneOf(v1::Outcome outcome);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_RUN_DOCUMENT_H_
