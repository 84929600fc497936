/* One call for a job, named on the command line: requests CALL JOB [ARGUMENT [ARGUMENT]]. Prints what it answered. */
#include "check.h"

int main(int argc, char** argv) {
  int c = connected(), rc = -1;
  const char *call = argv[1], *job = argv[2], *a = argc > 3 ? argv[3] : NULL, *b = argc > 4 ? argv[4] : NULL;
  if (strcmp(call, "alter") == 0) {
    struct attrl change = {NULL, (char*)a, NULL, (char*)b, SET};
    rc = pbs_alterjob(c, job, &change, NULL);
  } else if (strcmp(call, "alter_resource") == 0) {
    struct attrl change = {NULL, ATTR_l, (char*)a, (char*)b, SET};
    rc = pbs_asyalterjob(c, job, &change, NULL);
  } else if (strcmp(call, "del") == 0) rc = pbs_deljob(c, job, a);
  else if (strcmp(call, "dellist") == 0) {
    char* ids[] = {(char*)job, "99999", (char*)a, "no id"};
    struct batch_deljob_status* failed = pbs_deljoblist(c, ids, 4, b);
    CHECK(pbs_errno == PBSE_UNKJOBID && strcmp(pbs_geterrmsg(c), "Unknown Job Id") == 0);
    CHECK(failed && strcmp(failed->name, "99999") == 0 && failed->code == PBSE_UNKJOBID);
    CHECK(failed->next && strcmp(failed->next->name, "no id") == 0 && failed->next->code == PBSE_UNKJOBID && !failed->next->next);
    pbs_delstatfree(failed);
    CHECK(pbs_deljoblist(c, ids, 0, NULL) == NULL && pbs_errno == 0);
    return pbs_disconnect(c);
  } else if (strcmp(call, "hold") == 0) rc = pbs_holdjob(c, job, a, NULL);
  else if (strcmp(call, "rls") == 0) rc = pbs_rlsjob(c, job, a, NULL);
  else if (strcmp(call, "run") == 0) rc = pbs_runjob(c, job, a, NULL);
  else if (strcmp(call, "asyrun") == 0) rc = pbs_asyrunjob(c, job, a, NULL);
  else if (strcmp(call, "rerun") == 0) rc = pbs_rerunjob(c, job, a);
  else if (strcmp(call, "move") == 0) rc = pbs_movejob(c, job, a, NULL);
  else if (strcmp(call, "sig") == 0) rc = pbs_sigjob(c, job, a, NULL);
  else if (strcmp(call, "msg") == 0) rc = pbs_msgjob(c, job, atoi(b), a, NULL);
  else if (strcmp(call, "order") == 0) rc = pbs_orderjob(c, job, a, NULL);
  CHECK(rc == pbs_errno);
  printf("%d %s\n", rc, pbs_geterrmsg(c) ? pbs_geterrmsg(c) : "");
  return pbs_disconnect(c);
}
