#include "hooks-runtime/pbs_module/refusals.hpp"

#include <algorithm>

#include "hooks-runtime/pbs_module/python.hpp"

namespace annals::hooks {
namespace {

using py::ref;

constexpr std::size_t program_bytes_max = 200;

std::string shown(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  if (text.size() > program_bytes_max) text = text.substr(0, program_bytes_max) + "...";
  return text;
}

// A word of a command line: a str, bytes or a path.
std::string word_of(PyObject* word) {
  const ref path(PyOS_FSPath(word));
  const auto text = !path                       ? std::nullopt
                    : PyBytes_Check(path.get()) ? std::optional(std::string(PyBytes_AS_STRING(path.get()),
                                                                            static_cast<std::size_t>(PyBytes_GET_SIZE(path.get()))))
                                                : py::text_of(path.get());
  PyErr_Clear();
  return text.value_or("?");
}

std::string line_of(PyObject* words) {
  std::string line;
  const ref all(PySequence_List(words));
  for (Py_ssize_t i = 0; all && i < PyList_GET_SIZE(all.get()) && line.size() <= program_bytes_max; ++i)
    line.append(line.empty() ? "" : " ").append(word_of(PyList_GET_ITEM(all.get(), i)));
  PyErr_Clear();
  return line;
}

PyObject* argument(PyObject* arguments, Py_ssize_t n) {
  return PyTuple_Check(arguments) && n < PyTuple_GET_SIZE(arguments) ? PyTuple_GET_ITEM(arguments, n) : Py_None;
}

// Named by an event of Python's audit; empty: it starts nothing.
std::string started_by(std::string_view event, PyObject* arguments) {
  if (event == "subprocess.Popen" || event == "os.posix_spawn" || event == "os.exec") {
    const std::string line = line_of(argument(arguments, 1));
    return "program '" + shown(line.empty() ? word_of(argument(arguments, 0)) : line) + "'";
  }
  if (event == "os.system") return "program '" + shown(word_of(argument(arguments, 0))) + "'";
  return event == "os.fork" || event == "os.forkpty" ? "a process" : std::string();
}

int audited(const char* name, PyObject* arguments, void*) {
  run_state* run = current();
  if (!run) return 0;
  const std::string_view event = name;
  if (!run->home().may_use_network && event == "socket.__new__") run->refused("open a socket", "network");
  if (run->home().may_start_processes) return 0;
  const auto what = started_by(event, arguments);
  if (!what.empty()) run->refused("start " + what, "processes");
  return 0;
}

}  // namespace

void tell_of_refusals(const hook_home& home) {
  if (!home.may_start_processes || !home.may_use_network) PySys_AddAuditHook(audited, nullptr);
}

}  // namespace annals::hooks
