// Call three people, ask them a question, and print how the calls end, and the answers.

import { env } from "node:process";
import { CampaignStatus, SectionType, connect, done, follow } from "dialer-client";

const NUMBERS = ["+12025550101", "+12025550102", "+12025550111"]; // One presses 1, one presses 2, one is busy.
const client = connect(env["DIALER_URL"] ?? "", env["DIALER_API_KEY"] ?? "");

await done(client.PATCH("/rest-api/events/", { body: { enabled: true } }));
const { id: book } = await done(client.POST("/rest-api/phonebook/", { body: { name: "Guests" } }));
const people = NUMBERS.map((contact) => ({ phonebook: book, contact }));
await done(client.POST("/rest-api/contact/bulk/", { body: people }));
const { id: survey } = await done(client.POST("/rest-api/survey-template/", { body: { name: "Party" } }));
const question = { survey, type: SectionType.MULTI_CHOICE, question: "Do you come?", key_1: "yes", key_2: "no" };
const script = "Do you come? Press 1 for yes, 2 for no.";
await done(client.POST("/rest-api/section-template/", { body: { ...question, script } }));
const gateways = await done(client.GET("/rest-api/gateway/"));
const gateway = gateways.results[0]!.id;
const party = { name: "Party", object_id: survey, phonebook: [book], aleg_gateway: gateway };
const { id: campaign } = await done(client.POST("/rest-api/campaigns/", { body: party }));
const events = await follow(client, { types: ["call.ended", "campaign.ended"], campaign });
await done(
  client.PATCH("/rest-api/campaigns/{record_id}/", {
    params: { path: { record_id: campaign } },
    body: { status: CampaignStatus.START },
  }),
);
for await (const event of events) {
  console.log(event.type, event.data.state);
  if (event.type === "campaign.ended") break;
}
const query = { campaign_id: campaign };
const answers = await done(client.GET("/rest-api/survey-result/", { params: { query } }));
for (const answer of answers.results) console.log(answer.question, answer.response);
