// docs/tour.md with the client in TypeScript: the outcome is printed as JSON.
// The arguments are the address of the service, a key of its admin, one of ben, a WAV file and a CSV file.

import { readFile } from "node:fs/promises";
import { argv } from "node:process";
import { CampaignStatus, connect, done, form, RefusedError, SectionType, text } from "dialer-client";

const [url, adminKey, key, recording, rows] = argv.slice(2) as [string, string, string, string, string];
const anna = connect(url, adminKey);
const ben = connect(url, key);

await done(anna.POST("/rest-api/payment/", { body: { user: 2, amount: 10 } }));
const gateway = await done(anna.POST("/rest-api/gateway/", { body: { name: "Simulated carrier" } }));

const sound = new Blob([await readFile(recording)], { type: "audio/wav" });
const audio = await done(
  ben.POST("/rest-api/audio-files/", {
    body: { name: "hello", audio_file: "" },
    bodySerializer: form({ name: "hello", audio_file: sound }),
  }),
);

const survey = await done(ben.POST("/rest-api/survey-template/", { body: { name: "Appointments" } }));
const hello = await done(
  ben.POST("/rest-api/section-template/", {
    body: {
      survey: survey.url,
      order: 1,
      type: SectionType.PLAY_MESSAGE,
      question: "Hello",
      audiofile: audio.url,
    },
  }),
);
const question = await done(
  ben.POST("/rest-api/section-template/", {
    body: {
      survey: survey.url,
      order: 2,
      type: SectionType.MULTI_CHOICE,
      question: "Will you come?",
      script: "{first_name}, do you come on Monday? One for yes, two for no.",
      key_1: "yes",
      key_2: "no",
      completed: true,
    },
  }),
);
await done(
  ben.POST("/rest-api/branching-template/", { body: { section: hello.url, keys: "0", goto: question.url } }),
);

const phonebook = await done(ben.POST("/rest-api/phonebook/", { body: { name: "Patients" } }));
const report = await done(
  ben.POST("/rest-api/phonebook/{record_id}/import/", {
    params: { path: { record_id: phonebook.id } },
    headers: { "Content-Type": "text/csv" },
    body: await readFile(rows, "utf-8"),
    bodySerializer: text,
  }),
);
const campaign = await done(
  ben.POST("/rest-api/campaigns/", {
    body: {
      name: "Monday",
      object_id: String(survey.id),
      phonebook: [phonebook.url],
      aleg_gateway: gateway.url,
      callerid: "+12025550199",
      maxretry: 1,
      intervalretry: 600,
      daily_start_time: "09:00:00",
      daily_stop_time: "20:00:00",
    },
  }),
);
await done(
  ben.PATCH("/rest-api/campaigns/{record_id}/", {
    params: { path: { record_id: campaign.id } },
    body: { status: CampaignStatus.START },
  }),
);
await done(anna.POST("/rest-api/clock/advance/", { body: { seconds: 3_600 } }));

const calls = await done(ben.GET("/rest-api/cdr/"));
const answers = await done(ben.GET("/rest-api/survey-result/"));
const account = await done(ben.GET("/rest-api/users/{record_id}/", { params: { path: { record_id: 2 } } }));

/** Return how the service refuses a contact of an unknown phonebook. */
async function refused(): Promise<unknown> {
  try {
    return await done(ben.POST("/rest-api/contact/", { body: { contact: "+12025550100", phonebook: 4_711 } }));
  } catch (error) {
    if (error instanceof RefusedError) return [error.status, error.messages];
    throw error;
  }
}

console.log(
  JSON.stringify({
    imported: [report.imported, report.rejected, ...(report.errors ?? []).map((error) => error.line)],
    calls: calls.results.map((call) =>
      [
        call.phone_number,
        call.starting_date,
        call.duration,
        call.billsec,
        call.call_cost,
        call.billed_duration,
        call.hangup_cause_q850,
      ].map(String),
    ),
    answers: answers.results.map((answer) => [answer.question, answer.response]),
    balance: account.balance,
    refused: await refused(),
  }),
);
