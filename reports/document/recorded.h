// Sentences that a run recorded, in Chinese. They are stored in English: what a run covers, what a sandbox
// drops, why an agent is unhealthy; verdicts have findings instead (cases/findings).
// reports/web/src/texts/recorded_zh.po has their Chinese and says how its entries are read; the dashboards'
// lib/recorded.ts does the same.
#ifndef REPORTS_DOCUMENT_RECORDED_H_
#define REPORTS_DOCUMENT_RECORDED_H_

#include <string>
#include <string_view>

namespace diopi::reports {

// What fits no entry, such as a vendor's own message, stays as it is. Thread-safe.
std::string RecordedInChinese(std::string_view text);

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_RECORDED_H_
