"""What dialer is measured against: the same resource, as the users of other frameworks would write it well."""
