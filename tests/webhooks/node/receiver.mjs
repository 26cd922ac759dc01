// Verifies one event with the npm package `standardwebhooks`: the secret is the first argument, headers and body come
// as JSON on standard input. Prints the type of the event, or why it was not verified.
import { Webhook } from "standardwebhooks";
import { readFileSync } from "node:fs";

const { headers, body } = JSON.parse(readFileSync(0, "utf-8"));
try {
  console.log(new Webhook(process.argv[2]).verify(body, headers).type);
} catch (error) {
  console.log(`refused: ${error.message}`);
}
