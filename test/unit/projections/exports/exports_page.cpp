// Makes docs/exports.md, or says whether it is stale (test/support/reference_page.hpp).
#include "projections/exports/tables.hpp"
#include "test/support/reference_page.hpp"

using namespace annals;

namespace {

const char* type_name(exports::column_type type) {
  switch (type) {
    case exports::column_type::integer: return "integer";
    case exports::column_type::real: return "real";
    case exports::column_type::boolean: return "boolean";
    case exports::column_type::text: return "text";
    case exports::column_type::time: return "time";
  }
  return "";
}

std::string page() {
  std::string text =
      "# Tables that pbs_export writes\n\n"
      "Made from `projections/exports/tables.cpp`; to make it again: "
      "`build/test/unit/projections/exports/exports_page --write docs/exports.md`\n\n"
      "Version " +
      std::to_string(exports::schema_version) +
      " of the tables. How to fill them, and ten questions to ask them: [howto](howto/export_accounting.md). "
      "Other formats, and who reads which: [accounting formats](howto/accounting_formats.md). "
      "Why they are as they are: [design](design/0070-exports.md).\n\n"
      "| type | SQLite | PostgreSQL | CSV | JSON lines |\n|---|---|---|---|---|\n"
      "| integer | integer | bigint | digits | number |\n"
      "| real | real | double precision | digits | number |\n"
      "| boolean | integer, 0 or 1 | boolean | true, false | true, false |\n"
      "| text | text | text | text | string |\n"
      "| time | text `2026-11-30T06:47:29.123456Z` | timestamp with time zone | as SQLite | as SQLite |\n\n"
      "Times are UTC. What is not known, or does not apply, is null: in CSV nothing between two commas, while an empty text is `\"\"`. "
      "Texts are "
      "UTF-8 without NUL; a byte that is none stands there as U+FFFD. A text in a key that is longer than 800 bytes is cut, and its "
      "SHA-256 put "
      "behind. **Bold** columns are the key of the table.\n\n"
      "In a database a row shows what was true after the record that its `sequence` names, and changes with later ones. In files a row is "
      "written "
      "when no later record can change it: a job when it has ended, a run when it is over. Only a resource that was defined otherwise or "
      "deleted has "
      "a second row there, with the same key.\n\n"
      "`pbs_report` makes reports of `runs`, `phases` and `run_resources`: how much users, projects, queues and others used, and what it "
      "costs ([howto](howto/report_use.md)). Sums of one's own agree with them when a run counts where its `closed_at` is, cores are "
      "`used_ncpus` times `used_walltime_s` of the run's rows in `phases`, or where it has none of the run, and other resources are "
      "the list `phase_asked`, or `asked`, times the same `used_walltime_s`.\n";
  for (const auto& t : exports::tables()) {
    text += "\n## " + std::string(t.name) + "\n\n" + t.meaning + "\n\n| column | type | unit | meaning |\n|---|---|---|---|\n";
    for (std::size_t i = 0; i < t.columns.size(); ++i) {
      const auto& c = t.columns[i];
      const std::string mark = i < t.key ? "**" : "";
      text += "| " + mark + c.name + mark + " | " + type_name(c.type) + " | " + c.unit + " | " + c.meaning + " |\n";
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) { return test::write_or_compare(page(), argc, argv); }
