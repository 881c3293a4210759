// Sentences that a run recorded, in Chinese. They are stored in English: reasons and causes of verdicts, what
// a run covers, what a sandbox drops. reports/web/src/texts/recorded_zh.po has their Chinese and says how its
// entries are read; the dashboards' lib/recorded.ts does the same.
#ifndef REPORTS_DOCUMENT_RECORDED_H_
#define REPORTS_DOCUMENT_RECORDED_H_

#include <string>
#include <string_view>

namespace diopi::reports {

// What fits no entry, such as a vendor's own message, stays as it is. Thread-safe.
std::string RecordedInChinese(std::string_view text);

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_RECORDED_H_
