# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# Sourced: a Slurm of two nodes of this one machine, for as long as the script runs. Everything is in a
# temporary folder and on ports that nobody has; nothing is left whatever happens.
#   slurm_start FOLDER [NODE...]    sets SLURM_CONF; fails with the logs' last lines where it does not come up
#   slurm_stop                      the trap of the script calls it

slurm_pids=()
SLURM_CONF=

free_ports() { # N: so many TCP ports that nobody listens on now
  python3 -c 'import socket, sys
held = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in held: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in held))' "$1"
}

slurm_stop() {
  # The daemons first, so that nothing is started anew; then whatever they started.
  kill -KILL "${slurm_pids[@]}" 2>/dev/null || true
  local file
  for file in $(grep -lszx "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ 2>/dev/null); do
    file=${file#/proc/}
    kill -KILL "${file%%/*}" 2>/dev/null || true
  done
}

slurm_start() {
  slurm_folder=$1
  shift
  local nodes=("$@") ports node i=0
  mkdir -p "$slurm_folder"/{state,log}
  read -ra ports < <(free_ports $((${#nodes[@]} + 1)))
  dd if=/dev/urandom of="$slurm_folder/munge.key" bs=1024 count=1 status=none
  chmod 400 "$slurm_folder/munge.key"
  # Debian's munge has its own idea of safe folders: --force takes a temporary one.
  munged --foreground --force --num-threads=2 --key-file="$slurm_folder/munge.key" \
    --socket="$slurm_folder/munge.socket" --pid-file="$slurm_folder/munge.pid" \
    --seed-file="$slurm_folder/munge.seed" --log-file="$slurm_folder/log/munged" \
    >"$slurm_folder/log/munged.out" 2>&1 &
  slurm_pids+=($!)
  disown
  {
    cat <<CONF
ClusterName=campaign
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$slurm_folder/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$slurm_folder/state
SlurmdSpoolDir=$slurm_folder/spool-%n
SlurmctldPidFile=$slurm_folder/slurmctld.pid
SlurmdPidFile=$slurm_folder/slurmd-%n.pid
SlurmctldLogFile=$slurm_folder/log/slurmctld
SlurmdLogFile=$slurm_folder/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0,requeue_delay=0
ReturnToService=2
KillWait=2
MaxArraySize=64
CONF
    for node in "${nodes[@]}"; do
      echo "NodeName=$node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=${ports[$((++i))]} CPUs=1 State=UNKNOWN"
    done
    echo "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
  } >"$slurm_folder/slurm.conf"
  export SLURM_CONF=$slurm_folder/slurm.conf
  until [[ -S $slurm_folder/munge.socket ]]; do sleep 0.05; done
  slurmctld -D >"$slurm_folder/log/slurmctld.out" 2>&1 &
  slurm_pids+=($!)
  disown
  for node in "${nodes[@]}"; do
    slurmd -D -N "$node" >"$slurm_folder/log/slurmd-$node.out" 2>&1 &
    slurm_pids+=($!)
    disown
  done
  local tries
  for ((tries = 0; tries < 300; ++tries)); do
    [[ $(sinfo --noheader --Node --format=%t 2>/dev/null | grep -c '^idle') == "${#nodes[@]}" ]] && return 0
    sleep 0.1
  done
  echo "Slurm did not come up:" >&2
  tail -n 5 "$slurm_folder"/log/* >&2
  return 1
}
