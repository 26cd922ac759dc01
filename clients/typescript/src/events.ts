/** Events as they come, each with the type of its data. */

import { setTimeout as wait } from "node:timers/promises";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { RefusedError, type DialerClient } from "./connection.js";
import type { webhooks } from "./schema.js";

export type EventType = keyof webhooks;
export type EventOf<Type extends EventType> =
  webhooks[Type]["post"]["requestBody"]["content"]["application/cloudevents+json"];
/** An event of any type; `event.type === "call.ended"` says which `data` it has. */
export type DialerEvent = { [Type in EventType]: EventOf<Type> }[EventType];

export interface Wanted<Type extends EventType = EventType> {
  /** Only events of these types. */
  types?: readonly Type[];
  /** Only events of this campaign. */
  campaign?: number;
  /** The id of an event: those after it come first. */
  after?: string;
  /** Ends the stream, also between two events. */
  signal?: AbortSignal;
  /** Called between two attempts to open the stream again, with milliseconds. */
  sleep?: (ms: number) => Promise<unknown>;
}

/** The silence after which a connection counts as lost. The service sends a comment every 15 seconds. */
const SILENCE_MS = 45_000;
/** The longest wait before a lost stream is opened again. */
const AGAIN_MS_MAX = 30_000;

type Bytes = ReadableStream<Uint8Array>;

/**
 * Give the events of the account as they come, from now on. The stream is open when the promise is fulfilled, so nothing
 * that happens afterwards is missed. A stream that breaks is opened again after the last event; `break` ends it, and so
 * does `signal`. An event comes at least once: remember its `id`. The account must keep its events.
 */
export async function follow<Type extends EventType = EventType>(
  client: DialerClient,
  wanted: Wanted<Type> = {},
): Promise<AsyncIterable<EventOf<Type>>> {
  const clock = await client.GET("/rest-api/clock/");
  if (!clock.data) throw new RefusedError(clock.response.status, clock.error);
  const stream = new Stream(client, wanted, clock.data.now);
  await stream.open();
  return stream.events() as AsyncIterable<EventOf<Type>>;
}

class Stream {
  private lastId: string;
  private opened: { bytes: Bytes; controller: AbortController } | undefined;
  private opening: AbortController | undefined;

  constructor(
    private readonly client: DialerClient,
    private readonly wanted: Wanted,
    private readonly since: string,
  ) {
    this.lastId = wanted.after ?? "";
  }

  /** Open the stream; one that broke before its first event goes on at the moment of its first opening. */
  async open(again = false): Promise<void> {
    const { types, campaign } = this.wanted;
    const controller = new AbortController();
    this.opening = controller;
    const { data, error, response } = await this.client.GET("/rest-api/events/", {
      params: {
        query: {
          ...(types?.length && { types: types.join(",") }),
          ...(campaign !== undefined && { campaign }),
          ...(again && !this.lastId && { since: this.since }),
        },
      },
      headers: { Accept: "text/event-stream", ...(this.lastId && { "Last-Event-ID": this.lastId }) },
      parseAs: "stream",
      signal: controller.signal,
    });
    if (!response.ok || !data) throw new RefusedError(response.status, error);
    this.opened = { bytes: data as Bytes, controller };
  }

  async *events(): AsyncGenerator<DialerEvent> {
    const { signal } = this.wanted;
    const end = () => this.close();
    signal?.addEventListener("abort", end);
    let pause = 1_000;
    try {
      while (!signal?.aborted) {
        try {
          if (!this.opened) await this.open(true);
          for await (const sent of this.sent()) {
            pause = 1_000;
            if (sent.id) this.lastId = sent.id;
            yield JSON.parse(sent.data) as DialerEvent;
          }
        } catch (error) {
          if (isFinal(error)) throw error;
        }
        this.close();
        if (!signal?.aborted) await this.sleep(pause);
        pause = Math.min(2 * pause, AGAIN_MS_MAX);
      }
    } finally {
      signal?.removeEventListener("abort", end);
      this.close();
    }
  }

  /** Wait before the stream is opened again, unless the signal ends it. */
  private async sleep(ms: number): Promise<void> {
    const { sleep, signal } = this.wanted;
    if (sleep) await sleep(ms);
    else await wait(ms, undefined, signal && { signal }).catch(() => undefined);
  }

  private async *sent() {
    if (!this.opened) return;
    const { bytes, controller } = this.opened;
    let silence = setTimeout(() => controller.abort(), SILENCE_MS);
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        clearTimeout(silence);
        silence = setTimeout(() => controller.abort(), SILENCE_MS);
        out.enqueue(chunk);
      },
    });
    try {
      const decoded = bytes.pipeThrough(watched).pipeThrough(new TextDecoderStream() as never);
      yield* (decoded as ReadableStream<string>).pipeThrough(new EventSourceParserStream());
    } finally {
      clearTimeout(silence);
    }
  }

  private close(): void {
    this.opening?.abort();
    this.opening = this.opened = undefined;
  }
}

/** Whether an error of a stream is no passing one. */
function isFinal(error: unknown): boolean {
  if (error instanceof RefusedError) return error.status < 500 && error.status !== 429;
  // A connection that is lost is a TypeError of fetch or an abort of ours.
  return !(error instanceof TypeError || (error instanceof DOMException && error.name === "AbortError"));
}
