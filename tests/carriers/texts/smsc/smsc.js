// A carrier over SMPP. It prints its port, and every PDU that matters as a line of JSON; it is told by lines of JSON.
"use strict";
const readline = require("readline");
const smpp = require("smpp");

const sessions = new Set();
let answers = {}; // statuses for the next messages to a number
let sent = 0;
let ids = "id"; // how messages are named
let nacks = 0;
let refused = []; // statuses of all messages, again and again, after those of `answers`

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");

function submit(session, pdu) {
  const number = pdu.destination_addr;
  let next = (answers[number] || []).shift();
  if (next === undefined && refused.length) refused.push((next = refused.shift()));
  const text = pdu.short_message.message;
  const header = pdu.short_message.udh ? Buffer.concat(pdu.short_message.udh).toString("hex") : "";
  const status = next === undefined ? 0 : next;
  const count = status === 0 ? ++sent : "";
  const id = ids === "hex" ? (0xabc00 + Number(count)).toString(16).padStart(10, "0") : "id" + count;
  say({ to: number, from: pdu.source_addr, text: String(text), coding: pdu.data_coding, header, status, id });
  if (status === "silence") return;
  if (status === "cut") return void session.destroy();
  session.send(pdu.response({ command_status: status, message_id: id }));
}

const server = smpp.createServer((session) => {
  session.on("error", () => {});
  session.on("bind_transceiver", (pdu) => {
    const right = pdu.password === "opensesame";
    session.send(pdu.response({ command_status: right ? 0 : smpp.ESME_RINVPASWD }));
    if (!right) return void session.close();
    sessions.add(session);
    say({ bound: pdu.system_id });
  });
  session.on("submit_sm", (pdu) => submit(session, pdu));
  session.on("generic_nack", () => { nacks += 1; });
  session.on("enquire_link", (pdu) => session.send(pdu.response()));
  session.on("unbind", (pdu) => { session.send(pdu.response()); session.close(); });
  session.on("close", () => sessions.delete(session));
});

function deliver(fields) {
  for (const session of sessions) {
    session.deliver_sm(fields, (answer) => say({ answered: answer.command_status }));
    return;
  }
}

const orders = {
  name: (order) => { ids = order.ids; },
  refuse: (order) => { refused = order.statuses; },
  answer: (order) => { answers[order.number] = order.statuses; },
  receipt: (order) => deliver({
    esm_class: 4,
    source_addr: order.number,
    destination_addr: "3545550199",
    short_message: `id:${order.id} sub:001 dlvrd:001 submit date:2611222200 done date:2611222201 stat:${order.state} err:000 text:`,
  }),
  text: (order) => deliver({
    source_addr_ton: 1, source_addr: order.number, destination_addr: "3545550199", short_message: order.text,
  }),
  // Any request, in the words of the package. Buffers are given in hexadecimal digits.
  ask: (order) => {
    const fields = { ...order.fields };
    if (order.header) fields.short_message = { udh: Buffer.from(order.header, "hex"), message: order.text };
    for (const session of sessions) {
      session[order.command](fields, (answer) => say({ answered: answer.command_status, by: answer.command }));
    }
  },
  nacks: () => say({ nacks }),
  cut: () => { for (const session of sessions) session.destroy(); },
  raw: (order) => { for (const session of sessions) session.socket.write(Buffer.from(order.hex, "hex")); },
};

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const order = JSON.parse(line);
  orders[order.do](order);
}).on("close", () => process.exit(0));

server.listen(0, "127.0.0.1", () => say({ port: server.address().port }));
