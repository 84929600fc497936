/*
 * pbs_manager and pbs_terminate: makes the queue "cq", a scheduler "s2" and a hook "chook", sets and unsets; gives the hook the
 * content of a file and writes it to another, in base64 too: management FROM TO. management stop: ends the server.
 */
#include "check.h"

static void imports(int c, char* from, char* encoding) {
  struct attropl type = {NULL, "content-type", NULL, "application/x-python", SET};
  struct attropl how = {&type, "content-encoding", NULL, encoding, SET};
  struct attropl input = {&how, "input-file", NULL, from, SET};
  CHECK(pbs_manager(c, MGR_CMD_IMPORT, MGR_OBJ_HOOK, "chook", &input, NULL) == 0);
}

static void exports(int c, char* to, char* encoding) {
  struct attropl type = {NULL, "content-type", NULL, "application/x-python", SET};
  struct attropl how = {&type, "content-encoding", NULL, encoding, SET};
  struct attropl output = {&how, "output-file", NULL, to, SET};
  CHECK(pbs_manager(c, MGR_CMD_EXPORT, MGR_OBJ_HOOK, "chook", &output, NULL) == 0);
}

static void refuses_what_is_no_content(int c, char* from) {
  struct attropl bad_type = {NULL, "content-type", NULL, "text/html", SET};
  struct attropl input = {&bad_type, "input-file", NULL, from, SET};
  struct attropl type = {NULL, "content-type", NULL, "application/x-python", SET};
  struct attropl missing = {&type, "input-file", NULL, "/no/such/file", SET};
  struct attropl bad_encoding = {&input, "content-encoding", NULL, "rot13", SET};
  CHECK(pbs_manager(c, MGR_CMD_IMPORT, MGR_OBJ_HOOK, "chook", &input, NULL) == PBSE_HOOKERROR);
  CHECK(pbs_manager(c, MGR_CMD_IMPORT, MGR_OBJ_HOOK, "chook", &missing, NULL) == PBSE_SYSTEM);
  CHECK(strstr(pbs_geterrmsg(c), "/no/such/file"));
  CHECK(pbs_manager(c, MGR_CMD_IMPORT, MGR_OBJ_HOOK, "chook", &bad_encoding, NULL) == PBSE_BADATVAL);
  CHECK(pbs_manager(c, MGR_CMD_IMPORT, MGR_OBJ_HOOK, "chook", &type, NULL) == PBSE_IVALREQ);
  CHECK(pbs_manager(c, MGR_CMD_IMPORT, MGR_OBJ_HOOK, "nosuch", &input, NULL) != 0);
  CHECK(pbs_manager(c, MGR_CMD_IMPORT, MGR_OBJ_QUEUE, "cq", &input, NULL) == PBSE_IVALREQ);
}

int main(int argc, char** argv) {
  int c = connected();
  struct attropl started = {NULL, ATTR_start, NULL, "True", SET};
  struct attropl enabled = {&started, ATTR_enable, NULL, "True", SET};
  struct attropl type = {&enabled, ATTR_qtype, NULL, "execution", SET};
  struct attropl comment = {NULL, ATTR_comment, NULL, "by C", SET};
  struct attropl no_comment = {NULL, ATTR_comment, NULL, "", UNSET};
  struct attropl event = {NULL, "event", NULL, "queuejob", SET};
  struct attropl enabled_hook = {NULL, "enabled", NULL, "false", SET};
  struct batch_status* s;
  if (argc == 2 && strcmp(argv[1], "stop") == 0) return pbs_terminate(c, SHUT_QUICK, NULL);
  CHECK(pbs_manager(c, MGR_CMD_CREATE, MGR_OBJ_QUEUE, "cq", &type, NULL) == 0);
  CHECK(pbs_manager(c, MGR_CMD_CREATE, MGR_OBJ_QUEUE, "cq", &type, NULL) == PBSE_QUEEXIST);
  CHECK(pbs_manager(c, MGR_CMD_CREATE, MGR_OBJ_SCHED, "s2", NULL, NULL) == 0);
  CHECK(pbs_manager(c, MGR_CMD_CREATE, MGR_OBJ_HOOK, "chook", &event, NULL) == 0);
  CHECK(pbs_manager(c, MGR_CMD_SET, MGR_OBJ_HOOK, "chook", &enabled_hook, NULL) == 0);
  CHECK(pbs_manager(c, MGR_CMD_DELETE, MGR_OBJ_HOOK, "nosuch", NULL, NULL) != 0);
  CHECK(argc == 3);
  imports(c, argv[1], "default");
  exports(c, argv[2], "base64");
  imports(c, argv[2], "base64");
  exports(c, argv[2], "default");
  refuses_what_is_no_content(c, argv[1]);
  CHECK(pbs_manager(c, MGR_CMD_SET, MGR_OBJ_SERVER, NULL, &comment, NULL) == 0);
  s = pbs_statserver(c, NULL, NULL);
  CHECK(strcmp(value_of(s, ATTR_comment, NULL), "by C") == 0);
  pbs_statfree(s);
  CHECK(pbs_manager(c, MGR_CMD_UNSET, MGR_OBJ_SERVER, "", &no_comment, NULL) == 0);
  s = pbs_statserver(c, NULL, NULL);
  CHECK(value_of(s, ATTR_comment, NULL) == NULL);
  pbs_statfree(s);
  CHECK(pbs_manager(c, MGR_CMD_DELETE, MGR_OBJ_QUEUE, "nosuch", NULL, NULL) == PBSE_UNKQUE);
  CHECK(pbs_manager(c, MGR_CMD_LIST, MGR_OBJ_QUEUE, "cq", NULL, NULL) == PBSE_IVALREQ);
  return pbs_disconnect(c);
}
