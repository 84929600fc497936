/* Every status call, and pbs_locjob. status ID QUEUE HOST: a job of this queue, and a host. */
#include "check.h"

int main(int argc, char** argv) {
  int c = connected();
  struct batch_status* s;
  char* where;
  struct attrl walltime = {NULL, ATTR_l, "walltime", NULL, SET};
  struct attrl bad = {NULL, "nosuch", NULL, NULL, SET};
  CHECK(argc == 4);

  s = pbs_statjob(c, argv[1], NULL, NULL);
  CHECK(count(s) == 1 && strcmp(s->name, argv[1]) == 0);
  CHECK(strcmp(value_of(s, ATTR_queue, NULL), argv[2]) == 0);
  CHECK(value_of(s, ATTR_l, "walltime") && value_of(s, ATTR_ctime, NULL));
  CHECK(atol(value_of(s, ATTR_ctime, NULL)) > 1000000000L); /* times are seconds since 1970 */
  pbs_statfree(s);
  s = pbs_statjob(c, argv[1], &walltime, NULL);
  CHECK(count(s) == 1 && value_of(s, ATTR_l, "walltime") && !s->attribs->next);
  pbs_statfree(s);
  s = pbs_statjob(c, argv[2], NULL, "x");
  CHECK(count(s) >= 1);
  pbs_statfree(s);
  s = pbs_statjob(c, NULL, NULL, NULL);
  CHECK(count(s) >= 1);
  pbs_statfree(s);
  CHECK(pbs_statjob(c, "99999", NULL, NULL) == NULL && pbs_errno == PBSE_UNKJOBID);
  CHECK(pbs_statjob(c, argv[1], &bad, NULL) == NULL && pbs_errno == PBSE_NOATTR);

  s = pbs_statque(c, argv[2], NULL, NULL);
  CHECK(count(s) == 1 && strcmp(value_of(s, ATTR_qtype, NULL), "Execution") == 0);
  pbs_statfree(s);
  s = pbs_statque(c, "", NULL, NULL);
  CHECK(count(s) >= 2);
  pbs_statfree(s);
  CHECK(pbs_statque(c, "nosuch", NULL, NULL) == NULL && pbs_errno == PBSE_UNKQUE);

  s = pbs_statserver(c, NULL, NULL);
  CHECK(count(s) == 1 && value_of(s, ATTR_dfltque, NULL));
  pbs_statfree(s);

  s = pbs_statsched(c, NULL, NULL);
  CHECK(count(s) == 2); /* one entry per scheduler (MS-22, MS-115) */
  CHECK(strcmp(s->name, "default") == 0 || strcmp(s->next->name, "default") == 0);
  pbs_statfree(s);

  s = pbs_stathost(c, argv[3], NULL, NULL);
  CHECK(count(s) == 1 && value_of(s, ATTR_rescavail, "ncpus"));
  pbs_statfree(s);
  s = pbs_statnode(c, NULL, NULL, NULL);
  CHECK(count(s) >= 1);
  pbs_statfree(s);
  s = pbs_statvnode(c, argv[3], NULL, NULL);
  CHECK(count(s) == 1 && value_of(s, ATTR_NODE_state, NULL));
  pbs_statfree(s);
  CHECK(pbs_statvnode(c, "nosuch", NULL, NULL) == NULL && pbs_errno == PBSE_UNKNODE);

  s = pbs_statrsc(c, "ncpus", NULL, NULL);
  CHECK(count(s) == 1 && strcmp(value_of(s, ATTR_RESC_TYPE, NULL), "long") == 0);
  pbs_statfree(s);

  s = pbs_stathook(c, "chook", NULL, NULL);
  CHECK(count(s) == 1 && strcmp(value_of(s, "event", NULL), "queuejob") == 0 && strcmp(value_of(s, "enabled", NULL), "false") == 0);
  pbs_statfree(s);
  CHECK(pbs_stathook(c, "nosuch", NULL, NULL) == NULL && pbs_errno != 0);

  CHECK(pbs_statresv(c, NULL, NULL, NULL) == NULL && pbs_errno == 0);
  CHECK(pbs_statresv(c, "R1", NULL, NULL) == NULL && pbs_errno == PBSE_UNKRESVID);

  where = pbs_locjob(c, argv[1], NULL);
  CHECK(where && strstr(argv[1], where)); /* "12.server" */
  free(where);
  CHECK(pbs_locjob(c, "99999", NULL) == NULL && pbs_errno == PBSE_UNKJOBID);
  pbs_statfree(NULL);
  return pbs_disconnect(c);
}
