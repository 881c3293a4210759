// Libraries are searched breadth first, each name once, as the loader does. ld.so.conf is read instead of the
// loader's cache, whose format is glibc's own. A file of the right name that is no library for this machine
// is passed over, also as the loader does.
#include "impl_loader/library/library_search.h"

#include <glob.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace diopi::loader {
namespace {

constexpr int kDeepestInclude = 8;

std::vector<std::string> Glob(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found = {};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return paths;
}

// The folders of an ld.so.conf, `include` lines followed.
void ReadConfiguration(const std::string& path, int depth, std::vector<std::string>* folders) {
  if (depth > kDeepestInclude) return;
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    absl::string_view text = absl::string_view(line).substr(0, line.find('#'));
    text = absl::StripAsciiWhitespace(text);
    if (text.empty()) continue;
    if (absl::ConsumePrefix(&text, "include ") || absl::ConsumePrefix(&text, "include\t")) {
      std::string pattern(absl::StripAsciiWhitespace(text));
      if (pattern[0] != '/') {
        pattern = absl::StrCat(std::filesystem::path(path).parent_path().string(), "/", pattern);
      }
      for (const std::string& file : Glob(pattern)) ReadConfiguration(file, depth + 1, folders);
    } else {
      folders->emplace_back(text);
    }
  }
}

class Search {
 public:
  explicit Search(const SearchOptions& options) : after_(options.library_path) {
    ReadConfiguration(options.ld_so_conf, 0, &after_);
#if defined(__x86_64__)
    after_.insert(after_.end(), {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"});
#elif defined(__aarch64__)
    after_.insert(after_.end(), {"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu"});
#endif
    after_.insert(after_.end(), {"/lib64", "/usr/lib64", "/lib", "/usr/lib"});
  }

  // The first file of that name that is a library for this machine, with its symbols.
  std::optional<std::string> Find(const std::string& name, const std::vector<std::string>& first,
                                  ElfSymbols* symbols) const {
    std::vector<std::string> candidates;
    if (name.find('/') != std::string::npos) {
      candidates.push_back(name);
    } else {
      for (const auto* folders : {&first, &after_}) {
        for (const std::string& folder : *folders) candidates.push_back(absl::StrCat(folder, "/", name));
      }
    }
    for (std::string& candidate : candidates) {
      absl::StatusOr<ElfSymbols> read = ReadElfSymbols(candidate);
      if (!read.ok()) continue;
      *symbols = *std::move(read);
      return std::move(candidate);
    }
    return std::nullopt;
  }

 private:
  std::vector<std::string> after_;
};

void AddExported(const ElfSymbols& symbols, Dependencies* out) {
  out->exported.insert(symbols.exported.begin(), symbols.exported.end());
  out->exported.insert(symbols.exported_old.begin(), symbols.exported_old.end());
}

struct Wanted {
  std::string name;
  std::string needed_by;
  std::vector<std::string> search_path;  // of the library that needs it, then of those that need that one
};

void Enqueue(const std::string& path, const ElfSymbols& symbols, const std::vector<std::string>& above,
             std::deque<Wanted>* queue) {
  std::vector<std::string> search_path = symbols.search_path;
  search_path.insert(search_path.end(), above.begin(), above.end());
  for (const std::string& name : symbols.needed) queue->push_back({name, path, search_path});
}

void Resolve(const Search& search, std::deque<Wanted> queue, Dependencies* out) {
  std::unordered_set<std::string> seen;
  while (!queue.empty()) {
    const Wanted wanted = std::move(queue.front());
    queue.pop_front();
    if (wanted.name.rfind("libdiopirt.so", 0) == 0 || !seen.insert(wanted.name).second) {
      continue;
    }
    ElfSymbols symbols;
    std::optional<std::string> path = search.Find(wanted.name, wanted.search_path, &symbols);
    if (!path) {
      out->missing.push_back({wanted.name, wanted.needed_by});
      continue;
    }
    AddExported(symbols, out);
    Enqueue(*path, symbols, wanted.search_path, &queue);
    out->found.push_back(*std::move(path));
  }
}

}  // namespace

SearchOptions SearchOptions::FromEnvironment() {
  SearchOptions options;
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
    options.library_path = absl::StrSplit(path, absl::ByAnyChar(":;"), absl::SkipEmpty());
  }
  return options;
}

Dependencies FindDependencies(const std::string& path, const ElfSymbols& symbols,
                              const SearchOptions& options) {
  Dependencies out;
  std::deque<Wanted> queue;
  Enqueue(path, symbols, {}, &queue);
  Resolve(Search(options), std::move(queue), &out);
  return out;
}

void AddHostLibraries(const SearchOptions& options, Dependencies* dependencies) {
  const Search search(options);
  for (const char* name : {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"}) {
    ElfSymbols symbols;
    if (search.Find(name, {}, &symbols)) AddExported(symbols, dependencies);
  }
}

}  // namespace diopi::loader
