// Makes findings: Found(v1::Finding::WRONG_SHAPE).Got("(2, 3)").Expected("(3, 2)"). Each code's text in
// en.txt shows which fields it has.
#ifndef CASES_FINDINGS_FINDING_H_
#define CASES_FINDINGS_FINDING_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "diopi/v1/finding.pb.h"

namespace diopi {

// Where a flat row-major index lies in a tensor of this shape.
inline std::vector<int64_t> PlaceAt(const std::vector<int64_t>& shape, int64_t index) {
  std::vector<int64_t> place(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t size = std::max<int64_t>(shape[d], 1);
    place[d] = index % size;
    index /= size;
  }
  return place;
}

class Found {
 public:
  explicit Found(v1::Finding::Code code) { finding_.set_code(code); }

  Found&& Name(std::string name) && {
    finding_.set_name(std::move(name));
    return std::move(*this);
  }
  Found&& Count(int64_t count) && {
    finding_.set_count(count);
    return std::move(*this);
  }
  Found&& Of(int64_t of) && {
    finding_.set_of(of);
    return std::move(*this);
  }
  Found&& Place(const std::vector<int64_t>& place) && {
    finding_.mutable_place()->mutable_at()->Add(place.begin(), place.end());
    return std::move(*this);
  }
  Found&& Index(int64_t index) && {
    finding_.set_index(index);
    return std::move(*this);
  }
  Found&& Got(std::string got) && {
    finding_.set_got(std::move(got));
    return std::move(*this);
  }
  Found&& Expected(std::string expected) && {
    finding_.set_expected(std::move(expected));
    return std::move(*this);
  }
  Found&& Limit(std::string limit) && {
    finding_.set_limit(std::move(limit));
    return std::move(*this);
  }
  Found&& Off(std::string off) && {
    finding_.set_off(std::move(off));
    return std::move(*this);
  }
  Found&& Word(std::string word) && {
    finding_.set_word(std::move(word));
    return std::move(*this);
  }
  Found&& Exact(bool exact) && {
    finding_.set_exact(exact);
    return std::move(*this);
  }
  // Must be UTF-8.
  Found&& Said(std::string said) && {
    finding_.set_said(std::move(said));
    return std::move(*this);
  }
  Found&& Part(v1::Finding part) && {
    *finding_.add_parts() = std::move(part);
    return std::move(*this);
  }
  template <typename Findings>
  Found&& Parts(const Findings& parts) && {
    for (const v1::Finding& part : parts) *finding_.add_parts() = part;
    return std::move(*this);
  }

  operator v1::Finding() && { return std::move(finding_); }  // NOLINT: what it is for

 private:
  v1::Finding finding_;
};

}  // namespace diopi

#endif  // CASES_FINDINGS_FINDING_H_
