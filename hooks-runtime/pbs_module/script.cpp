#include "hooks-runtime/pbs_module/script.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

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

// Returns the text of an exception as the interpreter itself displays it. The module traceback could make it too, but its import would make
// each start of a worker much longer, or would fail where the script has used up its memory.
std::string displayed(PyObject* type, PyObject* value, PyObject* trace) {
  const ref io(PyImport_ImportModule("_io"));
  const ref text(io ? PyObject_CallMethod(io.get(), "StringIO", nullptr) : nullptr);
  const ref before = ref::share(PySys_GetObject("stderr"));
  std::optional<std::string> out;
  if (text && PySys_SetObject("stderr", text.get()) == 0) {
    PyErr_Display(type, value, trace);
    PySys_SetObject("stderr", before.get());
    const ref all(PyObject_CallMethod(text.get(), "getvalue", nullptr));
    if (all) out = py::text_of(all.get());
  }
  PyErr_Clear();
  return out.value_or(std::string());
}

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
  if (v) out.all = displayed(t.get(), v.get(), tb.get());
  return out;
}

// The interpreter that scripts find as sys.executable; what it knows of itself comes from where that is installed.
PyStatus set_name(PyConfig& config) { return PyConfig_SetString(&config, &config.program_name, L"/usr/bin/python3"); }

bool start(PyConfig& config, PyStatus so_far) {
  const PyStatus status = PyStatus_Exception(so_far) ? so_far : Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_IsExit(status)) std::exit(status.exitcode);  // Python's --help
  if (PyStatus_Exception(status) && status.err_msg) std::fprintf(stderr, "pbs_python: %s\n", status.err_msg);
  return !PyStatus_Exception(status);
}

// Scripts find pbs_ifl there, as PBS's do: it is installed beside the program that runs. It is the last place they look in.
bool find_modules_of_pbs() {
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const ref where(py::str((program.parent_path().parent_path() / "lib/python/altair").string()));
  PyObject* path = PySys_GetObject("path");
  return path && where && PyList_Append(path, where.get()) == 0;
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
  if (!start(config, set_name(config)) || !find_modules_of_pbs()) return false;
  return bool(ref(PyImport_ImportModule("pbs")));
}

void set_environment(const char* name, const std::string& value) {
  // Through os.environ, which took its copy when the interpreter started.
  ref os(PyImport_ImportModule("os"));
  ref environ(os ? PyObject_GetAttrString(os.get(), "environ") : nullptr);
  ref text(py::str(value));
  if (environ && text && !value.empty()) PyMapping_SetItemString(environ.get(), name, text.get());
  PyErr_Clear();
}

int run_interpreter(int argc, char** argv, const std::string& local_node) {
  if (PyImport_AppendInittab("pbs", py::make_module) < 0) return EXIT_FAILURE;
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  const PyStatus named = set_name(config);
  if (!start(config, PyStatus_Exception(named) ? named : PyConfig_SetBytesArgv(&config, argc, argv))) return EXIT_FAILURE;
  if (!find_modules_of_pbs()) return EXIT_FAILURE;
  hook_home home;
  home.hook_name = "pbs_python";
  home.local_node = local_node;
  // An event that nobody can ask for: pbs.event() needs begin_run().
  const auto request =
      schema::make<protocol::Request>([](protocol::Request::Builder b) { b.setEvent(hook_events().front().bit); });
  const auto no_answer = [](const auto&) {
    return schema::make<protocol::Answer>([](protocol::Answer::Builder a) { a.setNone(); });
  };
  const auto print = [](const run_state::line& l) { std::fprintf(stderr, "%s\n", l.message.c_str()); };
  const run_state run(home, request.get(), no_answer, print);
  return Py_RunMain();
}

std::string script::compile(std::string_view source, const std::string& hook_name) {
  const std::string text(source);  // ends in a zero byte; one inside would cut it
  if (text.find('\0') != std::string::npos) return "source code cannot contain null bytes";
  code_->compiled = ref(Py_CompileString(text.c_str(), hook_name.c_str(), Py_file_input));
  if (!code_->compiled) return taken_failure().all;
  code_->first_names = ref(PyDict_New());
  // No __name__ of its own: a hook finds that of the builtins, and sites compare it with "builtins".
  const bool made = code_->first_names &&
                    PyDict_SetItemString(code_->first_names.get(), "__builtins__", PyEval_GetBuiltins()) == 0;
  return made ? std::string() : taken_failure().all;
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
