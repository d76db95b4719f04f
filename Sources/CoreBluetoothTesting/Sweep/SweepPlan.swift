// Which process runs which seeds. Several seeds share a process, since each has to start first; how a process ends
// says whether they hold. Where they do not, each half of them has a process of its own, down to the one that fails: so
// a test may fail as it likes, by an error, an expectation or a trap.
//
//     several in a process ──► they hold
//                │
//                └──► each half in a process ──► … ──► one seed that fails: once more, with trace and captures
//                                 │
//                                 └──► both halves hold: the seeds fail together

/// The state of a sweep; it starts no processes itself.
struct SweepPlan {
    /// What one process is to run.
    struct Job: Hashable, Sendable {
        var seeds: [UInt64]
        /// Whether its only seed has failed, and is run once more to keep its trace.
        var isKept: Bool
        /// The seeds of which these are a half.
        fileprivate var group: Int?
    }

    /// How a process has ended.
    enum Verdict: Hashable, Sendable {
        case holds
        case fails(reason: String, folder: String?)
        /// Its only seed took too long; there is no point in running it again.
        case neverEnds(reason: String)
    }

    /// Seeds that have failed in one process, until it is known whether a half of them does.
    private struct Group {
        var seeds: [UInt64]
        var reason: String
        var pending = 2
    }

    private let seeds: SeedSet
    private let shard: SeedShard
    private let failureLimit: Int
    /// How many seeds the sweep has.
    let total: UInt64
    /// How many of them have a verdict.
    private(set) var finished: UInt64 = 0
    private var position: UInt64 = 0
    private var suspects: [Job] = []
    private var groups: [Int: Group] = [:]
    private var groupCount = 0
    private(set) var failures: [SweepError.Failure] = []
    /// How many seeds a process gets.
    private(set) var size = 1
    static let largestSize = 256

    init(_ seeds: SeedSet, _ shard: SeedShard, failureLimit: Int) {
        self.seeds = seeds
        self.shard = shard
        self.failureLimit = failureLimit
        self.total = shard.count(of: seeds.count)
    }

    /// The largest seed that is still of interest, once enough have failed: smaller ones may fail, too.
    private var bound: UInt64? {
        self.failures.count < self.failureLimit ? nil : self.failures[self.failureLimit - 1].seeds.first
    }

    /// Whether a job need not be run, or need not run on.
    func isNeedless(_ job: Job) -> Bool {
        guard let bound = self.bound, let first = job.seeds.first else { return false }
        return first > bound
    }

    /// What is to be run next; `nil` where nothing is, for now.
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

    /// A process has ended, after so many seconds.
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

    /// A second or so for each process: little of it is its start, and the sweep can stop soon.
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

    /// A half of a group has ended.
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
