// Decides which process runs which seeds. Several seeds share a process, since starting one takes time; its exit status
// says whether they pass. If they fail, each half gets its own process, down to a single failing seed: so a test may
// fail in any way, with an error, an expectation or a trap.
//
//     several in a process ──► they hold
//                │
//                └──► each half in a process ──► … ──► one seed that fails: once more, with trace and captures
//                                 │
//                                 └──► both halves hold: the seeds fail together

/// The state of a sweep. It does not start processes.
struct SweepPlan {
    /// The work of one process.
    struct Job: Hashable, Sendable {
        var seeds: [UInt64]
        /// Whether its only seed has failed and is run again to keep its trace.
        var isKept: Bool
        /// The group of which these seeds are one half.
        fileprivate var group: Int?
    }

    /// How a process has ended.
    enum Verdict: Hashable, Sendable {
        case holds
        case fails(reason: String, folder: String?)
        /// Its only seed took too long, so it is not run again.
        case neverEnds(reason: String)
    }

    /// Seeds that have failed in one process, until it is known whether one half fails.
    private struct Group {
        var seeds: [UInt64]
        var reason: String
        var pending = 2
    }

    private let seeds: SeedSet
    private let shard: SeedShard
    private let failureLimit: Int
    /// The number of seeds.
    let total: UInt64
    /// The number of seeds with a verdict.
    private(set) var finished: UInt64 = 0
    private var position: UInt64 = 0
    private var suspects: [Job] = []
    private var groups: [Int: Group] = [:]
    private var groupCount = 0
    private(set) var failures: [SweepError.Failure] = []
    /// The number of seeds per process.
    private(set) var size = 1
    static let largestSize = 256

    init(_ seeds: SeedSet, _ shard: SeedShard, failureLimit: Int) {
        self.seeds = seeds
        self.shard = shard
        self.failureLimit = failureLimit
        self.total = shard.count(of: seeds.count)
    }

    /// The largest seed of interest once enough have failed: smaller ones may still fail.
    private var bound: UInt64? {
        self.failures.count < self.failureLimit ? nil : self.failures[self.failureLimit - 1].seeds.first
    }

    /// Whether a job is no longer needed.
    func isNeedless(_ job: Job) -> Bool {
        guard let bound = self.bound, let first = job.seeds.first else { return false }
        return first > bound
    }

    /// The next job; `nil` if there is none at present.
    mutating func next() -> Job? {
        while !self.suspects.isEmpty {
            let job = self.suspects.removeFirst()
            if !self.isNeedless(job) { return job }
        }
        guard self.bound == nil else { return nil }
        var seeds: [UInt64] = []
        while seeds.count < self.size, self.position < self.total,
            let seed = self.shard.position(self.position).flatMap({ self.seeds[$0] })
        {
            seeds.append(seed)
            self.position += 1
        }
        return seeds.isEmpty ? nil : Job(seeds: seeds, isKept: false)
    }

    /// Handles the end of a process.
    mutating func ended(_ job: Job, _ verdict: Verdict, after seconds: Double) {
        switch verdict {
        case .holds where job.isKept:
            self.finish(job)
            self.fail(job.seeds, "failed once, and not when it was run again", nil)
        case .holds:
            self.finish(job)
            self.resolve(job.group, fails: false)
            if job.seeds.count == self.size { self.adapt(to: seconds) }
        case .fails(let reason, let folder) where job.isKept:
            self.finish(job)
            self.fail(job.seeds, reason, folder)
        case .fails(let reason, _):
            self.resolve(job.group, fails: true)
            self.size = max(self.size / 2, 1)
            self.split(job, reason)
        case .neverEnds(let reason):
            self.finish(job)
            if !job.isKept { self.resolve(job.group, fails: true) }
            self.fail(job.seeds, reason, nil)
        }
    }

    private mutating func finish(_ job: Job) { self.finished += UInt64(job.seeds.count) }

    /// Aims at about a second per process: starting it takes little of that, and the sweep can still stop soon.
    private mutating func adapt(to seconds: Double) {
        if seconds < 0.75 { self.size = min(2 * self.size, Self.largestSize) }
        if seconds > 3 { self.size = max(self.size / 2, 1) }
    }

    private mutating func split(_ job: Job, _ reason: String) {
        if job.seeds.count == 1 {
            self.suspects.append(Job(seeds: job.seeds, isKept: true))
        } else {
            self.groupCount += 1
            self.groups[self.groupCount] = Group(seeds: job.seeds, reason: reason)
            let middle = job.seeds.count / 2
            for half in [job.seeds[..<middle], job.seeds[middle...]] {
                self.suspects.append(Job(seeds: Array(half), isKept: false, group: self.groupCount))
            }
        }
        self.suspects.sort { $0.seeds[0] < $1.seeds[0] }
    }

    /// Handles the end of one half of a group.
    private mutating func resolve(_ number: Int?, fails: Bool) {
        guard let number, var group = self.groups.removeValue(forKey: number), !fails else { return }
        group.pending -= 1
        guard group.pending == 0 else {
            self.groups[number] = group
            return
        }
        self.fail(group.seeds, "fail one after the other in one process, and not by halves: \(group.reason)", nil)
    }

    private mutating func fail(_ seeds: [UInt64], _ reason: String, _ folder: String?) {
        self.failures.append(.init(seeds: seeds, reason: reason, folder: folder))
        self.failures.sort { $0.seeds[0] < $1.seeds[0] }
    }
}
