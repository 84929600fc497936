#include "tools/export/file_names.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace annals::exporting {

using json = nlohmann::ordered_json;

namespace {

struct form_names {
  file_form form;
  const char* name;
  const char* suffix;
};
constexpr form_names forms[] = {
    {file_form::csv, "csv", ".csv"}, {file_form::json_lines, "jsonl", ".jsonl"}, {file_form::usage_records, "ur2", ".xml"}};

const form_names& names_of(file_form form) {
  return *std::find_if(std::begin(forms), std::end(forms), [&](const form_names& f) { return f.form == form; });
}

bool is_suffix(std::string_view text) {
  if (text.ends_with(".gz")) text.remove_suffix(3);
  return std::any_of(std::begin(forms), std::end(forms), [&](const form_names& f) { return text == f.suffix; });
}

}  // namespace

const char* name_of(file_form form) { return names_of(form).name; }

std::optional<file_form> form_named(std::string_view name) {
  const auto* found = std::find_if(std::begin(forms), std::end(forms), [&](const form_names& f) { return name == f.name; });
  return found == std::end(forms) ? std::nullopt : std::optional(found->form);
}

std::string file_of_day(const std::string& day, const file_choice& choice) {
  return day + names_of(choice.form).suffix + (choice.compressed ? ".gz" : "");
}

std::optional<std::string> day_of_file(std::string_view name) {
  constexpr std::string_view form = "dddd-dd-dd";
  if (name.size() <= form.size()) return std::nullopt;
  if (!is_suffix(name.substr(form.size()))) return std::nullopt;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == 'd' ? name[i] < '0' || name[i] > '9' : name[i] != form[i]) return std::nullopt;
  return std::string(name.substr(0, form.size()));
}

std::string print_file_position(const file_position& p) {
  json out;
  out["schema_version"] = p.version;
  out["form"] = name_of(p.choice.form);
  out["compressed"] = p.choice.compressed;
  out["sequence"] = p.at.sequence;
  out["hash"] = p.at.hash;
  out["notes"] = p.at.notes;
  out["day"] = p.day;
  out["bytes"] = json::object();
  for (const auto& [table, bytes] : p.bytes) out["bytes"][table] = bytes;
  return out.dump(1) + "\n";
}

std::optional<file_position> read_file_position(std::string_view text) {
  const auto in = json::parse(text, nullptr, false);
  if (!in.is_object()) return std::nullopt;
  const auto number = [&](const json& of, const char* name) {
    const auto at = of.find(name);
    return at != of.end() && at->is_number_unsigned() ? std::optional(at->get<std::uint64_t>()) : std::nullopt;
  };
  const auto word = [&](const char* name) {
    const auto at = in.find(name);
    return at != in.end() && at->is_string() ? std::optional(at->get<std::string>()) : std::nullopt;
  };
  const auto version = number(in, "schema_version"), sequence = number(in, "sequence");
  const auto form = word("form"), hash = word("hash"), notes = word("notes"), day = word("day");
  const auto compressed = in.find("compressed"), bytes = in.find("bytes");
  if (!version || *version > 1'000'000 || !sequence || !form || !hash || !notes || !day) return std::nullopt;
  if (compressed == in.end() || !compressed->is_boolean() || bytes == in.end() || !bytes->is_object()) return std::nullopt;
  const auto chosen = form_named(*form);
  if (!chosen) return std::nullopt;
  if (!day->empty() && day_of_file(*day + ".csv") != day) return std::nullopt;
  file_position p{static_cast<int>(*version),
                  {*chosen, compressed->get<bool>()},
                  {*sequence, *hash, *notes},
                  *day,
                  {}};
  for (const auto& [table, length] : bytes->items()) {
    if (!length.is_number_unsigned()) return std::nullopt;
    p.bytes[table] = length.get<std::uint64_t>();
  }
  return p;
}

}  // namespace annals::exporting
