"""The times at which people may be called: hours of the service, of countries and of campaigns, in each time zone."""
