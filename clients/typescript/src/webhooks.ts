/** The signatures of webhooks, as Standard Webhooks has them. */

import { Webhook, WebhookVerificationError } from "standardwebhooks";
import type { DialerEvent } from "./events.js";

export { WebhookVerificationError };

/**
 * Return the event that a webhook got, or throw a `WebhookVerificationError` if somebody else sent it, it was changed, or
 * it is older than five minutes. `secret` begins with `whsec_`, and `body` is as it came.
 */
export function verify(secret: string, headers: Record<string, string>, body: string | Buffer): DialerEvent {
  let event: unknown;
  try {
    event = new Webhook(secret).verify(body, headers);
  } catch (error) {
    if (error instanceof WebhookVerificationError) throw error;
    throw new WebhookVerificationError(`No signed event: ${error}`);
  }
  if (typeof (event as DialerEvent | null)?.type === "string") return event as DialerEvent;
  throw new WebhookVerificationError("No signed event: it has no type");
}
