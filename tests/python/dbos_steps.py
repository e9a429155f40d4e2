"""DBOS beside Roost: durable workflows of steps that do nothing. Started by `runs_figures`, which speaks to it in lines.

    dbos_steps.py <sqlalchemy url of the system database>

Asked `<workflows at once> <seconds> <steps each>` on a line of stdin, it keeps so many workflows going for so long, waits
for those under way, and answers `{"steps": …, "seconds": …}`. Its first line says what it is. Whatever can be chosen is
chosen for speed: coroutines instead of threads, no logs, no tracing, a pool of 20 connections, and on SQLite the write-ahead
log, which it does not turn on by itself.
"""

import asyncio
import json
import sqlite3
import sys
import time
from importlib.metadata import version

from dbos import DBOS


@DBOS.step()
async def step() -> str:
    return "done"


@DBOS.workflow()
async def work(steps: int) -> None:
    for _ in range(steps):
        await step()


def prepare(url: str) -> str:
    """What protects its data; on SQLite the write-ahead log stays with the file."""
    if not url.startswith("sqlite:"):
        return "the server's settings"
    file = sqlite3.connect(url.removeprefix("sqlite:///"))
    (journal,) = file.execute("PRAGMA journal_mode = WAL").fetchone()
    (synchronous,) = file.execute("PRAGMA synchronous").fetchone()
    file.close()
    return f"journal_mode={journal} synchronous={['OFF', 'NORMAL', 'FULL', 'EXTRA'][synchronous]}"


async def measure(at_once: int, seconds: float, steps: int) -> dict:
    done = 0
    begun = time.perf_counter()

    async def keep_going() -> None:
        nonlocal done
        while time.perf_counter() - begun < seconds:
            handle = await DBOS.start_workflow_async(work, steps)
            await handle.get_result()
            done += steps

    await asyncio.gather(*(keep_going() for _ in range(at_once)))
    return {"steps": done, "seconds": time.perf_counter() - begun}


async def main() -> None:
    url = sys.argv[1]
    care = prepare(url)
    DBOS(
        config={
            "name": "figures",
            "system_database_url": url,
            "sys_db_pool_size": 20,
            "log_level": "CRITICAL",
        }
    )
    DBOS.launch()
    print(json.dumps({"what": f"dbos {version('dbos')} (Python)", "care": care}), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        at_once, seconds, steps = line.split()
        answer = await measure(int(at_once), float(seconds), int(steps))
        print(json.dumps(answer), flush=True)
    DBOS.destroy()


asyncio.run(main())
