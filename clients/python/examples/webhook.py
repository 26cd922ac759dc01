"""Receive events on a port, and print those whose signature is right: DIALER_SECRET=whsec_… python webhook.py 3000."""

import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from dialer_client import WebhookVerificationError, verify


class Receiver(BaseHTTPRequestHandler):
    """A receiver of events that takes nothing else."""

    def do_POST(self) -> None:
        """Answer with 204 to an event, and with 400 to anything else."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify(os.environ["DIALER_SECRET"], dict(self.headers), body)
        except WebhookVerificationError as error:
            print(f"refused: {error}", flush=True)
            self.send_response(400)
        else:
            print(event.type_, event.subject, flush=True)
            self.send_response(204)
        self.end_headers()


with HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver) as server:
    print(f"Receiving events at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
