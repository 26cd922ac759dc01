"""Failover of a PostgreSQL that Patroni and etcd look after, while a service dials."""
