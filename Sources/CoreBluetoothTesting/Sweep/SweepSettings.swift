// What the environment says of sweeps. A text that means nothing is refused with one line that says what would.

/// How a sweep is run.
struct SweepSettings: Sendable {
    /// `nil` where nothing is to be swept, and each test runs with the seed that it has.
    var seeds: SeedSet?
    var shard = SeedShard.whole
    /// After how many failures a sweep stops.
    var failureLimit = 1
    /// How many processes run at once.
    var workers: Int
    /// How long one seed may take, in seconds of real time.
    var secondsPerSeed = 600

    /// - Parameter processors: How many processes run at once, unless the environment says it.
    /// - Throws: ``SweepError`` for a variable that means nothing.
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

    /// Whether a process that runs so many seeds takes too long.
    func isOverdue(after seconds: Double, seeds: Int) -> Bool { seconds > Double(self.secondsPerSeed * seeds) }
}

/// What a process that a sweep has started is to do, as its environment says.
struct SweepPart: Sendable {
    static let siteVariable = "WORLD_SWEEP_SITE"
    static let seedsVariable = "WORLD_SWEEP_SEEDS"
    static let markVariable = "WORLD_SWEEP_MARK"
    static let folderVariable = "WORLD_SWEEP_FOLDER"

    /// Which call of `sweepSeeds` it is for.
    var site: String
    var seeds: SeedSet
    /// The file that is made as soon as that call is reached.
    var mark: String
    /// Where traces and captures go; `nil` where they are not kept.
    var folder: String?

    /// `nil` in a process that no sweep has started.
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

    /// What says so in an environment.
    var variables: [String: String] {
        var variables = [
            Self.siteVariable: self.site, Self.seedsVariable: self.seeds.description, Self.markVariable: self.mark,
        ]
        variables[Self.folderVariable] = self.folder
        return variables
    }
}
