// The Chinese catalogue: zh.po, embedded by the build. Private to this folder.
#ifndef REPORTS_DOCUMENT_ZH_H_
#define REPORTS_DOCUMENT_ZH_H_

namespace diopi::reports {

const char* ChineseCatalogue();

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_ZH_H_
