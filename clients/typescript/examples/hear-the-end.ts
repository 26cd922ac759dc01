// Start a campaign, and hear its end by events: DIALER_API_KEY=dk_… node hear-the-end.js URL CAMPAIGN

import { argv, env } from "node:process";
import { CampaignStatus, connect, done, follow } from "dialer-client";

const [url, id] = argv.slice(2) as [string, string];
const campaign = Number(id);
const params = { path: { record_id: campaign } };
const client = connect(url, env.DIALER_API_KEY ?? "");

await done(client.PATCH("/rest-api/events/", { body: { enabled: true } }));
const events = await follow(client, { campaign });
await done(
  client.PATCH("/rest-api/campaigns/{record_id}/", { params, body: { status: CampaignStatus.START } }),
);
listening: for await (const event of events) {
  switch (event.type) {
    case "call.ended":
      console.log(`Call ${event.data.call}: ${event.data.state}, cause ${event.data.cause}`);
      break;
    case "campaign.ended":
    case "campaign.paused":
    case "campaign.aborted": {
      const record = await done(client.GET("/rest-api/campaigns/{record_id}/", { params }));
      console.log(`${event.data.state}: ${event.data.reason}. ${record.answered} answered.`);
      break listening;
    }
  }
}
