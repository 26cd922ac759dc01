/** The signatures of webhooks, as Standard Webhooks has them. */

import { Webhook, WebhookVerificationError } from "standardwebhooks";
import type { DialerEvent } from "./events.js";

export { WebhookVerificationError };

/** The headers of a request, as `node:http` has them, or `fetch`, or a plain object. */
export type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Return the event that a webhook got, or throw a `WebhookVerificationError` if somebody else sent it, it was changed, or
 * it is older than five minutes. `secret` begins with `whsec_`, and `body` is as it came.
 */
export function verify(secret: string, headers: RequestHeaders, body: string | Buffer): DialerEvent {
  let event: unknown;
  try {
    event = new Webhook(secret).verify(body, single(headers));
  } catch (error) {
    if (error instanceof WebhookVerificationError) throw error;
    throw new WebhookVerificationError(`No signed event: ${error}`);
  }
  if (typeof (event as DialerEvent | null)?.type === "string") return event as DialerEvent;
  throw new WebhookVerificationError("No signed event: it has no type");
}

/** Return the headers that have one value. */
function single(headers: RequestHeaders): Record<string, string> {
  const pairs = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string"));
}
