// Formatting and parsing are inverse: what the parser accepts is what the writer writes, and everything else
// is damage. A file may be hostile, so sizes are multiplied with overflow checks, places must lie in the
// file, and the tensors of a case, which are read together, cannot claim more bytes than the file has.
#include "baselines/store/index.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "cases/base/status_macros.h"
#include "cases/base/tensor.h"
#include "cases/fill/fill.h"

namespace diopi::baselines {
namespace {

constexpr size_t kMaxRank = 32;                   // HDF5's own limit
constexpr int64_t kMaxExtent = int64_t{1} << 48;  // bytes; more than any machine has

std::array<std::pair<const char*, std::string Provenance::*>, 6> ProvenanceFields() {
  return {{{"reference", &Provenance::reference},
           {"library", &Provenance::library},
           {"library_hash", &Provenance::library_hash},
           {"device", &Provenance::device},
           {"versions", &Provenance::versions},
           {"created", &Provenance::created}}};
}

std::array<std::pair<const char*, std::string DeviceProvenance::*>, 5> DeviceFields() {
  return {{{"device_reference_vendor", &DeviceProvenance::vendor},
           {"device_reference_version", &DeviceProvenance::version},
           {"device_reference_sha256", &DeviceProvenance::sha256},
           {"device_reference_contracts", &DeviceProvenance::contracts},
           {"device_reference_created", &DeviceProvenance::created}}};
}

std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  return text;
}

absl::Status DamagedIndex(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("damaged index: ", what));
}

std::string PieceText(const Piece& piece) {
  return absl::StrCat(piece.offset, " ", piece.nbytes, " ", piece.checksum);
}

absl::Status CheckVersions(absl::string_view line) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  int64_t format = 0;
  int64_t generator = 0;
  if (words.size() != 3 || words[0] != "diopi-baselines" || !absl::SimpleAtoi(words[1], &format) ||
      !absl::SimpleAtoi(words[2], &generator)) {
    return DamagedIndex("its first line");
  }
  if (format != kStoreFormatVersion) {
    return absl::FailedPreconditionError(absl::StrCat("written in format version ", format,
                                                      ", this program reads ", kStoreFormatVersion,
                                                      "; generate the baselines again"));
  }
  if (generator != static_cast<int64_t>(kGeneratorVersion)) {
    return absl::FailedPreconditionError(absl::StrCat("made with generator version ", generator,
                                                      ", this program has ", kGeneratorVersion,
                                                      "; generate the baselines again"));
  }
  return absl::OkStatus();
}

// A tensor without elements has no bytes that bound its other sizes, and strides are products of sizes, so
// their product must stay far below 2^63 too.
bool ParseShape(absl::string_view text, Dtype dtype, uint64_t nbytes, std::vector<int64_t>* shape) {
  int64_t extent = ElementSize(dtype);  // as if no size were zero
  if (extent == 0) return false;
  bool empty = false;
  if (text != "-") {
    for (const absl::string_view part : absl::StrSplit(text, 'x')) {
      int64_t size = 0;
      if (!absl::SimpleAtoi(part, &size) || size < 0 || shape->size() == kMaxRank) return false;
      if (__builtin_mul_overflow(extent, std::max<int64_t>(size, 1), &extent) || extent > kMaxExtent)
        return false;
      empty |= size == 0;
      shape->push_back(size);
    }
  }
  return (empty ? 0 : static_cast<uint64_t>(extent)) == nbytes;
}

// Three words: offset, bytes, checksum.
absl::Status ParsePiece(absl::Span<const absl::string_view> words, const std::string& what,
                        uint64_t file_size, Piece* piece) {
  if (!absl::SimpleAtoi(words[0], &piece->offset) || !absl::SimpleAtoi(words[1], &piece->nbytes)) {
    return DamagedIndex(absl::StrCat("place of ", what));
  }
  if (piece->nbytes > file_size || piece->offset > file_size - piece->nbytes) {
    return absl::DataLossError(absl::StrCat(what, " lies outside the file: offset ", piece->offset, ", ",
                                            piece->nbytes, " bytes, in a file of ", file_size));
  }
  piece->checksum = std::string(words[2]);
  return absl::OkStatus();
}

absl::Status ParseTensor(const std::vector<absl::string_view>& words, uint64_t file_size,
                         TensorEntry* entry) {
  entry->output = words[0] == "out";
  entry->key = std::string(words[1]);
  const absl::StatusOr<Dtype> dtype = ParseDtype(std::string_view(words[2].data(), words[2].size()));
  if (!dtype.ok()) return DamagedIndex(absl::StrCat("dtype of ", entry->key));
  entry->dtype = *dtype;
  RETURN_IF_ERROR(ParsePiece(absl::MakeSpan(words).subspan(4), absl::StrCat("tensor ", entry->key), file_size,
                             &entry->piece));
  if (!ParseShape(words[3], entry->dtype, entry->piece.nbytes, &entry->shape)) {
    return DamagedIndex(absl::StrCat("shape of ", entry->key));
  }
  return absl::OkStatus();
}

// `left`: bytes that the tensors of the last case may still claim. They are read together: several may be the
// same bytes of the file, but no case may have more than the file.
absl::Status ParseLine(absl::string_view line, uint64_t file_size, Index* index, uint64_t* left) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  if (words[0] == "operator" && words.size() == 2) {
    index->operator_name = std::string(words[1]);
  } else if (words[0] == "provenance" && words.size() >= 2) {
    const std::string value(line.substr(std::min(line.size(), 12 + words[1].size())));
    for (const auto& [name, field] : ProvenanceFields()) {
      if (words[1] == name) index->provenance.*field = value;
    }
    for (const auto& [name, field] : DeviceFields()) {
      if (words[1] == name) index->provenance.device_reference.*field = value;
    }
  } else if (words[0] == "case" && words.size() == 6) {
    *left = file_size;
    CaseEntry& c = index->cases.emplace_back();
    c.id = std::string(words[1]);
    c.hash = std::string(words[2]);
    return ParsePiece(absl::MakeSpan(words).subspan(3), absl::StrCat("case ", c.id), file_size, &c.json);
  } else if (words[0] == "quarantined" && words.size() >= 2 && !index->cases.empty()) {
    index->cases.back().quarantined = std::string(line.substr(words[0].size() + 1));
  } else if ((words[0] == "in" || words[0] == "out") && words.size() == 7 && !index->cases.empty()) {
    CaseEntry& c = index->cases.back();
    TensorEntry& tensor = c.tensors.emplace_back();
    RETURN_IF_ERROR(ParseTensor(words, file_size, &tensor));
    if (tensor.piece.nbytes > *left) {
      return absl::DataLossError(
          absl::StrCat("case ", c.id, " claims more bytes than the file has, which are ", file_size));
    }
    *left -= tensor.piece.nbytes;
  } else {
    return DamagedIndex(absl::StrCat("unknown line '", line.substr(0, 60), "'"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string FormatIndex(const Index& index) {
  std::string text = absl::StrCat("diopi-baselines ", kStoreFormatVersion, " ", kGeneratorVersion,
                                  "\noperator ", index.operator_name, "\n");
  for (const auto& [name, field] : ProvenanceFields()) {
    absl::StrAppend(&text, "provenance ", name, " ", OneLine(index.provenance.*field), "\n");
  }
  for (const auto& [name, field] : DeviceFields()) {
    const std::string& value = index.provenance.device_reference.*field;
    if (!value.empty()) absl::StrAppend(&text, "provenance ", name, " ", OneLine(value), "\n");
  }
  for (const CaseEntry& c : index.cases) {
    absl::StrAppend(&text, "case ", c.id, " ", c.hash, " ", PieceText(c.json), "\n");
    if (!c.quarantined.empty()) absl::StrAppend(&text, "quarantined ", OneLine(c.quarantined), "\n");
    for (const TensorEntry& t : c.tensors) {
      const std::string shape = t.shape.empty() ? "-" : absl::StrJoin(t.shape, "x");
      const std::string_view name = DtypeName(t.dtype);
      absl::StrAppend(&text, t.output ? "out " : "in ", t.key, " ",
                      absl::string_view(name.data(), name.size()), " ", shape, " ", PieceText(t.piece), "\n");
    }
  }
  return absl::StrCat(text, "end\n");
}

absl::StatusOr<Index> ParseIndex(std::string_view text, uint64_t file_size) {
  Index index;
  std::vector<absl::string_view> lines = absl::StrSplit(absl::string_view(text.data(), text.size()), '\n');
  RETURN_IF_ERROR(CheckVersions(lines[0]));
  if (lines.size() < 3 || !lines.back().empty() || lines[lines.size() - 2] != "end") {
    return DamagedIndex("no end");
  }
  uint64_t left = file_size;
  for (size_t i = 1; i + 2 < lines.size(); ++i) {
    RETURN_IF_ERROR(ParseLine(lines[i], file_size, &index, &left));
  }
  return index;
}

std::string FormatFooter(const Piece& index) {
  std::string text = absl::StrCat("\ndiopi-baselines-index ", PieceText(index));
  text.resize(kFooterBytes - 1, ' ');
  return text + "\n";
}

bool ParseFooter(std::string_view text, Piece* index) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(absl::string_view(text.data(), text.size()), absl::ByAnyChar(" \n"), absl::SkipEmpty());
  if (words.size() != 4 || words[0] != "diopi-baselines-index" ||
      !absl::SimpleAtoi(words[1], &index->offset) || !absl::SimpleAtoi(words[2], &index->nbytes)) {
    return false;
  }
  index->checksum = std::string(words[3]);
  return FormatFooter(*index) == text;
}

bool IsStorableName(std::string_view name) {
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '/' || c == '\x7f'; };
  return !name.empty() && name != "." && name != ".." && std::none_of(name.begin(), name.end(), bad);
}

}  // namespace diopi::baselines
