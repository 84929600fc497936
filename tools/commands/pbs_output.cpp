// pbs_output: what one subjob wrote, of an array that keeps the output of all subjobs of a host in one file (qsub -W indexed_output=true).
// docs/design/0065-indexed-output.md.
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "events/attributes/ids.hpp"
#include "events/values/job_id.hpp"
#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/options.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/query/indexed_output.hpp"
#include "tools/client/query/output.hpp"
#include "tools/client/query/stat.hpp"

namespace {

using namespace annals;
using namespace annals::client;
namespace ids = attributes::job;

constexpr option options[] = {
    {'e', nullptr, "standard error instead of standard output"},
    {'f', "file", "this file, or those of all hosts whose names begin so, without asking a server"},
    {'l', nullptr, "list what there is: subjob, run, stream (o or e), bytes"},
};
constexpr command pbs_output = {"pbs_output",
                                "usage: pbs_output [-e] subjob\n"
                                "       pbs_output -l array_or_subjob\n"
                                "       pbs_output [-e] -f file [-f file]... index_or_subjob\n"
                                "       pbs_output -l -f file [-f file]...\n"
                                "       pbs_output --version\n",
                                options};

int tell(const std::string& text) {
  print_error("pbs_output: %s\n", text.c_str());
  return 1;
}

const char* name_of(char stream) { return stream == 'o' ? "standard output" : "standard error"; }

int put(bool printed) { return printed ? 0 : tell(std::strerror(errno)); }

// Where the output of a subjob, or of all subjobs of an array, is.
struct place {
  std::vector<std::string> files;
  std::optional<std::uint64_t> array;
  std::optional<std::uint32_t> index;  // nothing: all
  std::string where;                   // as messages have it
};

int list(const place& from) {
  output out;
  bool any = false;
  for (const auto& file : from.files) {
    for_each_output(file, [&](const values::output_record& r) {
      if ((from.array && r.array != *from.array) || (from.index && r.index != *from.index)) return;
      any = true;
      out.text() += std::to_string(r.array) + '[' + std::to_string(r.index) + "] " + std::to_string(r.run) + ' ' + r.stream + ' ' +
                    std::to_string(r.length) + '\n';
      out.flush_if_large();
    });
  }
  out.flush();
  if (!any) return tell("no output in " + from.where);
  return out.failed() ? 1 : 0;
}

// -- of files that are named -------------------------------------------------------------------------------------------------

// "3" or "12[3]".
bool take_subjob(const std::string& word, place& into) {
  std::uint32_t index = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, index);
  if (error == std::errc() && stop == end) {
    into.index = index;
    return true;
  }
  const auto id = values::parse_job_id(word);
  const auto number = id && id->form == values::id_form::subjob ? values::number_of(*id) : std::nullopt;
  if (!number) return false;
  into.array = values::array_of(*number);
  into.index = values::index_of(*number);
  return true;
}

int of_files(const command_line& line) {
  place from;
  for (const auto& g : line.options) {
    if (g.letter != 'f') continue;
    const auto files = indexed_files_at(g.value);
    from.files.insert(from.files.end(), files.begin(), files.end());
    from.where += (from.where.empty() ? "" : ", ") + g.value;
  }
  if (from.files.empty()) return tell("no file with an index: " + from.where);
  if (line.has('l')) return line.words.empty() ? list(from) : usage(pbs_output);
  if (line.words.size() != 1 || !take_subjob(line.words[0], from)) return usage(pbs_output);
  const char stream = line.has('e') ? 'e' : 'o';
  const auto found = find_output(from.files, {from.array, *from.index, stream});
  if (!found) return tell("no " + std::string(name_of(stream)) + " of subjob " + line.words[0] + " in " + from.where);
  return put(print_output(*found));
}

// -- of a job that a server knows --------------------------------------------------------------------------------------------

std::string path_here(std::string_view text) {
  const std::string path(values::path_behind_host(text));
  const char* const home = std::getenv("HOME");
  return path.starts_with('/') || home == nullptr ? path : std::string(home) + '/' + path;
}

bool is_directory(const std::string& path) {
  struct stat st {};
  return stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

std::string in_directory(std::string path, const std::string& name) {
  if (!path.ends_with('/') && !is_directory(path)) return path;
  return path + (path.ends_with('/') ? "" : "/") + name;
}

struct asked_job {
  std::string id, array_id;
  std::uint64_t array = 0;
  std::optional<std::uint32_t> index;
};

struct job_words {
  std::string output_path, error_path, join;
  bool indexed = false;
};

// The stream that the other one is joined to has it all.
char stream_of(const job_words& job, bool error) {
  if (job.join == "oe") return 'o';
  return error || job.join == "eo" ? 'e' : 'o';
}

place place_of(const asked_job& asked, const job_words& job) {
  const auto shared = values::output_place_of(job.output_path, job.error_path, asked.array_id, asked.index.value_or(0));
  const std::string base = in_directory(path_here(shared.path), shared.inner);
  return {indexed_files(base), asked.array, asked.index, base + ".*"};
}

// Output that could not be added to the others' has a file of its own.
std::string own_file(const asked_job& asked, const job_words& job, char stream) {
  const auto path = values::with_array_index(stream == 'o' ? job.output_path : job.error_path, *asked.index);
  return in_directory(path_here(path), asked.id + (stream == 'o' ? ".OU" : ".ER"));
}

int show(const asked_job& asked, const job_words& job, const command_line& line) {
  if (!job.indexed) return tell(asked.id + " has files of its own: it was submitted without indexed_output");
  const auto from = place_of(asked, job);
  if (line.has('l')) return list(from);
  const char stream = stream_of(job, line.has('e'));
  if (const auto found = find_output(from.files, {from.array, *from.index, stream})) return put(print_output(*found));
  const auto own = own_file(asked, job, stream);
  struct stat st {};
  if (stat(own.c_str(), &st) == 0 && S_ISREG(st.st_mode)) return put(print_file(own));
  return tell("no " + std::string(name_of(stream)) + " of " + asked.id + " in " + from.where);
}

std::optional<asked_job> parse(const std::string& id, bool arrays_too) {
  const auto parsed = values::parse_job_id(id);
  const auto number = parsed ? values::number_of(*parsed) : std::nullopt;
  if (!number) return std::nullopt;
  const bool is_array = parsed->form == values::id_form::array;
  if (parsed->form != values::id_form::subjob && !(is_array && arrays_too)) return std::nullopt;
  asked_job asked{id, values::array_id(values::array_of(*number), parsed->server), values::array_of(*number), {}};
  if (!is_array) asked.index = values::index_of(*number);
  return asked;
}

int of_job(const command_line& line) {
  if (line.words.size() != 1) return usage(pbs_output);
  const auto name = parse_job_name(line.words[0], server_name());
  if (!name) return tell("illegally formed job identifier: " + line.words[0]);
  const auto asked = parse(name->id, line.has('l'));
  if (!asked) return tell(name->id + " is no subjob");
  constexpr attributes::attribute_id wanted[] = {ids::Error_Path, ids::Join_Path, ids::Output_Path, ids::indexed_output};
  stat_question q;
  q.names = {name->id};
  q.wanted = wanted;
  q.history = schema::History::ALSO;
  std::optional<job_words> job;
  session connection = session::to_read_with_first_request(name->server);
  const auto take = [&](const object_view& o) {
    const auto value = [&](attributes::attribute_id id) { return std::string(value_of(o, id)); };
    job = job_words{value(ids::Output_Path), value(ids::Error_Path), value(ids::Join_Path), value(ids::indexed_output) == "True"};
  };
  auto outcome = ask(connection, q, take);
  if (outcome.refused && outcome.refused->code == values::pbs_error::no_history) {
    q.history = schema::History::LIVE;
    outcome = ask(connection, q, take);
  }
  if (outcome.refused) print_refusal("pbs_output", outcome.refused->code, outcome.refused->text);
  for (const refused_name& u : outcome.unknown) print_refusal("pbs_output", u.code, u.text, u.name);
  if (job) return show(*asked, *job, line);
  return tell("with -f FILE the file is read without the server");
}

int work(int argc, char** argv) {
  const command_line line = parse_options_or_exit(pbs_output, argc, argv);
  if (line.has('l') && line.has('e')) return usage(pbs_output);
  return line.has('f') ? of_files(line) : of_job(line);
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("pbs_output", [&] { return work(argc, argv); });
}
