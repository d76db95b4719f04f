// The settings of sweeps from the environment. An invalid text is rejected with one line that shows a valid one.

/// The settings of a sweep.
struct SweepSettings: Sendable {
    /// `nil` without a sweep, when each test runs with its own seed.
    var seeds: SeedSet?
    var shard = SeedShard.whole
    /// The number of failures after which a sweep stops.
    var failureLimit = 1
    /// The number of concurrent processes.
    var workers: Int
    /// The time limit of one seed, in seconds of real time.
    var secondsPerSeed = 600

    /// - Parameter processors: The default number of concurrent processes.
    /// - Throws: ``SweepError`` for an invalid variable.
    init(_ environment: [String: String], processors: Int) throws(SweepError) {
        self.workers = max(processors, 1)
        func read<Value>(_ name: String, _ form: String, _ parse: (String) -> Value?) throws(SweepError) -> Value? {
            guard let text = environment[name], !text.isEmpty else { return nil }
            guard let value = parse(text) else { throw SweepError("\(name) is \"\(text)\"; it has to be \(form)") }
            return value
        }
        func positive(_ text: String) -> Int? {
            UInt64(strictly: text).flatMap(Int.init(exactly:)).flatMap { $0 > 0 ? $0 : nil }
        }
        self.seeds = try read("WORLD_SEEDS", "a seed, a range or several: 7, 1-10000 or 1-10,40", SeedSet.init)
        self.shard =
            try read("WORLD_SHARD", "one of so many shards, counted from 1: 3/20", SeedShard.init) ?? .whole
        self.failureLimit =
            try read("WORLD_FAILURES", "how many failures to gather: 5, or all") {
                $0 == "all" ? Int.max : positive($0)
            } ?? 1
        self.workers = try read("WORLD_WORKERS", "a number of processes: 4", positive) ?? self.workers
        self.secondsPerSeed =
            try read("WORLD_SEED_LIMIT", "a number of seconds: 600", positive) ?? self.secondsPerSeed
    }

    /// Whether a process with a number of seeds takes too long.
    func isOverdue(after seconds: Double, seeds: Int) -> Bool { seconds > Double(self.secondsPerSeed * seeds) }
}

/// The job of a process that a sweep has started, from its environment.
struct SweepPart: Sendable {
    static let siteVariable = "WORLD_SWEEP_SITE"
    static let seedsVariable = "WORLD_SWEEP_SEEDS"
    static let markVariable = "WORLD_SWEEP_MARK"
    static let folderVariable = "WORLD_SWEEP_FOLDER"

    /// The call of `sweepSeeds`.
    var site: String
    var seeds: SeedSet
    /// The file to create when that call is reached.
    var mark: String
    /// The folder for traces and captures; `nil` if they are not kept.
    var folder: String?

    /// Creates the job from an environment; `nil` in a process that no sweep has started.
    init?(_ environment: [String: String]) {
        guard
            let site = environment[Self.siteVariable],
            let seeds = environment[Self.seedsVariable].flatMap(SeedSet.init),
            let mark = environment[Self.markVariable]
        else { return nil }
        self.site = site
        self.seeds = seeds
        self.mark = mark
        self.folder = environment[Self.folderVariable]
    }

    init(site: String, seeds: SeedSet, mark: String, folder: String?) {
        self.site = site
        self.seeds = seeds
        self.mark = mark
        self.folder = folder
    }

    /// The environment variables of the job.
    var variables: [String: String] {
        var variables = [
            Self.siteVariable: self.site, Self.seedsVariable: self.seeds.description, Self.markVariable: self.mark,
        ]
        variables[Self.folderVariable] = self.folder
        return variables
    }
}
