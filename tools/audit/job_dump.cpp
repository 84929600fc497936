#include "tools/audit/job_dump.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>
#include <vector>

#include "events/attributes/ids.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/client/print/full.hpp"
#include "tools/client/print/labels.hpp"

namespace annals::audit {
namespace {

namespace ids = attributes::job;

// As PBS numbers them; a suspended job is a running one.
int number_of_state(std::string_view letter) {
  if (letter == "S" || letter == "U") letter = "R";
  const auto at = std::string_view("TQHWREXBMF").find(letter);
  return at == std::string_view::npos ? 0 : static_cast<int>(at);
}

std::string number_or_0(std::string_view text) { return text.empty() ? "0" : harmless(text); }

std::string in_hex(int number) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", static_cast<unsigned>(number));
  return text;
}

void put_state(std::string& out, const client::object_view& job) {
  const auto text = client::value_of(job, ids::substate);
  int substate = 0;
  std::from_chars(text.data(), text.data() + text.size(), substate);
  out += "state:\t\t" + in_hex(number_of_state(client::value_of(job, ids::job_state))) + "\n";
  out += "substate:\t" + in_hex(substate) + " (" + std::to_string(substate) + ")\n";
  out += "stime:\t\t" + number_or_0(client::value_of(job, ids::stime)) + "\n";
  out += "obittime:\t" + number_or_0(client::value_of(job, ids::obittime)) + "\n";
  out += "file base:\t\n";
  out += "queue:\t\t" + harmless(client::value_of(job, ids::queue)) + "\n";
  out += "union type exec:\n\texits\t" + number_or_0(client::value_of(job, ids::Exit_status)) + "\n";
}

// Short names first, as in the transcripts; dates are seconds since 1970.
void put_attributes(std::string& out, const client::object_view& job) {
  const client::labels labels(schema::ObjectKind::JOB);
  std::vector<std::pair<std::string, std::string>> rows;
  client::for_each_attribute(job.packed, [&](const attributes::entry& e) {
    const auto* label = labels.find(e.id);
    if (!label) return;
    std::string name;
    client::put_attribute_name(name, *label, e.resource);
    rows.emplace_back(std::move(name), harmless(e.value));
  });
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.size(), std::string_view(a.first)) < std::pair(b.first.size(), std::string_view(b.first));
  });
  out += "--attributes--\n";
  for (const auto& [name, value] : rows) out += name + " = " + value + "\n";
}

}  // namespace

void put_title(std::string& out, const std::string& title) {
  const std::string rule = std::string(51, '-') + "\n";
  out += rule + title + "\n" + rule;
}

void put_job_dump(std::string& out, const client::object_view& job, bool with_attributes) {
  put_title(out, "jobid:\t" + harmless(job.name));
  put_state(out, job);
  if (with_attributes) put_attributes(out, job);
}

}  // namespace annals::audit
