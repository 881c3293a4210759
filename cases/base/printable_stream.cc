#include "cases/base/printable_stream.h"

#include <iostream>

namespace diopi {

PrintableBuffer::~PrintableBuffer() {
  Pass(pieces_.Finish());
  sink_->pubsync();
}

bool PrintableBuffer::Write(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  return Pass(pieces_.Add(text));
}

bool PrintableBuffer::Pass(std::string_view printable) {
  const std::streamsize written =
      sink_->sputn(printable.data(), static_cast<std::streamsize>(printable.size()));
  return written == static_cast<std::streamsize>(printable.size());
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char c = traits_type::to_char_type(character);
  return Write({&c, 1}) ? character : traits_type::eof();
}

std::streamsize PrintableBuffer::xsputn(const char* data, std::streamsize size) {
  return Write({data, static_cast<size_t>(size)}) ? size : 0;
}

PrintableStreams::PrintableStreams() : out_(std::cout.rdbuf()), err_(std::cerr.rdbuf()) {
  std::cout.rdbuf(&out_);
  std::cerr.rdbuf(&err_);
}

PrintableStreams::~PrintableStreams() {
  std::cout.rdbuf(out_.sink());
  std::cerr.rdbuf(err_.sink());
}

void WriteControl(std::string_view sequence, std::ostream* out) {
  const auto* printable = dynamic_cast<PrintableBuffer*>(out->rdbuf());
  std::streambuf* sink = printable == nullptr ? out->rdbuf() : printable->sink();
  const std::streamsize written = sink->sputn(sequence.data(), static_cast<std::streamsize>(sequence.size()));
  if (written != static_cast<std::streamsize>(sequence.size())) out->setstate(std::ios::badbit);
}

}  // namespace diopi
