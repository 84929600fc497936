#include "hooks-runtime/pbs_module/script.hpp"

#include <cstdio>

#include "hooks-runtime/pbs_module/module.hpp"

namespace annals::hooks {

using py::ref;

struct script::code {
  ref compiled;
  ref first_names;  // what a run's namespace begins with
};

script::script() : code_(std::make_unique<code>()) {}
script::~script() = default;

namespace {

struct failure {
  std::string line, all;
};  // "NameError: name 'x' is not defined"; the whole traceback

// Takes the pending exception.
failure taken_failure() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  ref t(type), v(value), tb(trace);
  failure out{"unknown error", {}};
  // A hostile __str__ may raise again: then the name of the type has to do.
  if (t && PyType_Check(t.get())) out.line = reinterpret_cast<PyTypeObject*>(t.get())->tp_name;
  if (const auto text = v ? py::text_of(v.get()) : std::nullopt; text && !text->empty()) out.line += ": " + *text;
  PyErr_Clear();
  ref traceback(PyImport_ImportModule("traceback"));
  ref lines(traceback && v ? PyObject_CallMethod(traceback.get(), "format_exception", "OOO", t.get(), v.get(),
                                                 tb ? tb.get() : Py_None)
                           : nullptr);
  ref empty(py::str(""));
  ref joined(lines && empty ? PyUnicode_Join(empty.get(), lines.get()) : nullptr);
  if (const auto text = joined ? py::text_of(joined.get()) : std::nullopt) out.all = *text;
  PyErr_Clear();
  return out;
}

// Ends the process instead of returning when the script raised SystemExit.
int run_file(const std::string& path, const std::vector<std::string>& arguments, const run_state& run) {
  ref list(PyList_New(0));
  const auto add = [&](const std::string& text) {
    ref item(py::str(text));
    return item && PyList_Append(list.get(), item.get()) == 0;
  };
  bool good = add(path);
  for (const auto& argument : arguments) good = good && add(argument);
  good = good && PySys_SetObject("argv", list.get()) == 0;
  ref runpy(good ? PyImport_ImportModule("runpy") : nullptr);
  ref keywords(Py_BuildValue("{s:s}", "run_name", "__main__"));
  ref run_path(runpy ? PyObject_GetAttrString(runpy.get(), "run_path") : nullptr);
  ref args(Py_BuildValue("(s)", path.c_str()));
  ref result(run_path && args && keywords ? PyObject_Call(run_path.get(), args.get(), keywords.get()) : nullptr);
  run.each_line([](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); });
  if (!result) PyErr_Print();  // of SystemExit: flushes and ends with its status
  return result ? 0 : 1;
}

}  // namespace

bool start_python(bool with_site_packages) {
  if (PyImport_AppendInittab("pbs", py::make_module) < 0) return false;
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  config.site_import = with_site_packages ? 1 : 0;
  config.write_bytecode = 0;
  config.install_signal_handlers = 0;
  config.buffered_stdio = 0;
  config.parse_argv = 0;
  const PyStatus program = PyConfig_SetString(&config, &config.program_name, L"/usr/bin/python3");
  const PyStatus status = PyStatus_Exception(program) ? program : Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) return false;
  // What every hook needs, before it needs it: the module itself and what an exception's text is made with.
  for (const char* name : {"pbs", "traceback", "json", "os", "re", "time"})
    if (!ref(PyImport_ImportModule(name))) return false;
  return true;
}

void set_environment(const char* name, const std::string& value) {
  // Through os.environ, which took its copy when the interpreter started.
  ref os(PyImport_ImportModule("os"));
  ref environ(os ? PyObject_GetAttrString(os.get(), "environ") : nullptr);
  ref text(py::str(value));
  if (environ && text && !value.empty()) PyMapping_SetItemString(environ.get(), name, text.get());
  PyErr_Clear();
}

int run_program(const std::string& path, const std::vector<std::string>& arguments, const std::string& local_node) {
  hook_home home;
  home.hook_name = "pbs_python";
  home.local_node = local_node;
  // An event that nobody can ask for: pbs.event() needs begin_run().
  const auto request =
      schema::make<protocol::Request>([](protocol::Request::Builder b) { b.setEvent(hook_events().front().bit); });
  run_state run(home, request.get(), [](const auto&) {
    return schema::make<protocol::Answer>([](protocol::Answer::Builder a) { a.setNone(); });
  });
  const int status = run_file(path, arguments, run);
  Py_FinalizeEx();
  return status;
}

std::string script::compile(std::string_view source, const std::string& hook_name) {
  const std::string text(source);  // ends in a zero byte; one inside would cut it
  if (text.find('\0') != std::string::npos) return "source code cannot contain null bytes";
  code_->compiled = ref(Py_CompileString(text.c_str(), hook_name.c_str(), Py_file_input));
  if (!code_->compiled) return taken_failure().all;
  code_->first_names = ref(PyDict_New());
  ref name(py::str("__main__"));
  const bool named = code_->first_names && name &&
                     PyDict_SetItemString(code_->first_names.get(), "__name__", name.get()) == 0 &&
                     PyDict_SetItemString(code_->first_names.get(), "__builtins__", PyEval_GetBuiltins()) == 0;
  return named ? std::string() : taken_failure().all;
}

void script::run(run_state& into) const {
  ref globals(PyDict_Copy(code_->first_names.get()));
  bool ended_well = globals && py::begin_run();
  if (ended_well) {
    ref result(PyEval_EvalCode(code_->compiled.get(), globals.get(), globals.get()));
    ended_well = result || PyErr_ExceptionMatches(PyExc_SystemExit);
    if (ended_well) PyErr_Clear();
  }
  if (!ended_well) {
    auto why = taken_failure();
    into.fail(std::move(why.line), std::move(why.all));
  }
  if (!py::end_run() && ended_well) {
    auto why = taken_failure();
    into.fail(std::move(why.line), std::move(why.all));
  }
  PyErr_Clear();
  // Functions of the script refer to the namespace and it to them: without this every run would wait for the collector.
  PyDict_Clear(globals.get());
}

}  // namespace annals::hooks

// With a sanitizer an embedded Python behaves as without: a request for too much memory is an exception, a segmentation
// fault a death by signal, and what the interpreter keeps to its end is no leak.
#ifdef __SANITIZE_ADDRESS__
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1:handle_segv=0"; }
extern "C" int __lsan_is_turned_off() { return 1; }  // whatever ASAN_OPTIONS say
#endif
#ifdef __SANITIZE_THREAD__
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1:handle_segv=0"; }
#endif
