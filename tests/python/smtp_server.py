"""A mail server (PyPI aiosmtpd) that takes mail from one user only. Prints its port as JSON when it answers. With two
arguments, a certificate and its key, it speaks TLS from the first byte. It ends when its standard input does; before it,
each line there is a question: `mails` prints all mails, `answer CODE` lets it answer each recipient with this code, or take
mail again with `answer 250`."""

import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

mails = []
answer = 250


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if answer != 250:
            return f"{answer} not today"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        mails.append(
            {
                "sender": envelope.mail_from,
                "recipients": envelope.rcpt_tos,
                "from": str(message["from"]),
                "subject": str(message["subject"]),
                "text": message.get_content(),
            }
        )
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    good = isinstance(data, LoginPassword) and (data.login, data.password) == (b"roost", b"mail:secret")
    return AuthResult(success=good, handled=good)


def main() -> None:
    global answer
    context = None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    controller = Controller(
        Handler(),
        hostname="127.0.0.1",
        port=0,
        ssl_context=context,
        authenticator=authenticate,
        auth_required=True,
        auth_require_tls=False,
    )
    trigger = controller._trigger_server

    def trigger_at_its_port():
        # The controller asks for a greeting at the port that it was given, and that is 0.
        controller.port = controller.server.sockets[0].getsockname()[1]
        trigger()

    controller._trigger_server = trigger_at_its_port
    controller.start()
    print(json.dumps({"port": controller.port}), flush=True)
    for line in sys.stdin:
        words = line.split()
        if words == ["mails"]:
            print(json.dumps(mails), flush=True)
        elif words[:1] == ["answer"]:
            answer = int(words[1])
            print(json.dumps([]), flush=True)
    controller.stop()


if __name__ == "__main__":
    main()
