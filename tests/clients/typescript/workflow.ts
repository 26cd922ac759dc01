// Runs one campaign with a client that is made from the OpenAPI document, and prints its outcome as JSON.
// The arguments are the address of the service, the name and the password of an admin, and the path of a WAV file.

import { readFile } from "node:fs/promises";
import { argv } from "node:process";
import createClient from "openapi-fetch";
import { CampaignStatus, LegType, ListFormat, SectionType, type paths } from "./schema.js";

const [address, username, password, recording] = argv.slice(2) as [string, string, string, string];
const credentials = Buffer.from(`${username}:${password}`).toString("base64");
const client = createClient<paths, "application/json">({
  baseUrl: address,
  headers: { Authorization: `Basic ${credentials}` },
});

/** Return the data of an answer, or throw the error that the service gave. */
async function done<Data>(answering: Promise<{ data?: Data; error?: unknown }>): Promise<Data> {
  const { data, error } = await answering;
  if (error !== undefined || data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const me = (await done(client.GET("/rest-api/users/"))).results[0]!;
await done(client.POST("/rest-api/payment/", { body: { amount: "10.00000", user: me.url } }));
const gateway = await done(client.POST("/rest-api/gateway/", { body: { name: "sim" } }));

// 1. Upload a recording. A form is no JSON, so the client is told how to write it.
const sound = new Blob([await readFile(recording)], { type: "audio/wav" });
const audio = await done(
  client.POST("/rest-api/audio-files/", {
    body: { name: "hello", audio_file: "" },
    bodySerializer(body) {
      const form = new FormData();
      form.append("name", body.name);
      form.append("audio_file", sound, "hello.wav");
      return form;
    },
  }),
);

// 2. and 3. Create a survey, with a section that asks for a key.
const survey = await done(client.POST("/rest-api/survey-template/", { body: { name: "greeting" } }));
await done(
  client.POST("/rest-api/section-template/", {
    body: {
      survey: survey.url,
      question: "Will you come on Monday?",
      type: SectionType.MULTI_CHOICE,
      audiofile: audio.url,
      key_1: "yes",
      completed: true,
    },
  }),
);

// A phonebook, with one contact of its own and others from a CSV file.
const phonebook = await done(client.POST("/rest-api/phonebook/", { body: { name: "friends" } }));
await done(client.POST("/rest-api/contact/", { body: { phonebook: phonebook.url, contact: "+12025550101" } }));
const imported = await done(
  client.POST("/rest-api/phonebook/{record_id}/import/", {
    params: { path: { record_id: phonebook.id } },
    headers: { "Content-Type": "text/csv" },
    body: "contact,full_name,city\n+12025550102,Ada Byron,Boston\n+12025550100,,\n12,too short,\n",
    bodySerializer: (body) => body,
  }),
);

// 4. and 5. Create a campaign, and start it.
const campaign = await done(
  client.POST("/rest-api/campaigns/", {
    body: {
      name: "spring",
      aleg_gateway: gateway.url,
      object_id: String(survey.id),
      phonebook: [phonebook.url],
      callerid: "+12025550199",
    },
  }),
);
const started = await client.PATCH("/rest-api/campaigns/{record_id}/", {
  params: { path: { record_id: campaign.id } },
  body: { status: CampaignStatus.START },
});
if (started.error) throw new Error(JSON.stringify(started.error));
await done(client.POST("/rest-api/clock/advance/", { body: { seconds: 3_600 } }));

// The outcome.
const ended = await done(
  client.GET("/rest-api/campaigns/{record_id}/", { params: { path: { record_id: campaign.id } } }),
);
const query = { campaign_id: campaign.id, leg_type: LegType.A_LEG };
const calls = await done(client.GET("/rest-api/cdr/", { params: { query } }));
const csv = await done(
  client.GET("/rest-api/cdr/", { params: { query: { ...query, format: ListFormat.CSV } }, parseAs: "text" }),
);
const answers = await done(
  client.GET("/rest-api/survey-result/", { params: { query: { campaign_id: campaign.id } } }),
);
const refused = await client.POST("/rest-api/contact/", { body: { phonebook: 4_711, contact: "+12025550101" } });
console.log(
  JSON.stringify({
    status: CampaignStatus[ended.status],
    reason: ended.status_reason,
    imported: [imported.imported, imported.rejected, imported.errors?.[0]?.line],
    calls: calls.results.map((call) => [call.phone_number, call.hangup_cause_q850]).sort(),
    lines: csv.trim().split("\r\n").length,
    answers: answers.results.map((answer) => answer.response).sort(),
    refused: refused.error,
  }),
);
