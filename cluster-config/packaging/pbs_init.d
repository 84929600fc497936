#!/bin/bash
### BEGIN INIT INFO
# Provides:          pbs
# Required-Start:    $network $remote_fs
# Required-Stop:     $network $remote_fs
# Default-Start:     2 3 4 5
# Default-Stop:      0 1 6
# Short-Description: PBS server and MoM
### END INIT INFO
#
# usage: pbs_init.d {start|stop|restart|status}
#
# Starts or stops the daemons for which pbs.conf, or the environment, says PBS_START_SERVER, _MOM or _COMM = 1. `start`
# returns when each answers; `status` prints what runs. The server starts its schedulers, and ends them when it is
# stopped: see them with qmgr. PBS_START_SCHED is deprecated and has no effect; a scheduler's attribute `scheduling` says
# whether it is to run. PBS_START_COMM is accepted: there is no router process to start, because the daemons talk directly.
set -uo pipefail

conf_file=${PBS_CONF_FILE:-/etc/pbs.conf}
conf() {   # KEY DEFAULT
  local value=${!1-}
  if [ -z "$value" ] && [ -r "$conf_file" ]; then
    value=$(sed -n "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*\(.*[^[:space:]]\)[[:space:]]*\$/\1/p" "$conf_file" | tail -n 1)
    value=${value#\"} value=${value%\"}
  fi
  printf '%s' "${value:-$2}"
}

exec_dir=$(conf PBS_EXEC /opt/pbs)
home=$(conf PBS_HOME /var/spool/pbs)
mom_home=$(conf PBS_MOM_HOME "$home")
declare -A lock=([pbs_server]="$home/server_priv/server.lock" [pbs_mom]="$mom_home/mom_priv/mom.lock"
                 [pbs_comm]="$home/server_priv/comm.lock")
stop_deadline_s=60 qterm_deadline_s=20

wanted() {   # DAEMON
  case $1 in
    pbs_server) [ "$(conf PBS_START_SERVER 0)" = 1 ] ;;
    pbs_mom) [ "$(conf PBS_START_MOM 0)" = 1 ] ;;
    pbs_comm) [ "$(conf PBS_START_COMM 0)" = 1 ] ;;
  esac
}

# Prints the pid of the daemon if it runs. A lock file may outlive its daemon, and its pid may then be anybody's.
pid_in() {   # DAEMON FILE
  local pid=
  read -r pid 2>/dev/null < "$2" || return 1
  [[ $pid =~ ^[0-9]+$ ]] && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$1" ] && echo "$pid"
}
pid_of() { pid_in "$1" "${lock[$1]}"; }

start_daemon() {
  if pid_of "$1" >/dev/null; then
    echo "PBS ${1#pbs_} already running."
    return 0
  fi
  "$exec_dir/sbin/$1" || { echo "$1 did not start." >&2; return 1; }   # returns when it is ready
  echo "PBS ${1#pbs_}"
}

start() {
  echo "Starting PBS"
  [ -z "$(conf PBS_START_SCHED "")" ] ||
    echo "PBS_START_SCHED is deprecated: the server starts each scheduler whose scheduling is True (qmgr: set sched)."
  "$exec_dir/libexec/pbs_habitat" || return 1
  local daemon failed=0
  for daemon in pbs_comm pbs_mom pbs_server; do
    if wanted $daemon; then start_daemon $daemon || failed=1; fi
  done
  return $failed
}

await_end() {   # DAEMON FILE PID: waits until it is gone
  local deadline=$((SECONDS + stop_deadline_s))
  while [ "$(pid_in "$1" "$2")" = "$3" ]; do
    if [ $SECONDS -ge $deadline ]; then
      echo "$1 (pid $3) does not end" >&2
      return 1
    fi
    sleep 0.05
  done
}

end_daemon() {   # DAEMON FILE: by a signal
  local pid
  pid=$(pid_in "$1" "$2") || return 0
  kill -TERM "$pid" 2>/dev/null
  await_end "$1" "$2" "$pid"
}

# With the server its schedulers end, wherever they run. A server that does not answer is told by a signal, and so are the
# schedulers of this host.
stop_server() {
  local pid priv failed=0
  if pid=$(pid_of pbs_server) && timeout $qterm_deadline_s "$exec_dir/bin/qterm" -s >/dev/null 2>&1; then
    await_end pbs_server "${lock[pbs_server]}" "$pid" || failed=1
  else
    end_daemon pbs_server "${lock[pbs_server]}" || failed=1
  fi
  for priv in "$home"/sched_priv "$home"/sched_priv_*; do
    end_daemon pbs_sched "$priv/sched.lock" || failed=1
  done
  return $failed
}

stop() {
  echo "Stopping PBS"
  local failed=0
  if wanted pbs_server; then stop_server || failed=1; fi
  local daemon
  for daemon in pbs_mom pbs_comm; do
    if wanted $daemon; then end_daemon $daemon "${lock[$daemon]}" || failed=1; fi
  done
  return $failed
}

# Exit status 0 when all that is wanted runs. The wording is what site tools expect: comm without the word pid. Schedulers are the
# server's: qmgr -c 'list sched'.
status() {
  local daemon pid failed=0
  for daemon in pbs_server pbs_mom pbs_comm; do
    wanted $daemon || continue
    if pid=$(pid_of $daemon); then
      if [ $daemon = pbs_comm ]; then echo "pbs_comm is $pid"; else echo "$daemon is pid $pid"; fi
    else
      echo "$daemon is not running"
      failed=1
    fi
  done
  return $failed
}

case "${1:-}" in
  start) start ;;
  stop) stop ;;
  restart) stop && start ;;
  status) status ;;
  *) echo "usage: $(basename "$0") {start|stop|restart|status}" >&2; exit 1 ;;
esac
