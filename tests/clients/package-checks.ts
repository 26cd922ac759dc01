// Checks of the hand-written parts of the client in TypeScript. `test_typescript_client.py` runs them on its package.
// The file EVENTS has a secret, and an event of each type with its headers, as the service signs them.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { connect, follow, RefusedError, verify, WebhookVerificationError, type EventOf } from "dialer-client";

interface Sent {
  secret: string;
  events: { body: string; headers: Record<string, string> }[];
}
const sent = JSON.parse(readFileSync(process.env.EVENTS!, "utf-8")) as Sent;
const [first] = sent.events as [Sent["events"][0]];

test("an event of each type is verified", () => {
  assert.ok(sent.events.length > 20);
  for (const { body, headers } of sent.events) assert.deepEqual(verify(sent.secret, headers, body), JSON.parse(body));
});

test("an event is verified as bytes", () => {
  assert.deepEqual(verify(sent.secret, first.headers, Buffer.from(first.body)), JSON.parse(first.body));
});

test("an event is verified with the headers of node:http and of fetch", () => {
  const { headers, body } = first;
  assert.deepEqual(verify(sent.secret, { ...headers, "set-cookie": ["a"], host: undefined }, body), JSON.parse(body));
  assert.deepEqual(verify(sent.secret, new Headers(headers), body), JSON.parse(body));
  assert.throws(() => verify(sent.secret, new Headers(), body), WebhookVerificationError);
});

test("a connection without an address or a key is refused", () => {
  assert.throws(() => connect("https://dialer.example", ""), /The API key does not begin with dk_/);
  assert.throws(() => connect("dialer.example", "dk_1"), /'dialer.example' is not an address of a service/);
});

test("an altered event is refused, and nothing else happens", () => {
  const texts = ["", " ", "0", "v1,", "v1,####", "nonsense", "€", first.body.replace("4", "5"), "whsec_", "null"];
  for (const text of texts) {
    for (const name of Object.keys(first.headers).filter((each) => each.startsWith("webhook-"))) {
      const headers = { ...first.headers, [name]: text };
      assert.throws(() => verify(sent.secret, headers, first.body), WebhookVerificationError, `${name}: ${text}`);
    }
    assert.throws(() => verify(sent.secret, first.headers, text), WebhookVerificationError);
    assert.throws(() => verify(text, first.headers, first.body), WebhookVerificationError);
  }
});

/** Return a client of a service that answers to each opening of a stream, and the openings. */
function serving(...answers: (Response | Error)[]) {
  const asked: [string, string | null][] = [];
  const client = connect("https://dialer.example/", "dk_1", async (request) => {
    const { pathname, search } = new URL(request.url);
    assert.equal(request.headers.get("Authorization"), "Bearer dk_1");
    if (pathname === "/rest-api/clock/") return Response.json({ now: "2026-11-16T14:00:00Z", mode: "virtual", seed: 0 });
    asked.push([decodeURIComponent(search), request.headers.get("Last-Event-ID")]);
    const answer = answers.shift()!;
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return { client, asked };
}

/** Return a stream that breaks after some events. */
function cut(...ids: number[]): Response {
  const events = ids.map((id) => `id: evt_${id}\nevent: call.ended\ndata: {"id":"evt_${id}","type":"call.ended"}\n\n`);
  const body = new ReadableStream({
    pull(controller) {
      const next = events.shift();
      if (next === undefined) controller.error(new TypeError("terminated"));
      else controller.enqueue(new TextEncoder().encode(next));
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

/** Return the ids of the events until the service refuses to go on. */
async function heard(events: AsyncIterable<EventOf<"call.ended">>): Promise<string[]> {
  const ids: string[] = [];
  await assert.rejects(async () => {
    for await (const event of events) ids.push(event.id);
  }, RefusedError);
  return ids;
}

test("a stream goes on where it broke", async () => {
  const { client, asked } = serving(
    cut(),
    new TypeError("fetch failed"),
    new Response("later", { status: 503 }),
    cut(7, 8),
    cut(9),
    Response.json({ detail: "Invalid API key" }, { status: 401 }),
  );
  const pauses: number[] = [];
  const sleep = async (ms: number) => pauses.push(ms);
  assert.deepEqual(await heard(await follow(client, { types: ["call.ended"], campaign: 3, sleep })), [
    "evt_7",
    "evt_8",
    "evt_9",
  ]);
  const wanted = "?types=call.ended&campaign=3";
  const since = `${wanted}&since=2026-11-16T14:00:00Z`;
  assert.deepEqual(asked, [
    [wanted, null],
    [since, null],
    [since, null],
    [since, null],
    [wanted, "evt_8"],
    [wanted, "evt_9"],
  ]);
  assert.deepEqual(pauses, [1_000, 2_000, 4_000, 1_000, 1_000]);
});

test("a stream begins after an event", async () => {
  const { client, asked } = serving(cut(8), new Response("gone", { status: 401 }));
  assert.deepEqual(await heard(await follow(client, { after: "evt_7", types: ["call.ended"], sleep: async () => {} })), [
    "evt_8",
  ]);
  assert.deepEqual(asked.map(([, last]) => last), ["evt_7", "evt_8"]);
});

test("a refused stream says why", async () => {
  const { client } = serving(Response.json({ detail: "no events" }, { status: 409 }));
  await assert.rejects(follow(client), (error: RefusedError) => {
    assert.deepEqual([error.status, error.messages], [409, { detail: "no events" }]);
    return true;
  });
});

test("leaving a stream closes it", async () => {
  const { client, asked } = serving(cut(7, 8));
  for await (const event of await follow(client)) {
    assert.equal(event.id, "evt_7");
    break;
  }
  assert.equal(asked.length, 1);
});

/** A service on this machine whose streams a test writes. */
async function served(context: TestContext) {
  const waiting: ((opened: Opened) => void)[] = [];
  const server = createServer((request, response) => {
    if (request.url!.startsWith("/rest-api/clock/")) {
      response.setHeader("Content-Type", "application/json");
      response.end('{"now":"2026-11-16T14:00:00Z","mode":"virtual","seed":0}');
      return;
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
    waiting.shift()!({ request, response });
  });
  context.after(() => server.closeAllConnections());
  context.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "dk_1");
  const opening = () => new Promise<Opened>((resolve) => waiting.push(resolve));
  return { client, opening };
}

interface Opened {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Write an event into a stream, as the service does. */
function write({ response }: Opened, id: string): void {
  response.write(`id: ${id}\nevent: call.ended\ndata: {"id":"${id}","type":"call.ended"}\n\n`);
}

test("a stream that is quiet for 45 seconds is opened again after its last event", { timeout: 60_000 }, async (context) => {
  const { client, opening } = await served(context);
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const [first, again] = [opening(), opening()];
  const events = (await follow(client, { types: ["call.ended"], sleep: async () => {} }))[Symbol.asyncIterator]();
  write(await first, "evt_7");
  assert.equal((await events.next()).value.id, "evt_7");
  context.mock.timers.tick(44_999);
  write(await first, "evt_8");
  assert.equal((await events.next()).value.id, "evt_8");
  const following = events.next();
  context.mock.timers.tick(44_999);
  assert.equal((await first).response.closed, false);
  context.mock.timers.tick(1);
  const reopened = await again;
  assert.equal(reopened.request.headers["last-event-id"], "evt_8");
  write(reopened, "evt_9");
  assert.equal((await following).value.id, "evt_9");
  await events.return?.();
});

test("a signal ends a stream that waits for an event, and nothing is opened again", { timeout: 60_000 }, async (context) => {
  const { client, opening } = await served(context);
  const [opened, ending] = [opening(), new AbortController()];
  const events = (await follow(client, { signal: ending.signal }))[Symbol.asyncIterator]();
  write(await opened, "evt_7");
  assert.equal((await events.next()).value.id, "evt_7");
  const following = events.next();
  ending.abort();
  assert.deepEqual(await following, { value: undefined, done: true });
});
