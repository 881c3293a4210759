// The Chinese catalogue, embedded by the build. Private to this folder.
#ifndef REPORTS_DOCUMENT_CATALOGUE_H_
#define REPORTS_DOCUMENT_CATALOGUE_H_

#include <string>
#include <utility>
#include <vector>

namespace diopi::reports {

// Translations of documents' own texts: zh.po.
const char* ChineseCatalogue();

// The entries, in their order: English, Chinese. Of a gettext file only `msgid "..."` and `msgstr "..."` on
// one line each are used, so that translators' tools edit it.
std::vector<std::pair<std::string, std::string>> ReadCatalogue(const char* po);

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_CATALOGUE_H_
