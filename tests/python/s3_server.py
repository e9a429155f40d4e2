"""An S3-compatible server (PyPI moto) that checks signatures and rights, with one bucket and one key for it. Prints its
address and the key as JSON when it answers. Objects are in its memory. It ends when its standard input does; before it,
each line there is a question: `names` prints the names of all objects, `drop` removes the bucket."""

import json
import sys

import boto3
import moto.settings
from moto.core import DEFAULT_ACCOUNT_ID
from moto.moto_server.threaded_moto_server import ThreadedMotoServer
from moto.s3.models import s3_backends

BUCKET = sys.argv[1]
POLICY = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}],
}


def main() -> None:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    anyone = {
        "endpoint_url": address,
        "region_name": "us-east-1",
        "aws_access_key_id": "anyone",
        "aws_secret_access_key": "anyone",
    }
    iam = boto3.client("iam", **anyone)
    iam.create_user(UserName="roost")
    iam.put_user_policy(UserName="roost", PolicyName="chunks", PolicyDocument=json.dumps(POLICY))
    key = iam.create_access_key(UserName="roost")["AccessKey"]
    boto3.client("s3", **anyone).create_bucket(Bucket=BUCKET)
    # From here on each request needs a valid signature.
    moto.settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    ready = {"address": address, "id": key["AccessKeyId"], "secret": key["SecretAccessKey"]}
    print(json.dumps(ready), flush=True)
    buckets = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets
    for line in sys.stdin:
        if line.strip() == "drop":
            del buckets[BUCKET]
        names = [key for bucket in buckets.values() for key, _ in bucket.keys.items()]
        print(json.dumps(sorted(names)), flush=True)


main()
