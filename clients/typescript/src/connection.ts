/** The connection to a service, and the content of its answers. */

import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./schema.js";

export type DialerClient = Client<paths, "application/json">;

/** Thrown when the service refuses a request; `messages` are by field, or one `detail`. */
export class RefusedError extends Error {
  constructor(
    readonly status: number,
    readonly messages: unknown,
  ) {
    super(`${status}: ${JSON.stringify(messages)}`);
    this.name = "RefusedError";
  }
}

/** Return a client of the service at `url`, such as `https://dialer.example`, with an API key. */
export function connect(url: string, key: string, fetch?: (request: Request) => Promise<Response>): DialerClient {
  return createClient<paths, "application/json">({
    baseUrl: url.replace(/\/+$/, ""),
    headers: { Authorization: `Bearer ${key}` },
    ...(fetch && { fetch }),
  });
}

/** Return the content of an answer, or throw a `RefusedError`. */
export async function done<Data>(
  answering: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await answering;
  if (!response.ok) throw new RefusedError(response.status, error);
  return data as Data;
}

/** Return a serializer of a body that is sent as a form, with its files as blobs. */
export function form(fields: Record<string, string | Blob>): () => FormData {
  return () => {
    const filled = new FormData();
    for (const [name, value] of Object.entries(fields)) filled.append(name, value);
    return filled;
  };
}

/** The serializer of a body that is a text already, such as CSV. */
export function text(body: unknown): string {
  return String(body);
}
