/* pbs_manager and pbs_terminate: makes the queue "cq", a scheduler "s2" and a hook "chook", sets and unsets, and with "stop" ends the server. */
#include "check.h"

int main(int argc, char **argv) {
  int c = connected();
  struct attropl started = {NULL, ATTR_start, NULL, "True", SET};
  struct attropl enabled = {&started, ATTR_enable, NULL, "True", SET};
  struct attropl type = {&enabled, ATTR_qtype, NULL, "execution", SET};
  struct attropl comment = {NULL, ATTR_comment, NULL, "by C", SET};
  struct attropl no_comment = {NULL, ATTR_comment, NULL, "", UNSET};
  struct attropl event = {NULL, "event", NULL, "queuejob", SET};
  struct attropl enabled_hook = {NULL, "enabled", NULL, "false", SET};
  struct batch_status *s;
  if (argc == 2 && strcmp(argv[1], "stop") == 0) return pbs_terminate(c, SHUT_QUICK, NULL);
  CHECK(pbs_manager(c, MGR_CMD_CREATE, MGR_OBJ_QUEUE, "cq", &type, NULL) == 0);
  CHECK(pbs_manager(c, MGR_CMD_CREATE, MGR_OBJ_QUEUE, "cq", &type, NULL) == PBSE_QUEEXIST);
  CHECK(pbs_manager(c, MGR_CMD_CREATE, MGR_OBJ_SCHED, "s2", NULL, NULL) == 0);
  CHECK(pbs_manager(c, MGR_CMD_CREATE, MGR_OBJ_HOOK, "chook", &event, NULL) == 0);
  CHECK(pbs_manager(c, MGR_CMD_SET, MGR_OBJ_HOOK, "chook", &enabled_hook, NULL) == 0);
  CHECK(pbs_manager(c, MGR_CMD_DELETE, MGR_OBJ_HOOK, "nosuch", NULL, NULL) != 0);
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
