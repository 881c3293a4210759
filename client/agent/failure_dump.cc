// Limits on cases and bytes hold before anything is written, and case.txt names what they left out. Ids and
// keys become file names with letters, digits, '.', '_' and '-' only, so no id can lead out of the folder. A
// full disk is reported once and never fails the run.
#include "client/agent/failure_dump.h"

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/dtype.h"
#include "cases/base/outcome.h"
#include "client/profile/match.h"

namespace diopi::agent {
namespace {

using D = v1::Dtype;

// A case's id or a tensor's key as part of a file's name.
std::string FileName(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-') c = '_';
  }
  return name;
}

const char* NumpyType(Dtype dtype) {
  switch (dtype) {
    case D::int8:
      return "|i1";
    case D::uint8:
      return "|u1";
    case D::bool_:
      return "|b1";
    case D::int16:
      return "<i2";
    case D::uint16:
    case D::bfloat16:
      return "<u2";
    case D::int32:
      return "<i4";
    case D::uint32:
      return "<u4";
    case D::int64:
      return "<i8";
    case D::uint64:
      return "<u8";
    case D::float16:
      return "<f2";
    case D::float32:
      return "<f4";
    case D::float64:
      return "<f8";
    case D::complex64:
      return "<c8";
    case D::complex128:
      return "<c16";
    default:
      return nullptr;
  }
}

std::string SpecText(const v1::TensorSpec& spec) {
  std::string text =
      absl::StrCat(std::string(DtypeName(spec.dtype())), " (", absl::StrJoin(spec.shape(), ", "), ")");
  if (!spec.strides().empty()) absl::StrAppend(&text, " strides (", absl::StrJoin(spec.strides(), ", "), ")");
  if (spec.storage_offset() != 0) absl::StrAppend(&text, " offset ", spec.storage_offset());
  return text;
}

std::string ArgumentLines(const v1::Argument& arg) {
  const char* role = arg.role() == v1::ROLE_OUTPUT           ? "out  "
                     : arg.role() == v1::ROLE_INOUT          ? "inout"
                     : arg.role() == v1::ROLE_LIBRARY_OUTPUT ? "lib  "
                     : arg.role() == v1::ROLE_INPUT          ? "in   "
                                                             : "attr ";
  if (arg.has_tensor()) return absl::StrCat(role, " ", arg.name(), ": ", SpecText(arg.tensor()), "\n");
  std::string lines;
  for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
    absl::StrAppend(&lines, role, " ", arg.name(), ".", i, ": ", SpecText(arg.tensors().tensors(i)), "\n");
  }
  if (arg.has_tensors()) return lines;
  const std::string value = profile::ValueText(arg);
  return absl::StrCat(role, " ", arg.name(), ": ", value.empty() ? "-" : value, "\n");
}

std::string CaseText(const v1::Case& c, const v1::Verdict& verdict) {
  std::string text =
      absl::StrCat("case     ", c.id(), "\nhash     ", c.hash(), "\nfunction ", c.function(), "\noutcome  ",
                   OutcomeName(verdict.outcome()), "\nreason   ", verdict.reason(), "\n");
  if (!verdict.error_text().empty()) absl::StrAppend(&text, "error    ", verdict.error_text(), "\n");
  if (!verdict.backtrace().empty()) absl::StrAppend(&text, verdict.backtrace(), "\n");
  for (const v1::Argument& arg : c.args()) absl::StrAppend(&text, ArgumentLines(arg));
  return text;
}

bool Write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  return static_cast<bool>(file);
}

struct Named {
  const char* kind;
  const TensorMap* tensors;
};

}  // namespace

std::string NpyBytes(const HostTensor& tensor) {
  constexpr size_t kAlignment = 64;
  const char* type = NumpyType(tensor.dtype);
  std::string shape = absl::StrJoin(tensor.shape, ", ");
  if (tensor.shape.size() == 1) shape += ",";
  std::string header = absl::StrCat("{'descr': '", type == nullptr ? "|V1" : type,
                                    "', 'fortran_order': False, 'shape': (", shape, "), }");
  constexpr size_t kPreamble = 10;
  while ((kPreamble + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + tensor.data;
}

bool FailureDump::Takes(const v1::Verdict& verdict) const {
  return options_.level >= 2 && IsFailure(verdict.outcome());
}

void FailureDump::Add(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                      const TensorMap& actual, const v1::Verdict& verdict) {
  if (options_.level <= 0 || !IsFailure(verdict.outcome())) return;
  const std::lock_guard lock(mutex_);
  if (written_ >= options_.max_cases) {
    ++left_out_;
    return;
  }
  const std::filesystem::path folder = std::filesystem::path(options_.folder) / FileName(c.id());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::string text = CaseText(c, verdict);
  bool good = !error;
  int64_t left = options_.max_bytes;
  for (const Named& named :
       {Named{"input", &inputs}, Named{"actual", &actual}, Named{"reference", &references}}) {
    for (const auto& [key, tensor] : *named.tensors) {
      if (options_.level < 2 || NumpyType(tensor.dtype) == nullptr) continue;
      left -= static_cast<int64_t>(tensor.data.size());
      const std::string name = FileName(absl::StrCat(named.kind, ".", key, ".npy"));
      absl::StrAppend(&text, left < 0 ? "left out (too large): " : "values ", name, "\n");
      if (left >= 0) good = good && Write(folder / name, NpyBytes(tensor));
    }
  }
  good = good && Write(folder / "case.txt", text);
  if (good) ++written_;
  if (good || reported_) return;
  reported_ = true;
  std::fprintf(stderr, "diopi-agent: %s: cannot be written: the values of failed cases are lost\n",
               folder.c_str());
}

int FailureDump::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

int FailureDump::left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

}  // namespace diopi::agent
