#include "client/rpc/lease_assembler.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/hash.h"
#include "cases/base/status_macros.h"
#include "cases/fill/fill.h"

namespace diopi::rpc {
namespace {

v1::LeaseMessage Header(int cases) {
  v1::LeaseMessage message;
  message.mutable_header()->set_lease_id("L1");
  message.mutable_header()->set_cases(cases);
  return message;
}

v1::LeaseMessage Start(const std::string& id, int inputs, int references) {
  v1::LeaseMessage message;
  auto* start = message.mutable_case_start();
  start->mutable_case_()->set_id(id);
  start->set_inputs(inputs);
  start->set_references(references);
  return message;
}

v1::TensorChunk Chunk(const std::string& key, int64_t elements, int64_t offset, const std::string& data) {
  v1::TensorChunk chunk;
  chunk.set_key(key);
  chunk.set_dtype(v1::Dtype::uint8);
  chunk.add_shape(elements);
  chunk.set_offset(offset);
  chunk.set_total_bytes(elements);
  chunk.set_data(data);
  return chunk;
}

v1::LeaseMessage Input(const v1::TensorChunk& chunk) {
  v1::LeaseMessage message;
  *message.mutable_input() = chunk;
  return message;
}

v1::LeaseMessage Reference(const v1::TensorChunk& chunk) {
  v1::LeaseMessage message;
  *message.mutable_reference() = chunk;
  return message;
}

v1::LeaseMessage End() {
  v1::LeaseMessage message;
  message.set_case_end(true);
  return message;
}

absl::Status Feed(std::vector<v1::LeaseMessage> messages, std::vector<LeasedCase>* cases) {
  LeaseAssembler assembler([cases](LeasedCase leased) {
    cases->push_back(std::move(leased));
    return absl::OkStatus();
  });
  for (v1::LeaseMessage& message : messages) {
    RETURN_IF_ERROR(assembler.Add(&message));
  }
  return assembler.Finish();
}

TEST(LeaseAssembler, PutsChunksTogether) {
  std::vector<LeasedCase> cases;
  ASSERT_TRUE(Feed({Header(2), Start("a.x", 2, 1), Input(Chunk("input", 5, 0, "ab")),
                    Input(Chunk("input", 5, 2, "cde")), Input(Chunk("empty", 0, 0, "")),
                    Reference(Chunk("out", 2, 0, "yz")), End(), Start("a.y", 0, 0), End()},
                   &cases)
                  .ok());
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].lease_id, "L1");
  EXPECT_EQ(cases[0].c.id(), "a.x");
  EXPECT_EQ(cases[0].inputs.at("input").data, "abcde");
  EXPECT_EQ(cases[0].inputs.at("input").shape, std::vector<int64_t>{5});
  EXPECT_EQ(cases[0].inputs.at("empty").data, "");
  EXPECT_EQ(cases[0].references.at("out").data, "yz");
  EXPECT_EQ(TensorBytes(cases[0]), 7);
  EXPECT_TRUE(cases[1].inputs.empty());
}

TEST(LeaseAssembler, RefusesBrokenStreams) {
  struct Row {
    const char* name;
    std::vector<v1::LeaseMessage> messages;
    const char* text;
  };
  const v1::TensorChunk half = Chunk("input", 4, 0, "ab");
  const std::vector<Row> rows = {
      {"not a header", {Start("a", 0, 0)}, "first message"},
      {"nothing", {}, "before its header"},
      {"two headers", {Header(0), Header(0)}, "second header"},
      {"gap", {Header(1), Start("a", 1, 0), Input(half), Input(Chunk("input", 4, 3, "d"))}, "at byte 3"},
      {"late start", {Header(1), Start("a", 1, 0), Input(Chunk("input", 4, 2, "cd"))}, "first byte"},
      {"too long",
       {Header(1), Start("a", 1, 0), Input(half), Input(Chunk("input", 4, 2, "cde"))},
       "more bytes"},
      {"other key",
       {Header(1), Start("a", 2, 0), Input(half), Input(Chunk("other", 4, 0, "abcd"))},
       "continues with a chunk"},
      {"incomplete", {Header(1), Start("a", 1, 0), Input(half), End()}, "incomplete"},
      {"missing tensor", {Header(1), Start("a", 1, 0), End()}, "instead of 1 and 0"},
      {"cut", {Header(1), Start("a", 0, 0)}, "inside the case"},
      {"fewer cases", {Header(2), Start("a", 0, 0), End()}, "1 cases instead of 2"},
      {"tensor outside", {Header(0), Input(half)}, "outside a case"},
      {"wrong total",
       {Header(1), Start("a", 1, 0), Input([] {
          v1::TensorChunk chunk = Chunk("input", 4, 0, "abcd");
          chunk.set_total_bytes(5);
          return chunk;
        }())},
       "5 bytes instead of 4"},
      {"a shape beyond any memory",
       {Header(1), Start("a", 1, 0), Input([] {
          v1::TensorChunk chunk = Chunk("input", 4, 0, "abcd");
          for (int i = 0; i < 4; ++i) chunk.add_shape(int64_t{1} << 40);
          return chunk;
        }())},
       "cannot have the shape"},
      {"a negative size",
       {Header(1), Start("a", 1, 0), Input([] {
          v1::TensorChunk chunk = Chunk("input", 4, 0, "abcd");
          chunk.add_shape(-1);
          return chunk;
        }())},
       "cannot have the shape"},
  };
  for (const Row& row : rows) {
    std::vector<LeasedCase> cases;
    const absl::Status status = Feed(row.messages, &cases);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << row.name;
    EXPECT_NE(std::string(status.message()).find(row.text), std::string::npos) << row.name << ": " << status;
  }
}

TEST(LeaseAssembler, ConsumersErrorEndsTheLease) {
  LeaseAssembler assembler([](const LeasedCase&) { return absl::CancelledError("enough"); });
  for (v1::LeaseMessage message : {Header(1), Start("a", 0, 0)}) ASSERT_TRUE(assembler.Add(&message).ok());
  v1::LeaseMessage end = End();
  EXPECT_EQ(assembler.Add(&end).code(), absl::StatusCode::kCancelled);
}

v1::TensorInfo* Announce(v1::LeaseMessage* start, const std::string& key, const HostTensor& tensor,
                         v1::TensorInfo::How how) {
  v1::TensorInfo* info = start->mutable_case_start()->add_tensors();
  info->set_key(key);
  info->set_dtype(tensor.dtype);
  *info->mutable_shape() = {tensor.shape.begin(), tensor.shape.end()};
  info->set_bytes(static_cast<int64_t>(tensor.data.size()));
  info->set_xxh64(Xxh64(tensor.data));
  info->set_how(how);
  return info;
}

// A case with a generated input, announced as a recipe.
v1::LeaseMessage RecipeStart() {
  v1::LeaseMessage start = Start("add.x", 1, 0);
  v1::Case& c = *start.mutable_case_start()->mutable_case_();
  c.set_operator_("add");
  c.set_label("x");
  c.set_dtype(v1::Dtype::float32);
  v1::Argument& arg = *c.add_args();
  arg.set_name("input");
  arg.set_role(v1::ROLE_INPUT);
  arg.mutable_tensor()->set_dtype(v1::Dtype::float32);
  for (const int64_t size : {3, 5}) arg.mutable_tensor()->add_shape(size);
  for (const int64_t stride : {5, 1}) arg.mutable_tensor()->add_strides(stride);
  arg.mutable_tensor()->set_storage_elements(15);
  Announce(&start, "input", FillInputs(c)->at("input"), v1::TensorInfo::RECIPE);
  return start;
}

TEST(LeaseAssembler, GeneratesInputsAndProvesThatTheyAreTheServers) {
  const v1::LeaseMessage start = RecipeStart();
  std::vector<LeasedCase> cases;
  ASSERT_TRUE(Feed({Header(1), start, End()}, &cases).ok());
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].unavailable, "");
  EXPECT_EQ(cases[0].inputs.at("input").data, FillInputs(start.case_start().case_())->at("input").data);
}

TEST(LeaseAssembler, AnInputThatComesOutOtherwiseIsNoFaultOfTheChips) {
  struct Row {
    const char* name;
    std::function<void(v1::TensorInfo*)> change;
    const char* text;
  };
  for (const Row& row : std::vector<Row>{
           {"values", [](v1::TensorInfo* info) { info->set_xxh64(info->xxh64() ^ 1); }, "has checksum"},
           {"shape", [](v1::TensorInfo* info) { info->set_shape(0, 4); }, "has checksum"},
           {"key", [](v1::TensorInfo* info) { info->set_key("other"); }, "is not among the case's"}}) {
    SCOPED_TRACE(row.name);
    v1::LeaseMessage start = RecipeStart();
    row.change(start.mutable_case_start()->mutable_tensors(0));
    std::vector<LeasedCase> cases;
    ASSERT_TRUE(Feed({Header(1), start, End()}, &cases).ok());
    ASSERT_EQ(cases.size(), 1u);
    EXPECT_NE(cases[0].unavailable.find(row.text), std::string::npos) << cases[0].unavailable;
    EXPECT_NE(cases[0].unavailable.find(start.case_start().tensors(0).key()), std::string::npos);
    // Both versions: this assembler does not know the server's, so it is 0.
    EXPECT_NE(cases[0].unavailable.find(absl::StrCat("(generator version ", kGeneratorVersion, ")")),
              std::string::npos);
    EXPECT_NE(cases[0].unavailable.find("(generator version 0)"), std::string::npos);
    EXPECT_TRUE(cases[0].inputs.empty());
  }
}

TEST(LeaseAssembler, WhatIsNotAsAnnouncedOrDamagedIsUnavailable) {
  const HostTensor tensor{v1::Dtype::uint8, {4}, "abcd"};
  v1::LeaseMessage start = Start("a.x", 0, 1);
  Announce(&start, "out", tensor, v1::TensorInfo::BYTES)->set_reference(true);
  v1::LeaseMessage damaged;
  damaged.set_damaged("the disk forgot");
  std::vector<LeasedCase> cases;
  ASSERT_TRUE(Feed({Header(3), start, Reference(Chunk("out", 4, 0, "abcd")), End(), start,
                    Reference(Chunk("out", 4, 0, "abXd")), End(), start, Reference(Chunk("out", 4, 0, "ab")),
                    damaged},
                   &cases)
                  .ok());
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(cases[0].unavailable, "");
  EXPECT_EQ(cases[0].references.at("out").data, "abcd");
  EXPECT_NE(cases[1].unavailable.find("tensor out arrived with checksum"), std::string::npos);
  EXPECT_EQ(cases[2].unavailable, "the disk forgot");
  EXPECT_TRUE(cases[1].references.empty() && cases[2].references.empty());
  const absl::Status other = Feed({Header(1), start, Reference(Chunk("out", 3, 0, "abc"))}, &cases);
  EXPECT_EQ(other.code(), absl::StatusCode::kDataLoss);
}

TEST(LeaseAssembler, FetchesWhatWasOnlyAnnouncedAndGoesOnAfterABreak) {
  const HostTensor one{v1::Dtype::uint8, {4}, "abcd"};
  const HostTensor two{v1::Dtype::uint8, {3}, "xyz"};
  v1::LeaseMessage first = Start("a.x", 0, 2);
  Announce(&first, "one", one, v1::TensorInfo::ON_REQUEST)->set_reference(true);
  Announce(&first, "two", two, v1::TensorInfo::ON_REQUEST)->set_reference(true);
  std::vector<LeasedCase> cases;
  LeaseAssembler assembler([&cases](LeasedCase leased) {
    cases.push_back(std::move(leased));
    return absl::OkStatus();
  });
  for (v1::LeaseMessage message : {Header(2), first, End(), Start("a.y", 0, 0), End()}) {
    ASSERT_TRUE(assembler.Add(&message).ok());
  }
  ASSERT_TRUE(assembler.Finish().ok());
  EXPECT_EQ(cases.size(), 1u);  // the case that needs nothing
  ASSERT_EQ(assembler.StartFetch().size(), 1u);
  for (v1::LeaseMessage message :
       {Reference(Chunk("one", 4, 0, "abcd")), Reference(Chunk("two", 3, 0, "x"))}) {
    ASSERT_TRUE(assembler.Add(&message).ok());
  }
  EXPECT_FALSE(assembler.FinishFetch().ok());
  const auto again = assembler.StartFetch();
  ASSERT_EQ(again.size(), 1u);
  ASSERT_EQ(again[0].tensors_size(), 1);
  EXPECT_EQ(again[0].tensors(0).key(), "two");
  for (v1::LeaseMessage message : {Reference(Chunk("two", 3, 0, "xyz")), End()}) {
    ASSERT_TRUE(assembler.Add(&message).ok());
  }
  EXPECT_TRUE(assembler.FinishFetch().ok());
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[1].references.at("one").data, "abcd");
  EXPECT_EQ(cases[1].references.at("two").data, "xyz");
}

}  // namespace
}  // namespace diopi::rpc
