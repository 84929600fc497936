/* pbs_rescquery, and the calls that are refused. vnodes AVAILABLE ALLOCATED RESERVED DOWN: what is to be counted. */
#include "check.h"

static void refused(int c, int answered, const char* why) {
  CHECK(answered == PBSE_NOSUP && pbs_errno == PBSE_NOSUP);
  CHECK(strncmp(pbs_geterrmsg(c), "No support for requested service: ", 34) == 0 && strcmp(pbs_geterrmsg(c) + 34, why) == 0);
}

int main(int argc, char** argv) {
  int c = connected(), i, got[4][2];
  char *names[] = {"nodes", "nodes="}, *some[] = {"nodes", "nodes=2:big"}, *other[] = {"tapes"};
  pbs_resource_t kept = RESOURCE_T_NULL;
  CHECK(argc == 5);
  CHECK(pbs_rescquery(c, names, 2, got[0], got[1], got[2], got[3]) == 0 && pbs_errno == 0);
  for (i = 0; i < 4; ++i) CHECK(got[i][0] == atoi(argv[1 + i]) && got[i][1] == got[i][0]);
  CHECK(pbs_rescquery(c, some, 2, got[0], got[1], got[2], got[3]) == PBSE_NOSUP && pbs_errno == PBSE_NOSUP);
  CHECK(pbs_rescquery(c, other, 1, got[0], got[1], got[2], got[3]) == PBSE_UNKRESC);
  CHECK(strcmp(pbs_geterrmsg(c), "Unknown resource: tapes") == 0);
  CHECK(pbs_rescquery(c, names, 0, got[0], got[1], got[2], got[3]) == PBSE_RMNOPARAM);
  CHECK(pbs_rescquery(c + 1, names, 1, got[0], got[1], got[2], got[3]) == PBSE_DISPROTO);

  refused(c, pbs_rescreserve(c, names, 1, &kept), "pbs_submit_resv keeps resources for later");
  CHECK(kept == RESOURCE_T_NULL);
  refused(c, pbs_rescrelease(c, RESOURCE_T_ALL), "pbs_delresv gives up what pbs_submit_resv keeps");
  refused(c, pbs_stagein(c, "1", NULL, NULL), "a job's files are staged in when it is run");
  refused(c, pbs_confirmresv(c, "R1", NULL, 0, NULL), "only the scheduler of this server confirms reservations");
  CHECK(pbs_preempt_jobs(c, names) == NULL);
  refused(c, pbs_errno, "only the scheduler of this server preempts jobs");
  CHECK(pbs_stagein(c + 1, "1", NULL, NULL) == PBSE_DISPROTO); /* no such connection */
  return pbs_disconnect(c);
}
