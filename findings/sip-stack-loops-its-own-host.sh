#!/usr/bin/env bash
# One would guess: a SIP stack told to bind 127.0.0.1 sends a request for sip:b@127.0.0.1:OTHER_PORT to that port.
# What happens: the npm package sip takes every URI whose host is its own host name (publicAddress, else address, else
#   hostname) for a token of one of its own connections, whatever the port. It sends nothing, and gives the caller a
#   response 404 that looks as if the other side had sent it. With another publicAddress the same request arrives.
# So: two programs on one machine, as in tests and behind one NAT, cannot call each other, and the log says "not found".
# Versions: npm sip 0.0.6, Node.js 20. Read 2026-11-28.
# Needs: node with npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts sip@0.0.6

cat >try.js <<'JS'
const dgram = require("dgram");
const sip = require("sip");

const other = dgram.createSocket("udp4");
let arrived = 0;
other.on("message", (data, from) => {
  arrived += 1;
  const head = data.toString().split("\r\n");
  const kept = head.filter((line) => /^(Via|From|To|Call-ID|CSeq):/i.test(line));
  other.send(["SIP/2.0 200 OK", ...kept, "Content-Length: 0", "", ""].join("\r\n"), from.port, from.address);
});
other.bind(0, "127.0.0.1", () => {
  const free = dgram.createSocket("udp4");
  free.bind(0, "127.0.0.1", () => {
    const port = free.address().port;
    free.close(() => ask(port));
  });
});

function ask(port) {
  const name = process.argv[2] ? { publicAddress: process.argv[2] } : {};
  const stack = sip.create({ ...name, address: "127.0.0.1", port, udp: true, tcp: false }, () => {});
  const headers = {
    to: { uri: "sip:b@127.0.0.1", params: {} },
    from: { uri: "sip:a@127.0.0.1", params: { tag: "a" } },
    "call-id": "call",
    cseq: { method: "OPTIONS", seq: 1 },
  };
  stack.send({ method: "OPTIONS", uri: `sip:b@127.0.0.1:${other.address().port}`, headers }, (response) => {
    console.log(`${response.status} ${arrived}`);
    process.exit(0);
  });
}
JS

same=$(node try.js)
named=$(node try.js a.example.invalid)
echo "own host name 127.0.0.1: status and datagrams that arrived: $same"
echo "another host name: status and datagrams that arrived: $named"
[ "$same" = "404 0" ]
[ "$named" = "200 1" ]
