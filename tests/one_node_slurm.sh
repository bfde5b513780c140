#!/bin/sh
# Start SLURM with one node, this machine, for the tests of studies:
#
#     apt-get install --no-install-recommends slurmctld slurmd slurm-client munge
#     tests/one_node_slurm.sh /tmp/slurm
#     SLURM_CONF=/tmp/slurm/slurm.conf python -m pytest -m slow -k slurm tests/unit/runs
#
# The daemons belong to the user who starts them, listen on loopback and keep all files in the folder.
# Their process numbers are in *.pid there. SLURM_ROOT is the root of packages that were unpacked
# elsewhere (dpkg -x) instead of being installed.
set -eu
folder=$(realpath -m "$1")
root=${SLURM_ROOT:-}
node=$(hostname -s)
mkdir -p "$folder/state" "$folder/spool"
chmod 755 "$folder"
export LD_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu:$root/usr/lib/x86_64-linux-gnu/slurm-wlm"

(umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
"$root/usr/sbin/munged" --force --key-file="$folder/munge.key" --socket="$folder/munge.sock" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munged.seed"

cat >"$folder/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$node(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.sock
PluginDir=$root/usr/lib/x86_64-linux-gnu/slurm-wlm
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=4000
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$folder/slurm.conf"
"$root/usr/sbin/slurmctld-wlm" -c
"$root/usr/sbin/slurmd-wlm" -c -d "$root/usr/sbin/slurmstepd-wlm"
