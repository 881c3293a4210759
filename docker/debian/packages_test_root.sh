#!/usr/bin/env bash
# Installs, upgrades, removes and purges the packages in the root that it runs in, which should be for that alone:
# packages_test.sh makes one. The packages' dependencies must be installed.
# usage: packages_test_root.sh OLD NEW    (folders of packages, NEW with a higher version)
set -euo pipefail
old=${1:?"usage: packages_test_root.sh OLD NEW"}
new=${2:?"usage: packages_test_root.sh OLD NEW"}
packages=(diopi-agent diopi-cli diopi-common diopi-server)
unit=/etc/systemd/system/multi-user.target.wants/diopi-server.service
export DEBIAN_FRONTEND=noninteractive

# Without triggers: man-db would read every manual page of the machine.
dpkg() { command dpkg --no-triggers "$@"; }
fail() {
  echo "packages_test_root: $1" >&2
  exit 1
}
left() { # what has our name
  find /etc /lib /usr /var/cache /var/lib/diopi* -xdev \( -name 'diopi*' -o -name 'libdiopi*' \) -not -path '/usr/src/*' \
    2>/dev/null | sort
}

[ -z "$(dpkg-query -W 'diopi-*' 2>/dev/null)" ] || fail "packages are installed here already"
dpkg --install "$old"/*.deb </dev/null
for program in server agent cli; do
  "diopi-$program" --version >/dev/null || fail "diopi-$program does not run"
done
[ "$(stat -c '%U %G %a' /var/lib/diopi)" = "diopi diopi 700" ] || fail "/var/lib/diopi: $(stat -c '%U %G %a' /var/lib/diopi)"
[ "$(getent passwd diopi | cut -d: -f6,7)" = /var/lib/diopi:/usr/sbin/nologin ] || fail "user diopi: $(getent passwd diopi)"
getent passwd diopi-agent >/dev/null || fail "no user diopi-agent"
[ -z "$(find /etc/systemd/system -name 'diopi*')" ] || fail "a service was enabled"
for service in diopi-server diopi-agent@; do
  program=$(sed -nE 's/^ExecStart=([^ ]*) .*/\1/p' "/lib/systemd/system/$service.service")
  [ -x "$program" ] || fail "$service starts $program, which does not exist"
done

# A run on the installed server, with the unit's command.
serve() { # serve COMMAND...: runs it while a server listens at $address
  local ready
  exec {ready}< <(exec setpriv --reuid diopi --regid diopi --clear-groups env DIOPI_DATA=/var/lib/diopi \
    diopi-server --config /etc/diopi/server.toml --listen 127.0.0.1:0 --http 127.0.0.1:0 --log-level error --ready-fd 1)
  local server=$!
  read -r -t 60 _ address <&"$ready" || fail "the server is not ready"
  "$@" || fail "$*: exit status $?"
  kill "$server"
  exec {ready}<&-
}
run_agent() {
  (cd /tmp/cache && runuser -u diopi-agent -- env XDG_CACHE_HOME=/tmp/cache diopi-agent --server "$address" --fname add --quiet \
    --impl /usr/lib/diopi/lib/libdiopi_cpu.so)
}
runuser -u diopi -- diopi-cli gen --data /var/lib/diopi --fname add --quiet
install -d -o diopi-agent /tmp/cache
serve run_agent
[ -s /var/lib/diopi/results.db ] || fail "no results"
results() { runuser -u diopi -- diopi-cli report --data /var/lib/diopi --run latest --format csv | sha256sum; }
before=$(results)

# An upgrade keeps the administrator's configuration, will and data.
echo 'lease-s = 60' >>/etc/diopi/server.toml
echo 'ARGUMENTS=--chip a1' >/etc/diopi/agent-a1.env
mkdir -p "${unit%/*}"
ln -s /lib/systemd/system/diopi-server.service "$unit" # as systemctl enable does
dpkg --install "$new"/*.deb </dev/null
[ "$(dpkg-query -W -f '${Version} ' "${packages[@]}")" = "0.1.0 0.1.0 0.1.0 0.1.0 " ] || fail "not upgraded"
grep -qx 'lease-s = 60' /etc/diopi/server.toml || fail "the upgrade replaced server.toml"
[ -L "$unit" ] || fail "the upgrade disabled the service"
[ "$(results)" = "$before" ] || fail "the upgrade changed the results"
serve true

# Without a package that it needs, nothing is removed.
! dpkg --remove diopi-common 2>/dev/null || fail "diopi-common could be removed alone"
dpkg --remove "${packages[@]}"
[ ! -e /usr/bin/diopi-server ] || fail "remove left a program"
grep -qx 'lease-s = 60' /etc/diopi/server.toml || fail "remove deleted the configuration"
[ -s /var/lib/diopi/results.db ] || fail "remove deleted the results"

# An interrupted life: installed again, the results are there. Then purged, they still are.
dpkg --install "$new"/*.deb </dev/null
[ "$(results)" = "$before" ] || fail "the results are gone after a remove"
mkdir -p /var/cache/diopi-agent/baselines
dpkg --purge "${packages[@]}" >/tmp/purge
grep -q 'keeping the results and baselines in /var/lib/diopi' /tmp/purge || fail "purge does not say what it keeps"
[ -s /var/lib/diopi/results.db ] || fail "purge deleted the results"
getent passwd diopi >/dev/null || fail "purge deleted the user that owns the results"
[ -e /etc/diopi/agent-a1.env ] || fail "purge deleted the administrator's file"
rm -r /etc/diopi
[ "$(left | xargs)" = "/var/lib/diopi" ] || fail "purge left $(left | xargs)"

# Without results, purge leaves no folder.
rm -r /var/lib/diopi
dpkg --install "$new"/*.deb </dev/null
dpkg --purge "${packages[@]}" >/dev/null
[ -z "$(left)" ] || fail "purge left $(left | xargs)"
echo "packages_test_root: passed"
