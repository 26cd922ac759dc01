// Receive events on a port, and print those whose signature is right: DIALER_SECRET=whsec_… node webhook.js 3000

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { argv, env } from "node:process";
import { buffer } from "node:stream/consumers";
import { WebhookVerificationError, verify } from "dialer-client";

const server = createServer(async (request, response) => {
  try {
    const event = verify(env["DIALER_SECRET"] ?? "", request.headers, await buffer(request));
    console.log(event.type, event.subject);
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.log(`refused: ${error.message}`);
    response.writeHead(400).end();
  }
});
server.listen(Number(argv[2]), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(`Receiving events at http://127.0.0.1:${port}/`);
});
