// pbs_report: what users, projects and queues used and what it costs, from a database that pbs_export wrote, or from a log.
// docs/design/0071-reports.md.
// Exit status: 0 the report is printed, 1 it can't be, 2 a wrong command line or file of prices, 3 the source can't be read.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "events/log/rocksdb_event_store.hpp"
#include "tools/client/printed.hpp"
#include "tools/export/address.hpp"
#include "tools/export/exporter.hpp"
#include "tools/export/log_of_host.hpp"
#include "tools/report/command_line.hpp"
#include "tools/report/limits.hpp"
#include "tools/report/report.hpp"
#include "tools/report/temporary_tables.hpp"

using namespace annals;
using namespace annals::reporting;

namespace {

constexpr int all_well = 0, not_printed = 1, bad_usage = 2, not_read = 3;

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

// What is made for the report is removed before the program ends.
void end_on_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = true; };
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(s, &action, nullptr);
}

bool go_on() { return !interrupted; }

int fail(int status, const std::string& why) {
  client::print_error("pbs_report: %s\n", why.c_str());
  return status;
}

// A name and what is wrong with it.
struct wrong_input {
  std::string what;
};
class log_not_read : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

rates read_rates(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) throw wrong_input{file + ": it can't be read"};
  std::string text(limits::rates_bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  auto read = parse_rates(text);
  if (const auto* wrong = std::get_if<rates_error>(&read)) throw wrong_input{file + ": " + wrong->print()};
  return std::get<rates>(std::move(read));
}

class program {
 public:
  explicit program(asked a) : asked_(std::move(a)) {}

  int run() {
    if (!asked_.rates.empty()) prices_ = read_rates(asked_.rates);
    take_priced_resources();
    const auto source = open_source();
    use_table table(asked_.by, asked_.resources, prices_ ? &*prices_ : nullptr);
    if (source)
      each_run(*source, asked_.in, asked_.resources, [&](const counted_run& r) {
        add(r, table);
        return go_on();
      });
    if (interrupted) return fail(not_printed, "interrupted");
    const auto made = make_report({asked_.title, asked_.in, asked_.resources, prices_ ? &*prices_ : nullptr}, table);
    if (client::print_whole(in_form(made)) && std::fflush(stdout) == 0) return all_well;
    return fail(not_printed, std::string("standard output: ") + std::strerror(errno));
  }

 private:
  void add(const counted_run& r, use_table& to) const {
    try {
      to.add(r);
    } catch (const rates_trouble& e) {
      throw wrong_input{asked_.rates + ": " + e.what()};
    }
  }

  // A reader sees how much there was of what has a price.
  void take_priced_resources() {
    if (!prices_) return;
    for (auto& name : prices_->resources())
      if (std::find(asked_.resources.begin(), asked_.resources.end(), name) == asked_.resources.end())
        asked_.resources.push_back(std::move(name));
    if (asked_.resources.size() > limits::resources_max) throw wrong_input{asked_.rates + ": more than 100 resources have a price"};
  }

  // Nothing: a signal came before the log's end.
  std::unique_ptr<exporting::row_source> open_source() {
    if (exporting::is_postgres(asked_.source)) return exporting::read_postgres(asked_.source, asked_.schema);
    if (!asked_.source.empty() && !std::filesystem::is_directory(asked_.source)) return exporting::read_sqlite(asked_.source);
    const auto directory = asked_.source.empty() ? exporting::log_of_this_host() : asked_.source;
    auto opened = log::open_for_audit(directory);
    if (const auto* why = std::get_if<ports::store_status>(&opened)) throw log_not_read(directory + ": " + why->text);
    const log::log_reader reader(*std::get<0>(opened));
    try {
      if (!tables_.emplace().fill(reader, go_on)) return nullptr;
    } catch (const exporting::log_trouble& e) {
      throw log_not_read(directory + ": " + e.what());
    }
    return exporting::read_sqlite(tables_->file());
  }

  std::string in_form(const report& made) const {
    switch (asked_.form) {
      case report_form::text: return text_form(made);
      case report_form::csv: return csv_form(made);
      case report_form::json: return json_form(made);
      case report_form::html: return html_form(made);
    }
    return {};
  }

  asked asked_;
  std::optional<rates> prices_;
  std::optional<temporary_tables> tables_;
};

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

int main(int argc, char** argv) {
  ::umask(::umask(077) | 077);
  auto read = read_command_line(argc, argv, now_ns());
  if (const auto* end = std::get_if<int>(&read)) return *end == 0 ? all_well : bad_usage;
  end_on_signals();
  try {
    return program(std::get<asked>(std::move(read))).run();
  } catch (const wrong_input& e) {
    return fail(bad_usage, e.what);
  } catch (const std::runtime_error& e) {  // target_trouble, log_not_read, report_trouble, too_large
    return fail(not_read, e.what());
  }
}
