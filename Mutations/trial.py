"""A trial by mutations: how many changes of behaviour does no test notice?

First each suite runs alone, without a mutant, and says which mutants it covers. Then each mutant is active alone, in
the suites that cover it, the quickest and those of its own module first, until a test fails: it is killed. What goes
on living for a while goes through the rest of its suites together with others, and alone where that fails.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import mutants


def end_all(folder):
    """Ends every process that has this folder for its own, in whatever group: a mutant may leave programs behind."""
    name = b"TMPDIR=" + folder.encode()
    for process in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else []):
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                if name in file.read().split(b"\0"):
                    os.kill(int(process), signal.SIGKILL)
        except OSError:
            # It has ended, or belongs to another user.
            pass


class Suites:
    """The tests of the copy, run by suite, each run in a process of its own with a folder of its own."""

    def __init__(self, copy, folder):
        self.copy, self.folder = copy, folder
        products = f"{copy}/.build/debug"
        self.program = next(f"{products}/{name}" for name in os.listdir(products) if name.endswith(".xctest"))

    def names(self):
        listed = subprocess.run(["swift", "test", "list", "--skip-build"], cwd=self.copy, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        return list(dict.fromkeys(line.split("/")[0] for line in listed.splitlines() if "." in line))

    def run(self, name, active, limit, covered=None):
        """Runs a suite for up to `limit` seconds; returns its exit status, "timeout" if it did not end, its time in
        seconds and its output."""
        folder = tempfile.mkdtemp(dir=self.folder)
        environment = dict(os.environ, MUTANTS=",".join(map(str, active)), SWIFT_BACKTRACE="enable=no", TMPDIR=folder,
                           HOME=folder)
        if covered:
            environment["MUTANTS_COVERED"] = covered
        command = [self.program, "--testing-library", "swift-testing", "--filter", f"^{re.escape(name)}(/|\\(|$)"]
        begin = time.monotonic()
        with open(f"{folder}/output", "w") as output:
            process = subprocess.Popen(command, cwd=self.copy, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                status = "timeout"
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            end_all(folder)
            process.wait()
        took = time.monotonic() - begin
        with open(f"{folder}/output", errors="replace") as file:
            text = file.read()
        shutil.rmtree(folder, ignore_errors=True)
        return status, took, text


class Trial:
    def __init__(self, package, suites, options):
        self.package, self.suites, self.options = package, suites, options
        self.coverage_path = f"{package.copy}/.build/coverage.json"
        self.results_path = f"{package.copy}/.build/results.json"
        # By suite: its time in seconds, and the mutants that it covers.
        self.coverage, self.results = {}, {}
        self.lock = threading.Lock()

    def every(self, work, values):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            return list(pool.map(work, values))

    def load(self):
        """Takes up what is known of this build. With other tests the suites cover other mutants, and kill some that had
        survived: of what is known then, only the killed stay."""
        for path, into in ((self.coverage_path, self.coverage), (self.results_path, self.results)):
            if os.path.exists(path):
                into.update(json.loads(mutants.read(path)))
        has_coverage = os.path.exists(self.coverage_path)
        if has_coverage and os.path.getmtime(self.coverage_path) < os.path.getmtime(self.suites.program):
            self.coverage = {}
            self.results = {n: result for n, result in self.results.items() if result["verdict"] == "killed"}

    def save(self):
        mutants.write(self.coverage_path, json.dumps(self.coverage))
        mutants.write(self.results_path, json.dumps(self.results))

    def cover(self):
        names = [name for name in self.suites.names() if name not in self.coverage]
        if self.options.tests:
            names = [name for name in names if re.search(self.options.tests, name)]
        print(f"{len(names)} suites without a mutant", flush=True)
        self.every(self.cover_by, names)
        self.save()

    def cover_by(self, name):
        with tempfile.NamedTemporaryFile(dir=self.suites.folder) as file:
            file.write(bytes(mutants.LIMIT))
            file.flush()
            status, took, text = self.suites.run(name, [], 600, file.name)
            file.seek(0)
            covered = [number for number, octet in enumerate(file.read()) if octet]
        if status != 0:
            print(f"{name} fails without a mutant ({status}) and is left out:\n{text[-1000:]}", flush=True)
            covered = []
        with self.lock:
            self.coverage[name] = {"time": took, "mutants": covered}

    def end(self, number, verdict, by=""):
        mutation = self.package.mutants[number]
        with self.lock:
            self.results[str(number)] = dict(vars(mutation), verdict=verdict, by=by)
            self.save()
        if verdict != "killed":
            print(f"{verdict}: {mutation.path}:{mutation.line} [{mutation.kind}] {mutation.before} → {mutation.after}",
                  flush=True)

    def limit(self, name):
        return 3 * self.coverage[name]["time"] + 20

    def run(self, numbers):
        covering = collections.defaultdict(list)
        for name, suite in self.coverage.items():
            for number in suite["mutants"]:
                covering[number].append(name)
        left = {}

        def alone(number):
            own = self.package.mutants[number].path.split("/")[1] + "Tests."
            names = sorted(covering[number],
                           key=lambda n: (self.coverage[n]["time"] + 0.3) * (0.3 if n.startswith(own) else 1))
            if not names:
                return self.end(number, "not covered")
            spent = 0
            while names and spent <= self.options.seconds:
                status, took, _ = self.suites.run(names[0], [number], self.limit(names[0]))
                if status != 0:
                    return self.end(number, "killed", f"{names[0]} ({status})")
                spent += took
                names.pop(0)
            if not names:
                return self.end(number, "survived")
            with self.lock:
                left[number] = set(names)

        self.every(alone, [n for n in numbers if str(n) not in self.results])
        self.together(left)
        for number in left:
            self.end(number, "survived")

    def together(self, left):
        """Runs the remaining suites with up to eight mutants at once."""
        names = sorted({n for each in left.values() for n in each}, key=lambda n: self.coverage[n]["time"])
        print(f"{len(left)} mutants go on in {len(names)} suites", flush=True)

        def one(name):
            with self.lock:
                members = sorted(n for n in left if name in left[n])
            groups = [members[i:i + 8] for i in range(0, len(members), 8)]
            while groups:
                with self.lock:
                    group = [n for n in groups.pop() if n in left]
                status = self.suites.run(name, group, self.limit(name))[0] if group else 0
                if status != 0 and len(group) == 1:
                    with self.lock:
                        # Another suite may have killed it meanwhile.
                        is_first = left.pop(group[0], None) is not None
                    if is_first:
                        self.end(group[0], "killed", f"{name} ({status})")
                elif status != 0:
                    groups += [group[:len(group) // 2], group[len(group) // 2:]]

        self.every(one, names)

    def summarize(self):
        counts = collections.defaultdict(collections.Counter)
        for result in self.results.values():
            for key in (result["path"].split("/")[1], "all"):
                counts[key][result["verdict"]] += 1
        for module, verdicts in sorted(counts.items(), key=lambda each: (each[0] == "all", each[0])):
            total = sum(verdicts.values())
            print(f"{module}: {verdicts['killed']} of {total} killed ({verdicts['killed'] / total:.0%}),"
                  f" {verdicts['survived']} survived, {verdicts['not covered']} not covered")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", action="append", default=[], help="only mutants of this module (repeatable)")
    parser.add_argument("--file", action="append", default=[], help="only mutants of this file (repeatable)")
    parser.add_argument("--tests", help="only the suites whose names match this regular expression")
    parser.add_argument("--changes", help="the changes in this file; see the README")
    parser.add_argument("--development", action="store_true", help="mutants that are not held out for trials")
    parser.add_argument("--mutants", type=int, default=75, help="the number of mutants")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 20), help="the seed of the choice")
    parser.add_argument("--spare", type=int, default=20, help="build this percentage more, since some do not compile")
    parser.add_argument("--jobs", type=int, default=2, help="the number of suites at a time")
    parser.add_argument("--seconds", type=float, default=30, help="the time for a mutant before it runs beside others")
    parser.add_argument("--again", action="store_true", help="use the last build's mutants, with the present tests")
    parser.add_argument("--skip", type=int, default=0, help="leave out this number of mutants of the build")
    parser.add_argument("--copy", default=f"{os.path.dirname(os.path.abspath(__file__))}/.build/package")
    options = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    package = mutants.MutatedPackage(root, options.copy)
    with tempfile.TemporaryDirectory() as folder:
        if options.again:
            package.load()
            package.update_tests()
        else:
            print(f"seed {options.seed}", flush=True)
            count = options.mutants * (100 + options.spare) // 100 + 1
            if options.changes:
                package.make_written(json.loads(mutants.read(options.changes)), count, options.seed)
            else:
                package.make(options.module, options.file, count, options.seed, not options.development)
        trial = Trial(package, Suites(options.copy, folder), options)
        if options.again:
            trial.load()
        trial.cover()
        trial.run(sorted(package.mutants)[options.skip:options.skip + options.mutants])
        trial.save()
        trial.summarize()


if __name__ == "__main__":
    main()
