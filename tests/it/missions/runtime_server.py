# A runtime for tests: how it answers is its argument. It prints the same code at each boot.
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODE = sys.argv[1]
CODE, TOKEN = "Code_77_planted", "rt_planted+token/81"


class Server(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/pair":
            good = self.headers.get("X-Pairing-Code") == CODE and MODE != "refuses"
            self.answer(200 if good else 403, json.dumps({"token": TOKEN} if good else {}).encode())
            print(f"paired {CODE}: {TOKEN}", flush=True)
            return
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.answer(401, b"{}")
            return
        if MODE == "html":
            self.answer(200, f"<html>{TOKEN}</html>".encode(), "text/html")
            return
        if MODE == "hangs":
            time.sleep(600)
        if MODE == "huge":
            self.answer(200, b"x" * (100 << 20))
            return
        asked = json.loads(body)
        if asked["method"] != "message/send":
            self.answer(200, json.dumps({"id": 1, "error": {"code": -32601, "message": "no"}}).encode())
            return
        text = asked["params"]["message"]["parts"][0]["text"]
        said = f"Old dialect. {TOKEN} {CODE}. {len(text)}"
        message = {"parts": [{"kind": "text", "text": said}]}
        task = {"kind": "task", "id": "1", "status": {"state": "completed", "message": message}}
        if MODE == "asks":
            task["status"]["state"] = "input-required"
        self.answer(200, json.dumps({"jsonrpc": "2.0", "id": 1, "result": task}).encode())


print("one-time code:", CODE, flush=True)
if MODE == "silent":
    time.sleep(600)
if MODE == "ends":
    sys.exit("no configuration file")
server = ThreadingHTTPServer(("127.0.0.1", 42617), Server)
print("X-Pairing-Code:", CODE, flush=True)
server.serve_forever()
