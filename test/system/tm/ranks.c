/* A small MPI program: each rank says on which host of the job it runs, and they add up what they are. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* All is done and said: MPICH 4.0 over UCX can wait for ever in MPI_Finalize, for a rank that listens no more. */
static void leave(int sig) {
  (void)sig;
  _exit(0);
}

int main(int argc, char** argv) {
  int rank, size, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d of %d, node %s, sum %d\n", rank, size, getenv("PBS_NODENUM"), sum);
  fflush(stdout);
  signal(SIGALRM, leave);
  alarm(10);
  MPI_Finalize();
  return 0;
}
