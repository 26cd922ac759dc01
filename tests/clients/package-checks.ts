// Checks of the hand-written parts of the client in TypeScript. `test_typescript_client.py` runs them on its package.
// The file EVENTS has a secret, and an event of each type with its headers, as the service signs them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
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
