// Nothing here is measured by this suite: each figure is shown with the source that the lab gave, and a
// missing one as "not submitted". Only energy efficiency is computed, from two submitted figures, and says
// so.
#include "reports/evaluation/specification.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reports/evaluation/figures.h"
#include "reports/render/machine.h"

namespace diopi::reports {
namespace {

Text Number(double value) {
  return {absl::StrFormat("%.6g", value)};
}

std::string Bandwidth(const v1::InterconnectSpec& link) {
  return absl::StrFormat("%.6g%s%s", link.bandwidth_gb_s(), link.direction().empty() ? "" : ", ",
                         link.direction());
}

Table ComputeTable(const v1::ChipSpec& spec, const Translator& t) {
  Table table{{{t("Dtype")}, {t("Peak, 10^12 op/s"), true}, {t("Sparsity")}, {t("Source")}, {t("Note")}},
              {},
              t("Not measured: none submitted.")};
  for (const v1::ComputeSpec& compute : spec.compute()) {
    table.rows.push_back({{compute.dtype(), Tone::kPlain, true},
                          Number(compute.tera_ops()),
                          {compute.sparse() ? t("structured") : t("none")},
                          {compute.source()},
                          {compute.note()}});
  }
  return table;
}

Table MemoryTable(const v1::ChipSpec& spec, const Translator& t) {
  Table table{
      {{t("What")}, {t("Capacity, GiB"), true}, {t("Bandwidth, GB/s"), true}, {t("Source")}, {t("Note")}},
      {},
      t("Not measured: none submitted.")};
  if (spec.has_memory()) {
    table.rows.push_back({{t("Memory, $0", spec.memory().type())},
                          Number(spec.memory().capacity_gib()),
                          Number(spec.memory().bandwidth_gb_s()),
                          {spec.memory().source()},
                          {spec.memory().note()}});
  }
  return table;
}

Table InterconnectTable(const v1::ChipSpec& spec, const Translator& t) {
  Table table{{{t("What")}, {t("Bandwidth, GB/s"), true}, {t("Source")}, {t("Note")}},
              {},
              t("Not measured: none submitted.")};
  for (const v1::InterconnectSpec& link : spec.interconnect())
    table.rows.push_back({{link.name()}, {Bandwidth(link)}, {link.source()}, {link.note()}});
  return table;
}

Table PowerTable(const v1::ChipSpec& spec, const Translator& t) {
  Table table{
      {{t("What")}, {t("Figure"), true}, {t("Source")}, {t("Note")}}, {}, t("Not measured: none submitted.")};
  if (!spec.has_power()) return table;
  table.rows.push_back({{t("Board limit")},
                        {t("$0 W", spec.power().board_w())},
                        {spec.power().source()},
                        {spec.power().note()}});
  for (const v1::ComputeSpec& compute : spec.compute()) {
    table.rows.push_back(
        {{absl::StrCat(compute.dtype(), compute.sparse() ? t(" (sparse)") : "")},
         {t("$0 x 10^12 op/s per W", absl::StrFormat("%.3g", compute.tera_ops() / spec.power().board_w()))},
         {t("computed from 2.1 and the board limit")},
         {""}});
  }
  return table;
}

Table NotesTable(const v1::ChipSpec& spec, const Translator& t) {
  Table table{{{t("Item")}, {t("Text")}, {t("Source")}}, {}, t("None submitted.")};
  for (const v1::SpecNote& note : spec.note())
    table.rows.push_back({{note.item()}, {note.text()}, {note.source()}});
  return table;
}

// "float16 324, float16 sparse 648": `figure` of each kind of arithmetic.
template <typename Figure>
std::string PerCompute(const v1::ChipSpec& spec, const Translator& t, Figure figure) {
  return absl::StrJoin(spec.compute(), t.Separator(), [&](std::string* out, const v1::ComputeSpec& row) {
    absl::StrAppendFormat(out, "%s%s %.3g", row.dtype(), row.sparse() ? t(" (sparse)") : "", figure(row));
  });
}

Text NotSubmitted(const Translator& t) {
  return NotMeasured(t, t("not submitted"));
}

}  // namespace

std::vector<Block> SpecificationBlocks(const std::optional<v1::ChipSpec>& spec, const Translator& t) {
  if (!spec.has_value()) {
    return {
        Note{t("Not measured: no specification was submitted. diopi-cli evaluate --spec-template prints the "
               "file to fill in."),
             Tone::kMuted}};
  }
  const auto submitted = [&t](const std::string& text) {
    return text.empty() ? NotSubmitted(t) : Text{text};
  };
  return {
      Paragraph{t("As submitted by the lab, each figure with its source. Nothing in 2.1 to 2.5 was measured "
                  "by this suite.")},
      Facts{{{t("Product"), submitted(spec->product())}, {t("Maker"), submitted(spec->maker())}}},
      Heading{3, t("Compute by dtype")},
      ComputeTable(*spec, t),
      Heading{3, t("Memory")},
      MemoryTable(*spec, t),
      Heading{3, t("Communication bandwidth")},
      InterconnectTable(*spec, t),
      Heading{3, t("Power and energy efficiency")},
      PowerTable(*spec, t),
      Heading{3, t("Further notes")},
      NotesTable(*spec, t),
  };
}

std::vector<Block> MachineBlocks(const v1::Machine& machine, const Translator& t) {
  Facts facts;
  for (auto& [name, value] : MachineRows(machine, t)) facts.rows.push_back({name, {value}});
  if (facts.rows.empty())
    return {Note{t("Not recorded: this version of the agent does not report it."), Tone::kMuted}};
  return {Paragraph{t("The machine that the library was tested on, as recorded by the agent.")},
          std::move(facts)};
}

Text ComputeFigure(const v1::ChipSpec& spec, const Translator& t) {
  if (spec.compute_size() == 0) return NotSubmitted(t);
  return {t("$0 x 10^12 op/s (submitted)",
            PerCompute(spec, t, [](const v1::ComputeSpec& row) { return row.tera_ops(); }))};
}

Text MemoryFigure(const v1::ChipSpec& spec, const Translator& t) {
  if (!spec.has_memory()) return NotSubmitted(t);
  return {t("$0 GiB, $1 GB/s (submitted)", spec.memory().capacity_gib(), spec.memory().bandwidth_gb_s())};
}

Text InterconnectFigure(const v1::ChipSpec& spec, const Translator& t) {
  if (spec.interconnect_size() == 0) return NotSubmitted(t);
  return {t("$0 GB/s (submitted)", absl::StrJoin(spec.interconnect(), t.Separator(),
                                                 [](std::string* out, const v1::InterconnectSpec& link) {
                                                   absl::StrAppendFormat(out, "%s %.6g", link.name(),
                                                                         link.bandwidth_gb_s());
                                                 }))};
}

Text EfficiencyFigure(const v1::ChipSpec& spec, const Translator& t) {
  if (!spec.has_power() || spec.compute_size() == 0) return NotSubmitted(t);
  const double watts = spec.power().board_w();
  return {t("$0 x 10^12 op/s per W at $1 W (submitted)",
            PerCompute(spec, t, [watts](const v1::ComputeSpec& row) { return row.tera_ops() / watts; }),
            watts)};
}

}  // namespace diopi::reports
