// qselect: the ids of the jobs that meet all criteria given (pbs guide: qselect).
#include <cstdio>
#include <ctime>

#include "events/values/job_texts.hpp"
#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/option_values.hpp"
#include "tools/client/options.hpp"
#include "tools/client/query/job_criteria.hpp"
#include "tools/client/query/output.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'a', "[op]date", "execution time"},
    {'A', "account", "account string"},
    {'c', "[op]interval", "checkpoint"},
    {'h', "holds", "exactly these holds"},
    {'H', nullptr, "finished jobs only"},
    {'J', nullptr, "job arrays only"},
    {'l', "resources", "requested resources: name.op.value,..."},
    {'N', "name", "job name"},
    {'p', "[op]priority", "priority"},
    {'P', "project", "project"},
    {'q', "destination", "queue, or @server"},
    {'r', "y|n", "rerunable or not"},
    {'s', "states", "any of these state letters"},
    {'t', "subopt[op]date", "times: a c e g m q s t"},
    {'T', nullptr, "subjobs instead of arrays"},
    {'u', "users", "owners"},
    {'x', nullptr, "finished jobs too"},
};
constexpr command qselect = {"qselect",
                             "usage: qselect [-a [op]date_time] [-A account_string] [-c [op]interval]\n"
                             "\t[-h hold_list] [-H] [-J] [-l resource_list] [-N name] [-p [op]priority]\n"
                             "\t[-q destination] [-r y|n] [-s states] [-t subopt[op]date_time] [-T] [-P project_name]\n"
                             "\t[-x] [-u user_name]\n"
                             "       qselect --version\n",
                             options};

constexpr std::uint32_t unknown_queue = 15018;

// The criteria of one option; nothing: its value is illegal.
std::optional<std::vector<job_criterion>> criteria_of(const given& g, std::int64_t now) {
  const auto one = [](std::optional<job_criterion> c) -> std::optional<std::vector<job_criterion>> {
    if (!c) return std::nullopt;
    return std::vector<job_criterion>{std::move(*c)};
  };
  const auto equal = [&](const char* name, const std::string& value) {
    return one(job_criterion{name, "", schema::CompareOp::EQ, value});
  };
  switch (g.letter) {
    case 'a':
      return one(execution_time_criterion(g.value, now));
    case 'A':
      return equal("Account_Name", g.value);
    case 'c':
      return one(checkpoint_criterion(g.value));
    case 'h':
      return one(hold_criterion(g.value));
    case 'l':
      return resource_criteria(g.value);
    case 'N':
      return values::is_job_name(g.value) ? equal("Job_Name", g.value) : std::nullopt;
    case 'p': {
      const compared c = split_operator(g.value);
      return one(job_criterion{"Priority", "", c.op, std::string(c.value)});
    }
    case 'P':
      return equal("project", g.value);
    case 'q': {
      const auto place = parse_destination(g.value);
      if (!place) return std::nullopt;
      return place->queue.empty() ? std::vector<job_criterion>{} : equal("queue", place->queue);
    }
    case 'r':
      return g.value == "y" || g.value == "n" ? equal("Rerunable", g.value == "y" ? "True" : "False") : std::nullopt;
    case 's':
      return one(state_criterion(g.value));
    case 't':
      return one(time_criterion(g.value, now));
    case 'u':
      return equal("User_List", g.value);
    case 'J':
      return equal("array", "True");
    default:
      return std::vector<job_criterion>{};
  }
}

int refused(schema::Rejection::Reader why) {
  if (why.getCode() == unknown_queue) return print_refusal("qselect", why.getCode(), "Unknown queue destination");
  return print_refusal("qselect", why);
}

// The server keeps what is compared as text of the attribute's type; a priority that is no number can't be compared.
bool is_number(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return is_count(text);
}

int no_number() { return print_refusal("qselect", pbs_error::bad_value, "Illegal attribute or resource value"); }

// PBS's qselect names the server it was asked to reach, where other commands name their default one.
session open_as_asked(const std::string& server) {
  try {
    return session::open_to_read(server);
  } catch (session_error& e) {
    if (!e.asked_for.empty()) e.server = e.asked_for;
    throw;
  }
}

int work(int argc, char** argv) {
  const std::int64_t now = std::time(nullptr);
  const auto check = [&](const given& g) -> std::optional<std::string> {
    if (criteria_of(g, now)) return std::nullopt;
    return g.letter == 'l' ? "qselect: illegal -l value\nresource_list: " + g.value : std::string();
  };
  const command_line line = parse_options_or_exit(qselect, argc, argv, check);
  if (!line.words.empty()) return usage(qselect);
  std::vector<job_criterion> all;
  std::string server;
  for (const given& g : line.options) {
    const auto criteria = criteria_of(g, now);
    all.insert(all.end(), criteria->begin(), criteria->end());
    if (g.letter == 'q') server = parse_destination(g.value)->server;
    if (g.letter == 'p' && !is_number(all.back().value)) return no_number();
  }
  const auto fill = [&](schema::Request::Builder r) {
    auto select = r.initSelectJobs();
    select.setHistory(line.has('H')   ? schema::History::ONLY
                      : line.has('x') ? schema::History::ALSO
                                      : schema::History::LIVE);
    select.setSubjobs(line.has('T'));
    auto criteria = select.initCriteria(static_cast<unsigned>(all.size()));
    for (unsigned i = 0; i < criteria.size(); ++i) {
      criteria[i].setName(all[i].name);
      criteria[i].setResource(all[i].resource);
      criteria[i].setOp(all[i].op);
      criteria[i].setValue(all[i].value);
    }
  };
  session connection = open_as_asked(server);
  output out;
  int status = 0;
  connection.query(fill, [&](schema::Reply::Reader piece) {
    if (piece.isRejected()) status = refused(piece.getRejected());
    else
      for (const auto id : piece.getJobs()) out.text().append(schema::text(id)).push_back('\n');
  });
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("qselect", [&] { return work(argc, argv); });
}
