/** A client of dialer: its API, typed, with events and their signatures. */

export * from "./schema.js";
export { connect, done, form, RefusedError, text, type DialerClient } from "./connection.js";
export { follow, type DialerEvent, type EventOf, type EventType, type Wanted } from "./events.js";
export { verify, WebhookVerificationError, type RequestHeaders } from "./webhooks.js";
