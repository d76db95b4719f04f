// A process of one of the programs: its lines, its input, its end. What a test waits for has a deadline.

import Foundation

/// Something did not come.
struct Missing: Error, CustomStringConvertible {
    let description: String
    init(_ what: String) { description = "missing: " + what }
}

/// A process of a test. Unchecked: the condition's lock guards what changes.
final class TestProcess: @unchecked Sendable {
    /// How long, in seconds, anything may take, on the slowest of machines.
    static let timeout: TimeInterval = 120

    /// Where the process's standard streams lead.
    enum Streams {
        /// Lines of both outputs are kept; the input is what the test writes, or nothing.
        case lines(input: Bool)
        /// The same with standard output in a terminal.
        case output(PseudoTerminal)
        /// The same with standard input in a terminal.
        case typing(PseudoTerminal)
        /// All three in a terminal.
        case terminal(PseudoTerminal)
    }

    private let process = Process()
    private let input: Pipe?
    private let condition = NSCondition()
    // Under the condition's lock.
    private var output: [String] = []
    private var errors: [String] = []
    private var openStreams = 2
    private var hasEnded = false

    /// The process's number.
    var number: Int { Int(process.processIdentifier) }

    init(
        _ executable: URL,
        _ arguments: [String],
        in testbed: ProcessTestbed,
        streams: Streams,
        environment: [String: String]
    ) throws {
        process.executableURL = executable
        process.arguments = arguments
        var all = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("COREBLUETOOTH_") }
        all["XDG_RUNTIME_DIR"] = testbed.path("run")
        all["XDG_STATE_HOME"] = testbed.path("state")
        // Named, so that a machine with a Linux adapter prints no line about it.
        all["COREBLUETOOTH_ADAPTER"] = "air"
        process.environment = all.merging(environment) { $1 }
        process.currentDirectoryURL = testbed.folder
        let outputPipe = Pipe()
        let errorPipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        var input: Pipe?
        switch streams {
        case .lines(let hasInput):
            if hasInput {
                let pipe = Pipe()
                process.standardInput = pipe
                input = pipe
            }
        case .output(let terminal): process.standardOutput = terminal.process
        case .typing(let terminal): process.standardInput = terminal.process
        case .terminal(let terminal):
            process.standardInput = terminal.process
            process.standardOutput = terminal.process
            process.standardError = terminal.process
        }
        self.input = input
        process.terminationHandler = { [self] _ in
            signal { hasEnded = true }
        }
        try process.run()
        // An end for writing that no process was given has to be closed, or its stream never ends.
        for pipe in [outputPipe, errorPipe] { try? pipe.fileHandleForWriting.close() }
        read(outputPipe) { self.output.append($0) }
        read(errorPipe) { self.errors.append($0) }
    }

    /// Ends the process where it has not ended by itself.
    func terminate() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        endInput()
        // The handler stays: it may be running on a thread of Foundation, which does not hold it meanwhile.
    }

    // MARK: Doing

    /// Writes a line to the process.
    func write(line: String) {
        input?.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    /// Ends the process's input.
    func endInput() {
        try? input?.fileHandleForWriting.close()
    }

    /// Sends a signal.
    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    // MARK: Waiting

    /// Waits for a line on standard output that contains `text`, and returns it.
    @discardableResult
    func line(with text: String, within seconds: TimeInterval = timeout) throws -> String {
        try wait("the line \"\(text)\"", seconds) { self.output.first { $0.contains(text) } }
    }

    /// Waits for the `count`th line on standard output that contains `text`.
    @discardableResult
    func line(number count: Int, with text: String, within seconds: TimeInterval = timeout) throws -> String {
        try wait("\(count) lines \"\(text)\"", seconds) {
            self.output.filter { $0.contains(text) }.dropFirst(count - 1).first
        }
    }

    /// Waits for a line on standard error that contains `text`, and returns it.
    @discardableResult
    func errorLine(with text: String, within seconds: TimeInterval = timeout) throws -> String {
        try wait("the line on standard error \"\(text)\"", seconds) { self.errors.first { $0.contains(text) } }
    }

    /// Waits for the end; returns the exit status, or the negative number of the signal that killed the process.
    @discardableResult
    func end(within seconds: TimeInterval = timeout) throws -> Int32 {
        try wait("the end", seconds) {
            guard self.hasEnded, self.openStreams == 0 else { return nil }
            let status = self.process.terminationStatus
            return self.process.terminationReason == .exit ? status : -status
        }
    }

    /// All lines of standard output so far.
    var lines: [String] { condition.withLock { output } }

    /// All lines of standard error so far.
    var errorLines: [String] { condition.withLock { errors } }

    private func wait<T>(_ what: String, _ seconds: TimeInterval, _ result: () -> T?) throws -> T {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let result = result() { return result }
            guard condition.wait(until: deadline) else {
                let name = (process.arguments ?? []).joined(separator: " ")
                throw Missing("\(what) of \"\(name)\"; output \(output); errors \(errors); ended \(hasEnded)")
            }
        }
    }

    private func signal(_ change: () -> Void) {
        condition.lock()
        change()
        condition.broadcast()
        condition.unlock()
    }

    /// Collects the lines of a stream on a thread of its own, which closes the stream at its end: Foundation traps in
    /// starting a process while some 1,350 descriptors are open, since it copies whole directory entries from a buffer
    /// that ends within the last of them.
    private func read(_ pipe: Pipe, _ append: @escaping @Sendable (String) -> Void) {
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
            var rest = Data()
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                    rest = Data(rest[rest.index(after: end)...])
                    signal { append(line) }
                }
            }
            try? handle.close()
            signal {
                if !rest.isEmpty { append(String(decoding: rest, as: UTF8.self)) }
                openStreams -= 1
            }
        }
    }
}

/// Waits for a condition that no process announces: a file that appears or goes.
///
/// Looks again after every change of the folder's clock tick at most; throws at the deadline.
func eventually(_ what: String, within seconds: TimeInterval = TestProcess.timeout, _ condition: () -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    let pause = NSCondition()
    while !condition() {
        guard Date() < deadline else { throw Missing(what) }
        pause.withLock { _ = pause.wait(until: Date(timeIntervalSinceNow: 0.01)) }
    }
}
