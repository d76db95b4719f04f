"""Makes a copy of the package with many mutants in it, all in one build, and builds its tests."""

import collections
import filecmp
import json
import os
import random
import re
import shutil
import subprocess

import mutations

LIMIT = 1 << 16
# A table and texts, which are compared with their sources.
LEFT_OUT = {"AssignedNumbers", "Lessons"}

HEADER = """#include <stdbool.h>
#include <stdint.h>
bool is_mutant_active(int32_t number);
"""
SOURCE = """#include "CMutants.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LIMIT = %d };
static unsigned char active[LIMIT];
static unsigned char *covered;

__attribute__((constructor)) static void begin(void) {
    const char *list = getenv("MUTANTS");
    while (list != NULL && *list != 0) {
        char *end;
        long number = strtol(list, &end, 10);
        if (end == list) { break; }
        if (number > 0 && number < LIMIT) { active[number] = 1; }
        list = *end == ',' ? end + 1 : end;
    }
    const char *path = getenv("MUTANTS_COVERED");
    int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) { return; }
    void *octets = mmap(NULL, LIMIT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (octets != MAP_FAILED) { covered = octets; }
    close(file);
}

bool is_mutant_active(int32_t number) {
    if (covered != NULL && covered[number] == 0) { covered[number] = 1; }
    return active[number] != 0;
}
""" % LIMIT
DECLARATION = """@_silgen_name("is_mutant_active") @usableFromInline nonisolated func isActive(_ number: Int32) -> Bool
"""
MANIFEST = """
package.targets.append(.target(name: "CMutants"))
for target in package.targets where [%s].contains(target.name) { target.dependencies.append("CMutants") }
"""
ERROR = re.compile(r"/(Sources/[^:\s]+\.swift):(\d+):\d+: error: ")


def files_of(root):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, stdout=subprocess.PIPE, check=True).stdout.decode()
    return [path for path in listed.split("\0") if path and os.path.exists(f"{root}/{path}")]


def mutable(path):
    parts = path.split("/")
    return parts[0] == "Sources" and path.endswith(".swift") and parts[1] not in LEFT_OUT and parts[-1] != "main.swift"


def read(path):
    with open(path) as file:
        return file.read()


def write(path, text):
    """Writes a file only if it differs, so that a build does not see others as changed."""
    if os.path.exists(path) and read(path) == text:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


class MutatedPackage:
    """The copy, and its mutants by number."""

    def __init__(self, root, copy):
        self.root, self.copy, self.mutants = root, copy, {}
        self.log, self.list = f"{copy}/.build/mutants.log", f"{copy}/.build/mutants.json"

    def load(self):
        self.mutants = {int(n): mutations.Mutation(**m) for n, m in json.loads(read(self.list)).items()}

    def update_tests(self):
        """Takes the present tests; the sources stay those of the mutants."""
        self.copy_files(files_of(self.root))
        if self.swift_build().returncode != 0:
            raise SystemExit(f"the copy does not build with the present tests; {self.log} has the errors")

    def make(self, modules, files, count, seed, held_out):
        """Chooses mutations at random, held-out ones or others, and builds those that compile."""
        found = []
        for path in files_of(self.root):
            if mutable(path) and (path in files if files else not modules or path.split("/")[1] in modules):
                found += mutations.Finder(path, read(f"{self.root}/{path}")).find()
        self.choose([mutation for mutation in found if mutation.is_held_out == held_out], count, seed)

    def make_written(self, written, count, seed):
        """Chooses at random among written changes, and builds those that compile."""
        self.choose([mutations.written(read(f"{self.root}/{each['path']}"), **each) for each in written], count, seed)

    def choose(self, found, count, seed):
        """Takes this number of mutations, at most one on a line, and builds them."""
        paths = files_of(self.root)
        random.Random(seed).shuffle(found)
        spans = collections.defaultdict(list)
        for mutation in found:
            others = spans[mutation.path]
            if len(self.mutants) < count and not any(mutation.is_near(other) for other in others):
                others.append(mutation)
                self.mutants[len(self.mutants) + 1] = mutation
        print(f"{len(self.mutants)} of {len(found)} mutations", flush=True)
        self.copy_files(paths)
        self.build()
        write(self.list, json.dumps({n: vars(m) for n, m in self.mutants.items()}))

    def copy_files(self, paths):
        """Everything that the mutants do not change, and the module that says which mutant is active."""
        names = sorted({path.split("/")[1] for path in paths if mutable(path)})
        for path in paths:
            if not mutable(path) and path != "Package.swift":
                target = f"{self.copy}/{path}"
                if os.path.islink(f"{self.root}/{path}"):
                    if not os.path.lexists(target):
                        os.makedirs(os.path.dirname(target), exist_ok=True)
                        os.symlink(os.readlink(f"{self.root}/{path}"), target)
                    continue
                # Equal files are kept, or the build would see them as changed.
                if not os.path.exists(target) or not filecmp.cmp(f"{self.root}/{path}", target, shallow=False):
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    shutil.copy2(f"{self.root}/{path}", target)
        for name in names:
            write(f"{self.copy}/Sources/{name}/IsActive.swift", DECLARATION)
        write(f"{self.copy}/Sources/CMutants/include/CMutants.h", HEADER)
        write(f"{self.copy}/Sources/CMutants/mutants.c", SOURCE)
        manifest = read(f"{self.root}/Package.swift")
        write(f"{self.copy}/Package.swift", manifest + MANIFEST % ", ".join(f'"{name}"' for name in names))

    def write_sources(self):
        by_path = collections.defaultdict(list)
        for number, mutation in self.mutants.items():
            by_path[mutation.path].append((mutation.start, mutation.end, mutation.replacement.format(n=number)))
        for path in files_of(self.root):
            if mutable(path):
                text = read(f"{self.root}/{path}")
                for start, end, replacement in sorted(by_path[path], reverse=True):
                    text = text[:start] + replacement + text[end:]
                write(f"{self.copy}/{path}", text)

    def build(self):
        """Builds, and removes mutants that do not compile, until it builds."""
        while True:
            self.write_sources()
            result = self.swift_build()
            if result.returncode == 0:
                return
            blamed = set()
            for path, line in set(ERROR.findall(result.stdout)):
                blamed |= self.blamed(path, int(line))
            if not blamed:
                raise SystemExit(f"the copy does not build, and no mutant is to blame; {self.log} has the errors")
            for number in blamed:
                del self.mutants[number]
            print(f"{len(blamed)} mutants do not compile, {len(self.mutants)} are left", flush=True)

    def swift_build(self):
        # Line numbers do not matter here.
        command = ["swift", "build", "--build-tests", "-debug-info-format", "none", "-Xswiftc", "-use-ld=lld"]
        result = subprocess.run(command, cwd=self.copy, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        os.makedirs(os.path.dirname(self.log), exist_ok=True)
        with open(self.log, "a") as file:
            file.write(result.stdout)
        return result

    def blamed(self, path, line):
        """The mutants of a line, or of the nearest line above: an error may be reported at the end of a scope."""
        own = [(line - m.line, n) for n, m in self.mutants.items() if m.path == path and m.line <= line]
        there = {n for distance, n in own if distance == 0}
        return there or {n for _, n in sorted(own)[:2]} or {n for n, m in self.mutants.items() if m.path == path}
