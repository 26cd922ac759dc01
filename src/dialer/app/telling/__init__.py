"""Reports of what happened: to the audit log, to the events of accounts, and to their webhooks."""
