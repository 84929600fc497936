#include "events/values/program_key.hpp"

#include <charconv>
#include <concepts>
#include <utility>

#include "events/values/job_id.hpp"
#include "events/values/program_text.hpp"

namespace annals::values {
namespace {

// Of an id of any form; 0 where there is none.
struct job_place {
  std::uint64_t number = 0, index = 0;
  auto operator<=>(const job_place&) const = default;
};
job_place place_of_job(std::string_view id) {
  job_place place;
  const auto* const end = id.data() + id.size();
  const auto after = std::from_chars(id.data(), end, place.number).ptr;
  if (after != end && *after == '[') std::from_chars(after + 1, end, place.index);
  return place;
}

// As std::to_string() writes it: no sign, no zeros before it.
template <std::unsigned_integral Number>
std::optional<Number> exact_number(std::string_view text) {
  Number number = 0;
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || after != text.data() + text.size() || (text.front() == '0' && text.size() > 1)) return std::nullopt;
  return number;
}

// Of what has runs: a job or a subjob, with its server.
bool is_id_of_run(std::string_view text) {
  const auto id = parse_job_id(text);
  const bool may_run = id && (id->form == id_form::job || id->form == id_form::subjob);
  return may_run && !id->server.empty() && number_of(*id) && id_of_number(*number_of(*id), id->server) == text;
}

std::optional<run_key> parse_run_key(std::string_view text) {
  const auto dot = text.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto job = text.substr(0, dot);
  const auto run = exact_number<std::uint32_t>(text.substr(dot + 1));
  if (!run || !is_id_of_run(job)) return std::nullopt;
  return run_key{std::string(job), *run};
}

}  // namespace

std::strong_ordering run_key::operator<=>(const run_key& other) const {
  if (const auto by_number = place_of_job(job) <=> place_of_job(other.job); by_number != 0) return by_number;
  if (const auto by_id = job <=> other.job; by_id != 0) return by_id;
  return run <=> other.run;
}

const run_key& program_key::run() const {
  if (const auto* t = task()) return t->run;
  if (const auto* c = checkpoint()) return c->run;
  return *std::get_if<run_key>(&which_);
}

std::strong_ordering program_key::operator<=>(const program_key& other) const {
  if (const auto by_run = run() <=> other.run(); by_run != 0) return by_run;
  return which_ <=> other.which_;
}

std::string print(const run_key& key) { return key.job + '.' + std::to_string(key.run); }
std::string print(const task_key& key) { return print(key.run) + '-' + std::to_string(key.task); }
std::string print(const checkpoint_key& key) { return print(key.run) + "-c" + std::to_string(key.request); }
std::string print(const program_key& key) {
  if (const auto* t = key.task()) return print(*t);
  if (const auto* c = key.checkpoint()) return print(*c);
  return print(key.run());
}

std::optional<program_key> parse_program_key(std::string_view text) {
  const auto of = run_text_of(text);
  auto run = parse_run_key(of);
  if (!run) return std::nullopt;
  if (of.size() == text.size()) return program_key(std::move(*run));
  const auto which = text.substr(of.size() + 1);
  if (which.starts_with('c')) {
    const auto request = exact_number<std::uint64_t>(which.substr(1));
    return request ? std::optional(program_key(checkpoint_key{std::move(*run), *request})) : std::nullopt;
  }
  const auto task = exact_number<std::uint32_t>(which);
  return task ? std::optional(program_key(task_key{std::move(*run), *task})) : std::nullopt;
}

bool is_well_formed(const program_key& key) { return parse_program_key(print(key)) == key; }

}  // namespace annals::values
