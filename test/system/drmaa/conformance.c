/*
 * Whether libdrmaa does what DRMAA 1.0 (GFD-R.133) says, on a real cluster: conformance CASE DIRECTORY, with a case of those at the end;
 * it ends with 0. DIRECTORY is a place for files.
 */
#define _POSIX_C_SOURCE 200809L
#include <drmaa.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char why[DRMAA_ERROR_STRING_BUFFER];
#define DIAGNOSIS why, sizeof why

static void check(int so, const char* what, int line) {
  if (so) return;
  fprintf(stderr, "line %d: %s (%s)\n", line, what, why);
  exit(1);
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)
#define GIVES(number, call) check((call) == (number), #call " gives " #number, __LINE__)
#define OK(call) GIVES(DRMAA_ERRNO_SUCCESS, call)

static const char* directory;

/* -- helpers: errors of threads are told by their own diagnosis -------------------------------------------------------------- */

typedef struct {
  char text[DRMAA_JOBNAME_BUFFER];
} job_id;

static drmaa_job_template_t* command(const char* program, const char* first, const char* second) {
  drmaa_job_template_t* jt = NULL;
  const char* arguments[] = {first, second, NULL};
  OK(drmaa_allocate_job_template(&jt, NULL, 0));
  OK(drmaa_set_attribute(jt, DRMAA_REMOTE_COMMAND, program, NULL, 0));
  OK(drmaa_set_vector_attribute(jt, DRMAA_V_ARGV, arguments, NULL, 0));
  OK(drmaa_set_attribute(jt, DRMAA_OUTPUT_PATH, ":/dev/null", NULL, 0));
  OK(drmaa_set_attribute(jt, DRMAA_JOIN_FILES, "y", NULL, 0));
  return jt;
}
static drmaa_job_template_t* sleeper(const char* seconds) { return command("/bin/sleep", seconds, NULL); }
static drmaa_job_template_t* shell(const char* line) { return command("/bin/sh", "-c", line); }

static void delete_template(drmaa_job_template_t* jt) { OK(drmaa_delete_job_template(jt, NULL, 0)); }

static job_id run(drmaa_job_template_t* jt) {
  job_id id;
  char error[DRMAA_ERROR_STRING_BUFFER];
  int rc = drmaa_run_job(id.text, sizeof id.text, jt, error, sizeof error);
  if (rc != DRMAA_ERRNO_SUCCESS) fprintf(stderr, "drmaa_run_job: %d %s\n", rc, error);
  CHECK(rc == DRMAA_ERRNO_SUCCESS);
  return id;
}
static job_id run_once(drmaa_job_template_t* jt) {
  job_id id = run(jt);
  delete_template(jt);
  return id;
}
static int run_bulk(drmaa_job_template_t* jt, int start, int end, int incr, job_id* ids) {
  drmaa_job_ids_t* list;
  size_t count;
  int n = 0;
  OK(drmaa_run_bulk_jobs(&list, jt, start, end, incr, DIAGNOSIS));
  OK(drmaa_get_num_job_ids(list, &count));
  while (drmaa_get_next_job_id(list, ids[n].text, sizeof ids[n].text) == DRMAA_ERRNO_SUCCESS) ++n;
  CHECK((size_t)n == count);
  GIVES(DRMAA_ERRNO_NO_MORE_ELEMENTS, drmaa_get_next_job_id(list, ids[0].text, 0));
  drmaa_release_job_ids(list);
  return n;
}

static int state(const char* id) {
  int ps;
  OK(drmaa_job_ps(id, &ps, DIAGNOSIS));
  return ps;
}
static void until_state(const char* id, int wanted) {
  const struct timespec moment = {0, 20000000};
  const time_t deadline = time(NULL) + 120;
  while (state(id) != wanted) {
    if (time(NULL) > deadline) fprintf(stderr, "%s is %#x, not %#x\n", id, (unsigned)state(id), (unsigned)wanted);
    CHECK(time(NULL) <= deadline);
    nanosleep(&moment, NULL);
  }
}

static int exited(int stat) {
  int is;
  OK(drmaa_wifexited(&is, stat, DIAGNOSIS));
  return is;
}
static int aborted(int stat) {
  int is;
  OK(drmaa_wifaborted(&is, stat, DIAGNOSIS));
  return is;
}
static int signaled(int stat) {
  int is;
  OK(drmaa_wifsignaled(&is, stat, DIAGNOSIS));
  return is;
}
static int exit_status(int stat) {
  int status;
  OK(drmaa_wexitstatus(&status, stat, DIAGNOSIS));
  return status;
}
static int waited(const char* id) {
  int stat;
  job_id which;
  OK(drmaa_wait(id, which.text, sizeof which.text, &stat, DRMAA_TIMEOUT_WAIT_FOREVER, NULL, DIAGNOSIS));
  CHECK(strcmp(id, DRMAA_JOB_IDS_SESSION_ANY) == 0 || strcmp(id, which.text) == 0);
  return stat;
}
static void exited_well(const char* id) {
  int stat = waited(id);
  CHECK(exited(stat) && exit_status(stat) == 0 && !signaled(stat) && !aborted(stat));
}
static void nothing_left(void) {
  job_id id;
  GIVES(DRMAA_ERRNO_INVALID_JOB, drmaa_wait(DRMAA_JOB_IDS_SESSION_ANY, id.text, sizeof id.text, NULL, 0, NULL, DIAGNOSIS));
}
static void synchronize_all(int dispose) {
  const char* all[] = {DRMAA_JOB_IDS_SESSION_ALL, NULL};
  OK(drmaa_synchronize(all, DRMAA_TIMEOUT_WAIT_FOREVER, dispose, DIAGNOSIS));
}
static void begin(void) { OK(drmaa_init(NULL, DIAGNOSIS)); }
static void end(void) { OK(drmaa_exit(DIAGNOSIS)); }

/* -- the session, and what this is ------------------------------------------------------------------------------------------- */

static void sessions(void) {
  char text[DRMAA_CONTACT_BUFFER], contact[DRMAA_CONTACT_BUFFER], small[4];
  unsigned int major, minor;
  drmaa_job_template_t* jt = NULL;
  int ps;
  GIVES(DRMAA_ERRNO_NO_ACTIVE_SESSION, drmaa_exit(DIAGNOSIS));
  GIVES(DRMAA_ERRNO_NO_ACTIVE_SESSION, drmaa_allocate_job_template(&jt, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_NO_ACTIVE_SESSION, drmaa_job_ps("1", &ps, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_NO_ACTIVE_SESSION, drmaa_wait("1", NULL, 0, NULL, 0, NULL, DIAGNOSIS));
  CHECK(strcmp(why, drmaa_strerror(DRMAA_ERRNO_NO_ACTIVE_SESSION)) == 0);
  OK(drmaa_get_contact(contact, sizeof contact, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_CONTACT_STRING, drmaa_init("no-such-host.invalid", DIAGNOSIS));
  CHECK(strstr(why, "no-such-host.invalid"));
  begin();
  CHECK(why[0] == '\0'); /* a call that succeeds has nothing to tell */
  GIVES(DRMAA_ERRNO_ALREADY_ACTIVE_SESSION, drmaa_init(NULL, DIAGNOSIS));
  OK(drmaa_get_contact(text, sizeof text, DIAGNOSIS));
  CHECK(text[0] && strcmp(text, contact) == 0);
  OK(drmaa_version(&major, &minor, DIAGNOSIS));
  CHECK(major == 1 && minor == 0);
  OK(drmaa_get_DRM_system(text, sizeof text, DIAGNOSIS));
  CHECK(strncmp(text, "PBS ", 4) == 0);
  OK(drmaa_get_DRMAA_implementation(text, sizeof text, DIAGNOSIS));
  CHECK(strncmp(text, "Annals ", 7) == 0);
  OK(drmaa_get_DRMAA_implementation(small, sizeof small, DIAGNOSIS));
  CHECK(strcmp(small, "Ann") == 0);
  OK(drmaa_allocate_job_template(&jt, DIAGNOSIS));
  end();
  GIVES(DRMAA_ERRNO_NO_ACTIVE_SESSION, drmaa_exit(DIAGNOSIS));
  OK(drmaa_delete_job_template(jt, DIAGNOSIS)); /* what was allocated can be freed */
  OK(drmaa_init(contact, NULL, 0));             /* by name, and without a place for a diagnosis */
  end();
  CHECK(strcmp(drmaa_strerror(99), "Unknown error number") == 0);
}

/* -- job templates ----------------------------------------------------------------------------------------------------------- */

static void has_names(drmaa_attr_names_t* list, const char* const* wanted) {
  char name[DRMAA_ATTR_BUFFER];
  size_t count, found = 0, i;
  OK(drmaa_get_num_attr_names(list, &count));
  while (drmaa_get_next_attr_name(list, name, sizeof name) == DRMAA_ERRNO_SUCCESS)
    for (i = 0; wanted[i]; ++i) found += strcmp(name, wanted[i]) == 0;
  for (i = 0; wanted[i]; ++i) continue;
  CHECK(found == i && count >= i);
  drmaa_release_attr_names(list);
}

static void templates(void) {
  static const char* const mandatory[] = {DRMAA_REMOTE_COMMAND, DRMAA_JS_STATE, DRMAA_WD, DRMAA_JOB_CATEGORY, DRMAA_NATIVE_SPECIFICATION,
                                          DRMAA_BLOCK_EMAIL, DRMAA_START_TIME, DRMAA_JOB_NAME, DRMAA_INPUT_PATH, DRMAA_OUTPUT_PATH,
                                          DRMAA_ERROR_PATH, DRMAA_JOIN_FILES, NULL};
  static const char* const vectors[] = {DRMAA_V_ARGV, DRMAA_V_ENV, DRMAA_V_EMAIL, NULL};
  static const struct {
    const char *name, *value;
    int answer;
  } cases[] = {
      {"no_such_attribute", "1", DRMAA_ERRNO_INVALID_ARGUMENT},
      {DRMAA_TRANSFER_FILES, "i", DRMAA_ERRNO_INVALID_ARGUMENT},
      {DRMAA_DURATION_HLIMIT, "1:00", DRMAA_ERRNO_INVALID_ARGUMENT},
      {DRMAA_V_ARGV, "not a list", DRMAA_ERRNO_INVALID_ARGUMENT},
      {DRMAA_INPUT_PATH, "", DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT},
      {DRMAA_INPUT_PATH, ":", DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT},
      {DRMAA_OUTPUT_PATH, "/no/colon", DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT},
      {DRMAA_ERROR_PATH, ":/some/file", DRMAA_ERRNO_SUCCESS},
      {DRMAA_REMOTE_COMMAND, "", DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE},
      {DRMAA_WD, "here", DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE},
      {DRMAA_WD, DRMAA_PLACEHOLDER_HD "/there", DRMAA_ERRNO_SUCCESS},
      {DRMAA_JS_STATE, "held", DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE},
      {DRMAA_JS_STATE, DRMAA_SUBMISSION_STATE_HOLD, DRMAA_ERRNO_SUCCESS},
      {DRMAA_JOIN_FILES, "yes", DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE},
      {DRMAA_BLOCK_EMAIL, "2", DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE},
      {DRMAA_WCT_HLIMIT, "an hour", DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT},
      {DRMAA_WCT_HLIMIT, "1:00:00", DRMAA_ERRNO_SUCCESS},
      {DRMAA_START_TIME, "soon", DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT},
      {DRMAA_START_TIME, "25:00", DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT},
      {DRMAA_START_TIME, "11:30", DRMAA_ERRNO_SUCCESS},
      {DRMAA_START_TIME, "12/31 23:59:59", DRMAA_ERRNO_SUCCESS},
      {DRMAA_START_TIME, "2035/12/31 23:59 -03:30", DRMAA_ERRNO_SUCCESS},
  };
  const char* variables[] = {"A=1", "B=2", NULL};
  const char* no_variables[] = {"A=1", "B", NULL};
  drmaa_attr_names_t* names;
  drmaa_attr_values_t* values;
  drmaa_job_template_t* jt;
  char value[DRMAA_ATTR_BUFFER];
  size_t i, count;
  job_id id;
  begin();
  OK(drmaa_get_attribute_names(&names, DIAGNOSIS));
  has_names(names, mandatory);
  OK(drmaa_get_vector_attribute_names(&names, DIAGNOSIS));
  has_names(names, vectors);
  OK(drmaa_allocate_job_template(&jt, DIAGNOSIS));
  for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    int answer = drmaa_set_attribute(jt, cases[i].name, cases[i].value, DIAGNOSIS);
    if (answer != cases[i].answer) fprintf(stderr, "%s = %s: %d\n", cases[i].name, cases[i].value, answer);
    CHECK(answer == cases[i].answer);
    if (answer != DRMAA_ERRNO_SUCCESS) continue;
    OK(drmaa_get_attribute(jt, cases[i].name, value, sizeof value, DIAGNOSIS));
    CHECK(strcmp(value, cases[i].value) == 0);
  }
  GIVES(DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, drmaa_get_attribute(jt, DRMAA_JOB_NAME, value, sizeof value, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, drmaa_get_vector_attribute(jt, DRMAA_V_ENV, &values, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT, drmaa_set_vector_attribute(jt, DRMAA_V_ENV, no_variables, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ARGUMENT, drmaa_set_vector_attribute(jt, DRMAA_JOB_NAME, variables, DIAGNOSIS));
  OK(drmaa_set_vector_attribute(jt, DRMAA_V_ENV, variables, DIAGNOSIS));
  OK(drmaa_get_vector_attribute(jt, DRMAA_V_ENV, &values, DIAGNOSIS));
  OK(drmaa_get_num_attr_values(values, &count));
  CHECK(count == 2);
  for (i = 0; i < count; ++i) {
    OK(drmaa_get_next_attr_value(values, value, sizeof value));
    CHECK(strcmp(value, variables[i]) == 0);
  }
  GIVES(DRMAA_ERRNO_NO_MORE_ELEMENTS, drmaa_get_next_attr_value(values, value, sizeof value));
  drmaa_release_attr_values(values);
  GIVES(DRMAA_ERRNO_INVALID_ARGUMENT, drmaa_set_attribute(jt, DRMAA_JOB_NAME, NULL, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ARGUMENT, drmaa_set_attribute(NULL, DRMAA_JOB_NAME, "a", DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, drmaa_run_job(id.text, sizeof id.text, jt, DIAGNOSIS)); /* no command */
  CHECK(strstr(why, DRMAA_REMOTE_COMMAND));
  delete_template(jt);
  end();
}

static void refused_natively(const char* options, const char* reason) {
  drmaa_job_template_t* jt = sleeper("0");
  job_id id;
  OK(drmaa_set_attribute(jt, DRMAA_NATIVE_SPECIFICATION, options, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, drmaa_run_job(id.text, sizeof id.text, jt, DIAGNOSIS));
  if (!strstr(why, reason)) fprintf(stderr, "%s: not %s\n", options, reason);
  CHECK(strstr(why, reason));
  delete_template(jt);
}

static void invalid_arguments(void) {
  drmaa_job_ids_t* ids;
  drmaa_job_template_t* jt;
  job_id id;
  const char* unknown[] = {"99999", NULL};
  int is, ps;
  begin();
  refused_natively("-Z", "invalid option");
  refused_natively("-l walltime", "walltime");
  refused_natively("-p high", "illegal -p value");
  refused_natively("-J 1-5", "-J is not for DRMAA jobs");
  refused_natively("-I", "-I is not for DRMAA jobs");
  refused_natively("-W block=true", "block");
  refused_natively("-N 'open", "quote");
  refused_natively("script", "no script or command");
  refused_natively("-l nosuch=1", "nosuch");
  refused_natively("-q workq@elsewhere", "no queue of this server");
  jt = sleeper("0");
  GIVES(DRMAA_ERRNO_INVALID_ARGUMENT, drmaa_run_bulk_jobs(&ids, jt, 0, 3, 1, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ARGUMENT, drmaa_run_bulk_jobs(&ids, jt, 3, 1, 1, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ARGUMENT, drmaa_run_bulk_jobs(&ids, jt, 1, 3, 0, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ARGUMENT, drmaa_run_job(NULL, 0, jt, DIAGNOSIS));
  OK(drmaa_set_attribute(jt, DRMAA_JOB_CATEGORY, "nosuch", DIAGNOSIS)); /* a category is a queue */
  GIVES(DRMAA_ERRNO_DENIED_BY_DRM, drmaa_run_job(id.text, sizeof id.text, jt, DIAGNOSIS));
  CHECK(strcmp(why, "Unknown queue") == 0);
  delete_template(jt);
  nothing_left();
  GIVES(DRMAA_ERRNO_INVALID_JOB, drmaa_wait("99999", NULL, 0, NULL, 0, NULL, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_JOB, drmaa_synchronize(unknown, 0, 1, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_JOB, drmaa_job_ps("99999", &ps, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_JOB, drmaa_control("no id", DRMAA_CONTROL_HOLD, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ARGUMENT, drmaa_wait(NULL, NULL, 0, NULL, 0, NULL, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ARGUMENT, drmaa_wait("1", NULL, 0, NULL, -2, NULL, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ARGUMENT, drmaa_wifexited(NULL, 0, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ARGUMENT, drmaa_wexitstatus(&is, -1, DIAGNOSIS));
  synchronize_all(1); /* an empty session has nothing to wait for */
  OK(drmaa_control(DRMAA_JOB_IDS_SESSION_ALL, DRMAA_CONTROL_TERMINATE, DIAGNOSIS));
  end();
}

/* -- one job after the other, and what it is given --------------------------------------------------------------------------- */

static void content_is(const char* name, const char* wanted) {
  char path[1024], text[1024] = "";
  const struct timespec moment = {0, 20000000};
  const time_t deadline = time(NULL) + 60;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  while (strcmp(text, wanted) != 0 && time(NULL) < deadline) { /* it is delivered while the job ends */
    FILE* f = fopen(path, "r");
    if (f) {
      text[fread(text, 1, sizeof text - 1, f)] = '\0';
      fclose(f);
    }
    nanosleep(&moment, NULL);
  }
  if (strcmp(text, wanted) != 0) fprintf(stderr, "%s: \"%s\", not \"%s\"\n", name, text, wanted);
  CHECK(strcmp(text, wanted) == 0);
}

static void submit_wait(void) {
  int i;
  begin();
  for (i = 0; i < 3; ++i) {
    job_id id = run_once(sleeper("0"));
    exited_well(id.text);
    CHECK(state(id.text) == DRMAA_PS_DONE);
    GIVES(DRMAA_ERRNO_INVALID_JOB, drmaa_wait(id.text, NULL, 0, NULL, 0, NULL, DIAGNOSIS)); /* once */
  }
  nothing_left();
  end();
}

static void what_a_job_is_given(void) {
  char text[1024];
  const char* arguments[] = {"-c", "read line; echo \"$line|$0|$1|$A|$B|$PWD\"; echo err >&2", "it's", "two words", NULL};
  const char* variables[] = {"A=1,2", "B=a \\ b", NULL};
  drmaa_job_template_t* jt = command("/bin/sh", NULL, NULL);
  FILE* f;
  job_id id;
  snprintf(text, sizeof text, "%s/in put", directory);
  f = fopen(text, "w");
  CHECK(f && fputs("from a file\n", f) >= 0 && fclose(f) == 0);
  OK(drmaa_set_vector_attribute(jt, DRMAA_V_ARGV, arguments, DIAGNOSIS));
  OK(drmaa_set_vector_attribute(jt, DRMAA_V_ENV, variables, DIAGNOSIS));
  OK(drmaa_set_attribute(jt, DRMAA_WD, directory, DIAGNOSIS));
  OK(drmaa_set_attribute(jt, DRMAA_INPUT_PATH, ":" DRMAA_PLACEHOLDER_WD "/in put", DIAGNOSIS));
  OK(drmaa_set_attribute(jt, DRMAA_OUTPUT_PATH, ":" DRMAA_PLACEHOLDER_WD "/out", DIAGNOSIS));
  OK(drmaa_set_attribute(jt, DRMAA_ERROR_PATH, ":err", DIAGNOSIS)); /* below the working directory */
  OK(drmaa_set_attribute(jt, DRMAA_JOIN_FILES, "n", DIAGNOSIS));
  OK(drmaa_set_attribute(jt, DRMAA_JOB_NAME, "given", DIAGNOSIS));
  OK(drmaa_set_attribute(jt, DRMAA_BLOCK_EMAIL, "1", DIAGNOSIS));
  OK(drmaa_set_attribute(jt, DRMAA_WCT_HLIMIT, "0:10:00", DIAGNOSIS));
  OK(drmaa_set_attribute(jt, DRMAA_NATIVE_SPECIFICATION, "-l select=1:ncpus=2 -A 'some account'", DIAGNOSIS));
  id = run_once(jt);
  exited_well(id.text);
  snprintf(text, sizeof text, "from a file|it's|two words|1,2|a \\ b|%s\n", directory);
  content_is("out", text);
  content_is("err", "err\n");
  puts(id.text);
}
static void given(void) {
  begin();
  what_a_job_is_given();
  end();
}

static void exit_statuses(void) {
  int i;
  char line[32];
  begin();
  for (i = 0; i < 256; i += 51) {
    int stat;
    job_id id;
    snprintf(line, sizeof line, "exit %d", i);
    id = run_once(shell(line));
    stat = waited(id.text);
    CHECK(exited(stat) && !signaled(stat) && !aborted(stat) && exit_status(stat) == i);
    CHECK(state(id.text) == DRMAA_PS_DONE);
  }
  end();
}

static void signals(void) {
  static const struct {
    int number;
    const char* name;
  } all[] = {{SIGKILL, "SIGKILL"}, {SIGABRT, "SIGABRT"}, {SIGTERM, "SIGTERM"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR1, "SIGUSR1"}};
  size_t i;
  char line[32], name[DRMAA_SIGNAL_BUFFER];
  int core;
  begin();
  for (i = 0; i < sizeof all / sizeof all[0]; ++i) {
    int stat;
    job_id id;
    snprintf(line, sizeof line, "kill -%d $$", all[i].number);
    id = run_once(shell(line));
    stat = waited(id.text);
    CHECK(signaled(stat) && !exited(stat) && !aborted(stat) && exit_status(stat) == 128 + all[i].number);
    OK(drmaa_wtermsig(name, sizeof name, stat, DIAGNOSIS));
    CHECK(strcmp(name, all[i].name) == 0);
    OK(drmaa_wcoredump(&core, stat, DIAGNOSIS));
    CHECK(core == 0);
    CHECK(state(id.text) == DRMAA_PS_FAILED);
  }
  end();
}

static void usage(void) {
  job_id id;
  int stat, walltime = 0;
  char value[DRMAA_ATTR_BUFFER];
  drmaa_attr_values_t* rusage;
  begin();
  id = run_once(sleeper("0"));
  OK(drmaa_wait(id.text, NULL, 0, &stat, DRMAA_TIMEOUT_WAIT_FOREVER, &rusage, DIAGNOSIS));
  while (drmaa_get_next_attr_value(rusage, value, sizeof value) == DRMAA_ERRNO_SUCCESS) walltime += strncmp(value, "walltime=", 9) == 0;
  CHECK(walltime == 1);
  drmaa_release_attr_values(rusage);
  end();
}

static void input_failure(void) {
  int stat;
  job_id id;
  drmaa_job_template_t* jt;
  begin();
  jt = sleeper("0");
  OK(drmaa_set_attribute(jt, DRMAA_INPUT_PATH, ":/no/such/file", DIAGNOSIS));
  id = run_once(jt);
  stat = waited(id.text);
  CHECK(aborted(stat) && !exited(stat) && !signaled(stat) && exit_status(stat) == 1 && state(id.text) == DRMAA_PS_FAILED);
  jt = sleeper("0");
  OK(drmaa_set_attribute(jt, DRMAA_WD, "/no/such/directory", DIAGNOSIS));
  id = run_once(jt);
  CHECK(aborted(waited(id.text)));
  end();
}

static void attribute_changes(void) {
  drmaa_job_template_t* jt;
  const char *fails[] = {"-c", "exit 3", NULL}, *works[] = {"-c", "exit 4", NULL};
  job_id first, second;
  begin();
  jt = command("/bin/sh", NULL, NULL);
  OK(drmaa_set_vector_attribute(jt, DRMAA_V_ARGV, fails, DIAGNOSIS));
  first = run(jt);
  OK(drmaa_set_vector_attribute(jt, DRMAA_V_ARGV, works, DIAGNOSIS));
  second = run_once(jt);
  CHECK(exit_status(waited(first.text)) == 3);
  CHECK(exit_status(waited(second.text)) == 4);
  end();
}

/* -- states and control ------------------------------------------------------------------------------------------------------ */

static void holds(void) {
  drmaa_job_template_t* jt;
  job_id id;
  begin();
  jt = sleeper("0");
  OK(drmaa_set_attribute(jt, DRMAA_JS_STATE, DRMAA_SUBMISSION_STATE_HOLD, DIAGNOSIS));
  id = run(jt);
  CHECK(state(id.text) == DRMAA_PS_USER_ON_HOLD);
  GIVES(DRMAA_ERRNO_HOLD_INCONSISTENT_STATE, drmaa_control(id.text, DRMAA_CONTROL_HOLD, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_SUSPEND_INCONSISTENT_STATE, drmaa_control(id.text, DRMAA_CONTROL_SUSPEND, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_EXIT_TIMEOUT, drmaa_wait(id.text, NULL, 0, NULL, DRMAA_TIMEOUT_NO_WAIT, NULL, DIAGNOSIS));
  OK(drmaa_control(id.text, DRMAA_CONTROL_RELEASE, DIAGNOSIS));
  exited_well(id.text);
  id = run_once(jt); /* one that is taken away before it ran */
  OK(drmaa_control(id.text, DRMAA_CONTROL_TERMINATE, DIAGNOSIS));
  CHECK(aborted(waited(id.text)));
  GIVES(DRMAA_ERRNO_INVALID_JOB, drmaa_control(id.text, DRMAA_CONTROL_TERMINATE, DIAGNOSIS));
  jt = sleeper("0"); /* one that waits for its time is held by hand */
  OK(drmaa_set_attribute(jt, DRMAA_START_TIME, "2035/01/01 00:00", DIAGNOSIS));
  id = run_once(jt);
  CHECK(state(id.text) == DRMAA_PS_QUEUED_ACTIVE);
  GIVES(DRMAA_ERRNO_RELEASE_INCONSISTENT_STATE, drmaa_control(id.text, DRMAA_CONTROL_RELEASE, DIAGNOSIS));
  OK(drmaa_control(id.text, DRMAA_CONTROL_HOLD, DIAGNOSIS));
  CHECK(state(id.text) == DRMAA_PS_USER_ON_HOLD);
  OK(drmaa_control(id.text, DRMAA_CONTROL_RELEASE, DIAGNOSIS));
  CHECK(state(id.text) == DRMAA_PS_QUEUED_ACTIVE);
  OK(drmaa_control(DRMAA_JOB_IDS_SESSION_ALL, DRMAA_CONTROL_TERMINATE, DIAGNOSIS));
  synchronize_all(1);
  nothing_left();
  end();
}

static void suspension(void) {
  job_id id;
  int stat;
  begin();
  id = run_once(sleeper("1000"));
  until_state(id.text, DRMAA_PS_RUNNING);
  GIVES(DRMAA_ERRNO_RESUME_INCONSISTENT_STATE, drmaa_control(id.text, DRMAA_CONTROL_RESUME, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_RELEASE_INCONSISTENT_STATE, drmaa_control(id.text, DRMAA_CONTROL_RELEASE, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_HOLD_INCONSISTENT_STATE, drmaa_control(id.text, DRMAA_CONTROL_HOLD, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_INVALID_ARGUMENT, drmaa_control(id.text, 17, DIAGNOSIS));
  OK(drmaa_control(id.text, DRMAA_CONTROL_SUSPEND, DIAGNOSIS));
  until_state(id.text, DRMAA_PS_USER_SUSPENDED);
  GIVES(DRMAA_ERRNO_SUSPEND_INCONSISTENT_STATE, drmaa_control(id.text, DRMAA_CONTROL_SUSPEND, DIAGNOSIS));
  OK(drmaa_control(id.text, DRMAA_CONTROL_RESUME, DIAGNOSIS));
  until_state(id.text, DRMAA_PS_RUNNING);
  OK(drmaa_control(id.text, DRMAA_CONTROL_TERMINATE, DIAGNOSIS));
  stat = waited(id.text);
  CHECK(!exited(stat) && (signaled(stat) || aborted(stat)));
  CHECK(state(id.text) == DRMAA_PS_FAILED);
  end();
}

/* -- many jobs --------------------------------------------------------------------------------------------------------------- */

enum { CHUNK = 3,
       BULK = 4 };

static int submit_mixture(job_id* ids) {
  drmaa_job_template_t* jt = sleeper("0");
  int i, n = run_bulk(jt, 1, BULK, 1, ids);
  CHECK(n == BULK);
  for (i = 0; i < CHUNK; ++i) ids[n++] = run(jt);
  delete_template(jt);
  return n;
}

static void bulk(void) {
  job_id ids[BULK];
  drmaa_job_template_t* jt;
  char name[32], text[32];
  int n, i;
  begin();
  jt = shell("echo $PBS_ARRAY_INDEX");
  OK(drmaa_set_attribute(jt, DRMAA_WD, directory, DIAGNOSIS));
  OK(drmaa_set_attribute(jt, DRMAA_OUTPUT_PATH, ":" DRMAA_PLACEHOLDER_WD "/out." DRMAA_PLACEHOLDER_INCR, DIAGNOSIS));
  n = run_bulk(jt, 10, 2, -4, ids); /* 2, 6 and 10 */
  CHECK(n == 3);
  for (i = 0; i < n; ++i) exited_well(ids[i].text);
  for (i = 2; i <= 10; i += 4) {
    snprintf(name, sizeof name, "out.%d", i);
    snprintf(text, sizeof text, "%d\n", i);
    content_is(name, text);
  }
  n = run_bulk(jt, 7, 7, 1, ids); /* a single one knows its index too */
  CHECK(n == 1);
  exited_well(ids[0].text);
  content_is("out.7", "7\n");
  delete_template(jt);
  nothing_left();
  end();
}

static void bulk_wait_any(void) {
  job_id ids[BULK + CHUNK];
  int i, n;
  begin();
  n = submit_mixture(ids);
  for (i = 0; i < n; ++i) exited_well(DRMAA_JOB_IDS_SESSION_ANY);
  nothing_left();
  end();
}

static void bulk_in_hold(void) {
  job_id ids[BULK];
  drmaa_job_template_t* jt;
  int i, n;
  begin();
  jt = sleeper("0");
  OK(drmaa_set_attribute(jt, DRMAA_JS_STATE, DRMAA_SUBMISSION_STATE_HOLD, DIAGNOSIS));
  n = run_bulk(jt, 1, BULK, 1, ids);
  for (i = 0; i < n; ++i) CHECK(state(ids[i].text) == DRMAA_PS_USER_ON_HOLD);
  for (i = 0; i < n; ++i) OK(drmaa_control(ids[i].text, DRMAA_CONTROL_RELEASE, DIAGNOSIS)); /* one by one */
  for (i = 0; i < n; ++i) exited_well(ids[i].text);
  n = run_bulk(jt, 1, BULK, 1, ids);
  OK(drmaa_control(DRMAA_JOB_IDS_SESSION_ALL, DRMAA_CONTROL_RELEASE, DIAGNOSIS)); /* all together */
  for (i = 0; i < n; ++i) exited_well(ids[i].text);
  n = run_bulk(jt, 1, BULK, 1, ids);
  OK(drmaa_control(ids[0].text, DRMAA_CONTROL_TERMINATE, DIAGNOSIS));
  CHECK(aborted(waited(ids[0].text)));
  OK(drmaa_control(DRMAA_JOB_IDS_SESSION_ALL, DRMAA_CONTROL_TERMINATE, DIAGNOSIS));
  for (i = 1; i < n; ++i) CHECK(aborted(waited(ids[i].text)));
  delete_template(jt);
  nothing_left();
  end();
}

static void synchronize(void) {
  job_id ids[BULK + CHUNK];
  const char* wanted[BULK + CHUNK + 1];
  int i, n;
  begin();
  submit_mixture(ids);
  synchronize_all(1);
  nothing_left();
  n = submit_mixture(ids);
  synchronize_all(0);
  for (i = 0; i < n; ++i) exited_well(ids[i].text);
  nothing_left();
  n = submit_mixture(ids);
  for (i = 0; i < n; ++i) wanted[i] = ids[i].text;
  wanted[n] = NULL;
  OK(drmaa_synchronize(wanted, DRMAA_TIMEOUT_WAIT_FOREVER, 0, DIAGNOSIS));
  for (i = 0; i < n; ++i) exited_well(ids[i].text);
  nothing_left();
  n = submit_mixture(ids);
  for (i = 0; i < n; ++i) wanted[i] = ids[i].text;
  OK(drmaa_synchronize(wanted, DRMAA_TIMEOUT_WAIT_FOREVER, 1, DIAGNOSIS));
  nothing_left();
  end();
}

static void timeouts(void) {
  const char* all[] = {DRMAA_JOB_IDS_SESSION_ALL, NULL};
  drmaa_job_template_t* jt;
  job_id id;
  time_t before;
  begin();
  jt = sleeper("0");
  OK(drmaa_set_attribute(jt, DRMAA_JS_STATE, DRMAA_SUBMISSION_STATE_HOLD, DIAGNOSIS));
  id = run_once(jt);
  GIVES(DRMAA_ERRNO_EXIT_TIMEOUT, drmaa_synchronize(all, DRMAA_TIMEOUT_NO_WAIT, 0, DIAGNOSIS));
  before = time(NULL);
  GIVES(DRMAA_ERRNO_EXIT_TIMEOUT, drmaa_synchronize(all, 1, 0, DIAGNOSIS));
  GIVES(DRMAA_ERRNO_EXIT_TIMEOUT, drmaa_wait(id.text, NULL, 0, NULL, 1, NULL, DIAGNOSIS));
  CHECK(time(NULL) - before >= 1);
  OK(drmaa_control(id.text, DRMAA_CONTROL_RELEASE, DIAGNOSIS));
  exited_well(id.text);
  end();
}

/* -- many threads -------------------------------------------------------------------------------------------------------------- */

enum { THREADS = 8 };

static void* submits_and_waits(void* unused) {
  int i;
  (void)unused;
  for (i = 0; i < CHUNK; ++i) {
    drmaa_job_template_t* jt = sleeper("0");
    job_id id = run(jt);
    int stat, is = 0;
    delete_template(jt);
    check(drmaa_wait(id.text, NULL, 0, &stat, DRMAA_TIMEOUT_WAIT_FOREVER, NULL, NULL, 0) == DRMAA_ERRNO_SUCCESS, "waited", __LINE__);
    check(drmaa_wifexited(&is, stat, NULL, 0) == DRMAA_ERRNO_SUCCESS && is, "exited", __LINE__);
  }
  return NULL;
}

static void in_threads(void* (*work)(void*)) {
  pthread_t threads[THREADS];
  int i;
  for (i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
  for (i = 0; i < THREADS; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
}

static void threads(void) {
  begin();
  in_threads(submits_and_waits);
  nothing_left();
  end();
}

static pthread_mutex_t waiting_guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t waiting_changed = PTHREAD_COND_INITIALIZER;
static int waiting;

static void* waits_for_what_never_ends(void* unused) {
  int rc;
  (void)unused;
  pthread_mutex_lock(&waiting_guard);
  ++waiting;
  pthread_cond_signal(&waiting_changed);
  pthread_mutex_unlock(&waiting_guard);
  rc = drmaa_wait(DRMAA_JOB_IDS_SESSION_ANY, NULL, 0, NULL, DRMAA_TIMEOUT_WAIT_FOREVER, NULL, NULL, 0);
  check(rc == DRMAA_ERRNO_NO_ACTIVE_SESSION, "a session that is gone ends the wait", __LINE__);
  return NULL;
}

static void exit_while_others_wait(void) {
  pthread_t other[THREADS];
  drmaa_job_template_t* jt;
  job_id id;
  int i;
  begin();
  jt = sleeper("0");
  OK(drmaa_set_attribute(jt, DRMAA_JS_STATE, DRMAA_SUBMISSION_STATE_HOLD, DIAGNOSIS));
  id = run_once(jt);
  for (i = 0; i < THREADS; ++i) CHECK(pthread_create(&other[i], NULL, waits_for_what_never_ends, NULL) == 0);
  pthread_mutex_lock(&waiting_guard);
  while (waiting < THREADS) pthread_cond_wait(&waiting_changed, &waiting_guard);
  pthread_mutex_unlock(&waiting_guard);
  end();
  for (i = 0; i < THREADS; ++i) CHECK(pthread_join(other[i], NULL) == 0);
  begin(); /* the job is not this session's, but can be looked at and taken away */
  nothing_left();
  CHECK(state(id.text) == DRMAA_PS_USER_ON_HOLD);
  OK(drmaa_control(id.text, DRMAA_CONTROL_TERMINATE, DIAGNOSIS));
  end();
}

/* -- without a history ------------------------------------------------------------------------------------------------------- */

static void no_history(void) {
  GIVES(DRMAA_ERRNO_DRMS_INIT_FAILED, drmaa_init(NULL, DIAGNOSIS));
  CHECK(strstr(why, "job_history_enable"));
  GIVES(DRMAA_ERRNO_NO_ACTIVE_SESSION, drmaa_exit(DIAGNOSIS));
}

/* A job of the session that the server has forgotten: FORGET is a command line that makes it so. */
static void forgotten(void) {
  int stat;
  job_id id;
  char line[DRMAA_JOBNAME_BUFFER + 64];
  drmaa_job_template_t* jt;
  begin();
  jt = sleeper("0");
  OK(drmaa_set_attribute(jt, DRMAA_JS_STATE, DRMAA_SUBMISSION_STATE_HOLD, DIAGNOSIS));
  id = run_once(jt);
  snprintf(line, sizeof line, "qdel -x %s", id.text);
  CHECK(system(line) == 0);
  GIVES(DRMAA_ERRNO_NO_RUSAGE, drmaa_wait(id.text, NULL, 0, &stat, DRMAA_TIMEOUT_WAIT_FOREVER, NULL, DIAGNOSIS));
  CHECK(!exited(stat) && !signaled(stat) && !aborted(stat));
  nothing_left();
  end();
}

static const struct {
  const char* name;
  void (*run)(void);
} all_cases[] = {
    {"sessions", sessions},
    {"templates", templates},
    {"invalid_arguments", invalid_arguments},
    {"submit_wait", submit_wait},
    {"given", given},
    {"exit_statuses", exit_statuses},
    {"signals", signals},
    {"usage", usage},
    {"input_failure", input_failure},
    {"attribute_changes", attribute_changes},
    {"holds", holds},
    {"suspension", suspension},
    {"bulk", bulk},
    {"bulk_wait_any", bulk_wait_any},
    {"bulk_in_hold", bulk_in_hold},
    {"synchronize", synchronize},
    {"timeouts", timeouts},
    {"threads", threads},
    {"exit_while_others_wait", exit_while_others_wait},
    {"forgotten", forgotten},
    {"no_history", no_history},
};

int main(int argc, char** argv) {
  size_t i;
  CHECK(argc == 3);
  directory = argv[2];
  for (i = 0; i < sizeof all_cases / sizeof all_cases[0]; ++i)
    if (strcmp(argv[1], all_cases[i].name) == 0) {
      all_cases[i].run();
      return 0;
    }
  fprintf(stderr, "no case: %s\n", argv[1]);
  return 2;
}
