"""Tests of FreeSWITCH gateways, against a switch that is made from the documents of its event socket."""
