/** The connection to a service, and the content of its answers. */

import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./schema.js";

const KEY_PREFIX = "dk_";

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

/**
 * Return a client of the service at `url`, such as `https://dialer.example`, with an API key. A `TypeError` says that one
 * of them is none, as if a variable of the environment is empty.
 */
export function connect(url: string, key: string, fetch?: (request: Request) => Promise<Response>): DialerClient {
  if (!/^https?:\/\//.test(url)) {
    throw new TypeError(`'${url}' is not an address of a service. Give one that begins with http:// or https://.`);
  }
  if (!key.startsWith(KEY_PREFIX)) {
    throw new TypeError(`The API key does not begin with ${KEY_PREFIX}. Make one with \`dialer keys create\`.`);
  }
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

/** The serializer of a body that is a text already. It needs a header, such as `{ "Content-Type": "text/csv" }`. */
export function text(body: unknown): string {
  return String(body);
}
