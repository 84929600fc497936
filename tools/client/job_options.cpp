#include "tools/client/job_options.hpp"

#include <algorithm>

#include "events/values/date_time.hpp"
#include "events/values/hold_set.hpp"
#include "events/values/job_texts.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"
#include "tools/client/option_values.hpp"

namespace annals::client {

namespace {

// Letters whose value is an attribute's value as it stands.
struct letter_attribute {
  char letter;
  const char* attribute;
};
constexpr letter_attribute letter_attributes[] = {
    {'N', "Job_Name"},
    {'A', "Account_Name"},
    {'c', "Checkpoint"},
    {'e', "Error_Path"},
    {'a', "Execution_Time"},
    {'h', "Hold_Types"},
    {'j', "Join_Path"},
    {'k', "Keep_Files"},
    {'m', "Mail_Points"},
    {'M', "Mail_Users"},
    {'o', "Output_Path"},
    {'p', "Priority"},
    {'R', "Remove_Files"},
    {'r', "Rerunable"},
    {'S', "Shell_Path_List"},
    {'u', "User_List"},
    {'P', "project"},
};

char letter_of(std::string_view attribute) {
  for (const auto& row : letter_attributes)
    if (values::equal_any_case(row.attribute, attribute)) return row.letter;
  return '\0';
}

// What -W may hold for attributes that no option sets; PBS's own commands check these.
bool good_other(asker who, const assignment& a) {
  const auto is = [&](const char* name) { return values::equal_any_case(a.name, name); };
  if (is("stagein") || is("stageout")) return is_staging_list(a.value);
  if (is("depend")) return is_dependency_list(a.value);
  if (is("run_count")) return is_count(a.value);
  if (is("tolerate_node_failures")) return a.value == "all" || a.value == "job_start" || a.value == "none";
  if (is("release_nodes_on_stageout")) return is_true_or_false(a.value);
  if (is("sandbox") && !a.value.empty()) return is_sandbox(a.value);
  if (who == asker::qsub && is("block")) return values::parse_boolean(a.value).has_value();
  if (who == asker::qsub && is("interactive")) return values::equal_any_case(a.value, "true") || values::equal_any_case(a.value, "false");
  if (is("max_run_subjobs")) return true;  // the server judges it, an empty value too
  return who == asker::qsub || !a.value.empty() || is("topjob_ineligible");
}

// PBS's qsub sets these after -W, with the option's value or its default.
bool overwritten_by_qsub(std::string_view name) {
  return name == "Job_Name" || name == "Checkpoint" || name == "Priority" || name == "Rerunable";
}

// The text of an attribute that an option or -W gave.
std::string canonical(char letter, const std::string& value, std::int64_t now, const path_facts& facts) {
  switch (letter) {
    case 'a':
      return std::to_string(values::parse_date_time(value, now).value_or(0));
    case 'e':
    case 'o':
      return full_output_path(value, facts).value_or(value);
    case 'r':
      return values::print_boolean(value == "y" || values::parse_boolean(value).value_or(false));
    default:
      return value;
  }
}

std::string canonical_other(const assignment& a) {
  if (a.name == "umask") return without_leading_zeros(a.value);
  if (const auto truth = values::parse_boolean(a.value); truth && is_boolean_attribute(a.name))
    return values::print_boolean(*truth);
  return a.value;
}

std::optional<std::string> illegal(asker who, char letter) {
  return std::string(who == asker::qsub ? "qsub" : "qalter") + ": illegal -" + letter + " value";
}

}  // namespace

std::optional<std::string> judge_job_option(asker who, const given& g, std::int64_t now, const path_facts& facts) {
  const std::string& v = g.value;
  bool good = true;
  switch (g.letter) {
    case 'a':
      good = values::parse_date_time(v, now).has_value();
      break;
    case 'c':
      good = is_checkpoint(v);
      break;
    case 'e':
    case 'o':
      good = full_output_path(v, facts).has_value();
      break;
    case 'h':
      good = who == asker::qsub || values::parse_hold_set(v).has_value();
      break;
    case 'j':
      good = v == "oe" || v == "eo" || v == "n";
      break;
    case 'J':
      good = is_array_range(v);
      break;
    case 'k':
      good = is_keep_files(v);
      break;
    case 'l':
      good = parse_resource_list(v).has_value();
      break;
    case 'm':
      good = is_mail_points(v);
      break;
    case 'M':
      good = values::is_mail_users(v);
      break;
    case 'N':
      good = values::is_job_name(v);
      break;
    case 'p':
      good = is_priority(v);
      break;
    case 'r':
      good = v == "y" || v == "n";
      break;
    case 'R':
      good = v == "o" || v == "e" || v == "oe" || v == "eo";
      break;
    case 'S':
      good = values::is_shell_list(v);
      break;
    case 'u':
      good = values::is_user_list(v);
      break;
    case 'W': {
      const auto list = parse_attribute_list(v);
      if (!list) return illegal(who, 'W');
      for (const assignment& a : *list) {
        const char letter = letter_of(a.name);
        if (letter != '\0' && letter != 'r' && letter != 'h') {
          if (auto bad = judge_job_option(who, {letter, a.value}, now, facts)) return illegal(who, letter);
        } else if (!good_other(who, a)) {
          return illegal(who, 'W');
        }
      }
      break;
    }
    default:
      break;
  }
  if (good) return std::nullopt;
  return std::string();
}

void job_options::put_over(const command_line& line) {
  for (const given& g : line.options) {
    if (g.letter == 'l')
      merge_assignments(resources, parse_resource_list(g.value).value_or(std::vector<assignment>()));
    else if (g.letter == 'W')
      merge_assignments(others, parse_attribute_list(g.value).value_or(std::vector<assignment>()));
    else
      values[g.letter] = g.value;
  }
}

void job_options::put_over(const job_options& stronger) {
  for (const auto& [letter, value] : stronger.values) values[letter] = value;
  merge_assignments(resources, stronger.resources);
  merge_assignments(others, stronger.others);
}

const std::string* job_options::find(char letter) const {
  const auto at = values.find(letter);
  return at == values.end() ? nullptr : &at->second;
}

const std::string* job_options::other(std::string_view name) const {
  for (const assignment& a : others)
    if (values::equal_any_case(a.name, name)) return &a.value;
  return nullptr;
}

std::vector<job_attribute> attributes_of(asker who, const job_options& options, std::int64_t now,
                                         const path_facts& facts) {
  std::vector<job_attribute> out;
  const auto add = [&](std::string name, std::string resource, std::string value, bool empty_unsets) {
    const bool empty = value.empty() && empty_unsets;
    if (empty && who == asker::qsub) return;
    out.push_back({std::move(name), std::move(resource), std::move(value),
                   empty ? schema::AttributeOp::UNSET : schema::AttributeOp::SET});
  };
  for (const auto& row : letter_attributes) {
    const std::string* value = options.find(row.letter);
    if (value == nullptr) continue;
    if (row.letter == 'h' && who == asker::qsub)
      add("Hold_Types", "", "u", false);
    else
      add(row.attribute, "", canonical(row.letter, *value, now, facts), true);
  }
  // qsub's -l with an empty value is a mistake that the server names; qalter's takes the resource away.
  for (const assignment& r : options.resources) add("Resource_List", r.name, r.value, who == asker::qalter);
  for (const assignment& w : options.others) {
    const char letter = letter_of(w.name);
    if (who == asker::qsub && overwritten_by_qsub(w.name)) continue;
    std::erase_if(out, [&](const job_attribute& a) { return a.resource.empty() && a.name == w.name; });
    add(w.name, "", letter != '\0' ? canonical(letter, w.value, now, facts) : canonical_other(w), true);
  }
  return out;
}

void fill(capnp::List<schema::Attribute>::Builder list, const std::vector<job_attribute>& attributes) {
  for (unsigned i = 0; i < attributes.size(); ++i) {
    auto a = list[i];
    a.setName(attributes[i].name);
    if (!attributes[i].resource.empty()) a.setResource(attributes[i].resource);
    if (!attributes[i].value.empty()) a.setValue(attributes[i].value);
    a.setOp(attributes[i].op);
  }
}

}  // namespace annals::client
