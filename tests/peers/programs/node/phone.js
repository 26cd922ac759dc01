// A telephone on the npm package `sip`: told by lines, it tells what happens. With a password, it is a registrar, too.
"use strict";
const dgram = require("dgram");
const readline = require("readline");
const sip = require("sip");
const digest = require("sip/digest");

const [sipPort, rtpPort, password] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
const EVENTS = 97;
const say = (line) => process.stdout.write(line + "\n");
const rtp = dgram.createSocket("udp4");
rtp.bind(rtpPort, "127.0.0.1");

let call = null; // the INVITE, our tag, the number of requests, where sound goes
let sequence = 1;
const sessions = {};

const sdp = (direction) => [
  "v=0", "o=- 1 " + sequence++ + " IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0",
  `m=audio ${rtpPort} RTP/AVP 8 ${EVENTS}`, "a=rtpmap:8 PCMA/8000",
  `a=rtpmap:${EVENTS} telephone-event/8000`, `a=${direction}`, "",
].join("\r\n");

function soundTo(description) {
  const port = /m=audio (\d+)/.exec(description);
  if (port) call.sound = Number(port[1]);
}

function answer(rq, status, reason, more) {
  const rs = sip.makeResponse(rq, status, reason);
  if (!rs.headers.to.params.tag) rs.headers.to.params.tag = call ? call.tag : "registrar";
  rs.headers.contact = [{ uri: `sip:777@127.0.0.1:${sipPort}` }];
  if (more) { rs.headers["content-type"] = "application/sdp"; rs.content = more; }
  sip.send(rs);
}

function allowed(rq, isProxy) {
  if (!password) return true;
  const name = rq.headers.from.uri.split(/[:@]/)[1];
  const session = sessions[rq.method] || (sessions[rq.method] = { realm: "home", proxy: isProxy });
  if (digest.authenticateRequest(session, rq, { user: "anna", password })) return true;
  const rs = digest.challenge(session, sip.makeResponse(rq, isProxy ? 407 : 401, "Who is " + name));
  sip.send(rs);
  return false;
}

function request(method, more) {
  const { rq, tag } = call;
  const to = { uri: rq.headers.from.uri, params: { tag: rq.headers.from.params.tag } };
  const from = { uri: rq.headers.to.uri, params: { tag } };
  const headers = {
    to, from, "call-id": rq.headers["call-id"], cseq: { method, seq: ++call.cseq },
    contact: [{ uri: `sip:777@127.0.0.1:${sipPort}` }],
  };
  if (more) headers["content-type"] = "application/sdp";
  sip.send({ method, uri: rq.headers.contact[0].uri, headers, content: more || "" }, (rs) => {
    if (rs.status < 200) return;
    if (method === "INVITE") sip.send({ method: "ACK", uri: rq.headers.contact[0].uri, headers: { ...headers, via: [], cseq: { method: "ACK", seq: call.cseq } } });
    if (method === "INVITE") soundTo(rs.content);
    say(`${method} ${rs.status}`);
  });
}

function press(key) {
  const stamp = 8000 * sequence;
  for (let packet = 0; packet < 9; packet++) {
    const data = Buffer.alloc(16);
    data.writeUInt8(0x80, 0);
    data.writeUInt8(EVENTS | (packet === 0 ? 0x80 : 0), 1);
    data.writeUInt16BE(sequence++ & 0xffff, 2);
    data.writeUInt32BE(stamp >>> 0, 4);
    data.writeUInt32BE(77, 8);
    data.writeUInt8("0123456789*#".indexOf(key), 12);
    data.writeUInt8(packet > 5 ? 0x8a : 0x0a, 13);
    data.writeUInt16BE(160 * Math.min(packet + 1, 6), 14);
    rtp.send(data, call.sound, "127.0.0.1");
  }
}

// It never sends to another port of its own host name, so it has another name.
const name = { publicAddress: "telephone.invalid", address: "127.0.0.1" };
sip.start({ ...name, port: sipPort, udp: true, tcp: false }, (rq) => {
  switch (rq.method) {
    case "OPTIONS": return answer(rq, 200, "OK");
    case "REGISTER":
      if (!allowed(rq, false)) return;
      {
        const rs = sip.makeResponse(rq, 200, "OK");
        rs.headers.contact = rq.headers.contact;
        rs.headers.expires = rq.headers.expires;
        sip.send(rs);
        return say(`registered ${rq.headers.expires || rq.headers.contact[0].params.expires}`);
      }
    case "INVITE":
      if (!allowed(rq, true)) return;
      call = { rq, tag: "t" + Math.random(), cseq: 1 };
      soundTo(rq.content);
      answer(rq, 180, "Ringing");
      return say("rings");
    case "CANCEL":
      answer(rq, 200, "OK");
      answer(call.rq, 487, "Request Terminated");
      return say("over");
    case "BYE":
      answer(rq, 200, "OK");
      return say("over");
    case "ACK": return;
    default: return answer(rq, 200, "OK");
  }
});

const orders = {
  answer: () => answer(call.rq, 200, "OK", sdp("sendrecv")),
  busy: () => answer(call.rq, 486, "Busy Here"),
  decline: () => answer(call.rq, 603, "Decline"),
  press,
  hold: () => request("INVITE", sdp("sendonly")),
  resume: () => request("INVITE", sdp("sendrecv")),
  hangup: () => request("BYE"),
};
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [order, word] = line.split(" ");
  orders[order](word);
}).on("close", () => process.exit(0));
say("ready");
