// A process of one of the programs: its lines, its input, its end. Every wait has a deadline that fails the test.

import Fixtures
import Foundation

/// A condition that did not become true before its deadline.
struct Missing: Error, CustomStringConvertible {
    let description: String
    init(_ what: String) { description = "missing: " + what }
}

/// A process of a test. Unchecked: the condition's lock guards the variables.
final class TestProcess: @unchecked Sendable {
    /// The deadline of every wait, in seconds: long enough for the slowest of machines.
    static let timeout: TimeInterval = 120

    /// Where the process's standard streams lead.
    enum Streams {
        /// Both outputs are kept as lines; the input is what the test writes, or empty.
        case lines(input: Bool)
        /// All three in a terminal.
        case terminal(PseudoTerminal)
    }

    private let command: String
    private let process: pid_t
    private let condition = NSCondition()
    // Under the condition's lock.
    private var input: CInt?
    private var output: [String] = []
    private var errors: [String] = []
    private var openStreams: Int
    private var status: Int32?

    /// The process's identifier.
    var number: Int { Int(process) }

    init(
        _ executable: String,
        _ arguments: [String],
        in testbed: ProcessTestbed,
        streams: Streams,
        environment: [String: String]
    ) throws {
        Self.ignoreBrokenPipes
        command = arguments.joined(separator: " ")
        var all = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("COREBLUETOOTH_") }
        all["XDG_RUNTIME_DIR"] = testbed.path("run")
        all["XDG_STATE_HOME"] = testbed.path("state")
        // Named, so that a machine with a Linux adapter prints no line about it.
        all["COREBLUETOOTH_ADAPTER"] = "air"
        all.merge(environment) { $1 }

        let (outputPipe, errorPipe, inputPipe) = (try Pipe(), try Pipe(), try Pipe())
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        var descriptors = [null, outputPipe.writing, errorPipe.writing]
        var hasInput = false
        switch streams {
        case .lines(let isWritten):
            hasInput = isWritten
            if isWritten { descriptors[0] = inputPipe.reading }
        case .terminal(let terminal): descriptors = [terminal.process, terminal.process, terminal.process]
        }
        defer { for end in [null, inputPipe.reading, outputPipe.writing, errorPipe.writing] { close(end) } }
        openStreams = 2
        process = try spawn([executable] + arguments, all, descriptors, in: testbed.folder.path)
        if hasInput { input = inputPipe.writing } else { close(inputPipe.writing) }
        read(outputPipe.reading) { self.output.append($0) }
        read(errorPipe.reading) { self.errors.append($0) }
        Thread.detachNewThread { [self] in
            let status = exitStatus(of: process)
            update { self.status = status }
        }
    }

    /// A process that has ended must not end the tests that write to it.
    private static let ignoreBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

    /// Kills the process and those that it has started, and waits for its end.
    func terminate() {
        kill(-process, SIGKILL)
        endInput()
        _ = try? wait("the end", Self.timeout) { self.status }
    }

    // MARK: Doing

    /// Writes a line to the process.
    func write(line: String) {
        guard let input = condition.withLock({ input }) else { return }
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
        }
    }

    /// Ends the process's input.
    func endInput() {
        condition.withLock {
            if let input { close(input) }
            input = nil
        }
    }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(process, signal) }

    // MARK: Waiting

    /// Waits for a line on standard output that contains `text`, and returns it.
    @discardableResult
    func line(with text: String) throws -> String { try line(number: 1, with: text) }

    /// Waits for the `count`th line on standard output that contains `text`.
    @discardableResult
    func line(number count: Int, with text: String) throws -> String {
        try wait("line \(count) with \"\(text)\"", Self.timeout) {
            self.output.filter { $0.contains(text) }.dropFirst(count - 1).first
        }
    }

    /// Waits for a line on standard error that contains `text`, and returns it.
    @discardableResult
    func errorLine(with text: String) throws -> String {
        try wait("the line on standard error \"\(text)\"", Self.timeout) { self.errors.first { $0.contains(text) } }
    }

    /// Waits for the end; returns the exit status, or the negative number of the signal that killed the process.
    @discardableResult
    func end() throws -> Int32 {
        try wait("the end", Self.timeout) { self.openStreams == 0 ? self.status : nil }
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
                let end = status.map { "ended with \($0)" } ?? "running"
                throw Missing("\(what) of \"\(command)\"; output \(output); errors \(errors); \(end)")
            }
        }
    }

    private func update(_ change: () -> Void) {
        condition.lock()
        change()
        condition.broadcast()
        condition.unlock()
    }

    /// Collects the lines of a stream on a thread of its own, which closes the stream at its end.
    private func read(_ descriptor: CInt, _ append: @escaping @Sendable (String) -> Void) {
        Thread.detachNewThread { [self] in
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Foundation.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest += buffer[..<count]
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    rest.removeSubrange(...end)
                    update { append(line) }
                }
            }
            close(descriptor)
            update {
                if !rest.isEmpty { append(String(decoding: rest, as: UTF8.self)) }
                openStreams -= 1
            }
        }
    }
}

/// The two ends of a pipe.
private struct Pipe {
    let reading: CInt
    let writing: CInt

    init() throws {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw Missing("a pipe: \(String(cString: strerror(errno)))") }
        (reading, writing) = (ends[0], ends[1])
    }
}

/// Waits for a condition that no process announces, such as a file that appears; throws at the deadline.
func eventually(_ what: String, _ condition: () -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: TestProcess.timeout)
    let pause = NSCondition()
    while !condition() {
        guard Date() < deadline else { throw Missing(what) }
        pause.withLock { _ = pause.wait(until: Date(timeIntervalSinceNow: 0.01)) }
    }
}
