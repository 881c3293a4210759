// The look of our documents: style.css, embedded by the build. Private to this folder.
#ifndef REPORTS_DOCUMENT_STYLE_H_
#define REPORTS_DOCUMENT_STYLE_H_

namespace diopi::reports {

const char* StyleSheet();

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_STYLE_H_
