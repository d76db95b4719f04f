// A process that is started with pipes for its standard input and output, and that talks in lines.

import Foundation

/// A program that reads lines, and answers with lines.
package final class ChildProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()
    /// The time limit of a line, in milliseconds.
    private static let replyTimeLimit = 60_000

    /// Starts a program with the environment of this one, changed by `environment`.
    package init(_ program: URL, _ arguments: [String], environment: [String: String]) {
        self.process.executableURL = program
        self.process.arguments = arguments
        self.process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        self.process.standardInput = self.input
        self.process.standardOutput = self.output
        do { try self.process.run() } catch { expect(false, "\(program.path): \(error)") }
    }

    /// The process's number.
    package var number: Int32 { self.process.processIdentifier }

    /// The program that runs this, and those that were built beside it.
    package static func program(_ name: String? = nil) -> URL {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return name.map { own.deletingLastPathComponent().appendingPathComponent($0) } ?? own
    }

    /// Writes a line to the process.
    package func send(_ line: String) { self.input.fileHandleForWriting.write(Data((line + "\n").utf8)) }

    /// Sends a signal to the process.
    package func signal(_ signal: Int32) { kill(self.number, signal) }

    /// Stops the process as SIGSTOP does, and returns once all of its threads are stopped.
    package func stop() {
        self.signal(SIGSTOP)
        let deadline = Date(timeIntervalSinceNow: 10)
        while !self.isStopped {
            expect(Date() < deadline, "process \(self.number) cannot be stopped")
            sched_yield()
        }
    }

    /// Whether the process is stopped, by the letter behind the name in parentheses (proc(5)).
    private var isStopped: Bool {
        let text = (try? String(contentsOfFile: "/proc/\(self.number)/stat", encoding: .utf8)) ?? ""
        return text.split(separator: ")").last?.dropFirst().first == "T"
    }

    /// The next line of one of the processes; `nil` if there is none within that number of milliseconds.
    package static func nextLine(of children: [ChildProcess], within limit: Int) -> (ChildProcess, String)? {
        let deadline = DispatchTime.now() + .milliseconds(limit)
        while true {
            for child in children { if let line = child.takeLine() { return (child, line) } }
            var ready = children.map {
                pollfd(fd: $0.output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            }
            let now = DispatchTime.now()
            guard now < deadline else { return nil }
            let left = Int32(clamping: (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1)
            guard poll(&ready, nfds_t(ready.count), left) >= 0 else { continue }
            for (child, descriptor) in zip(children, ready) where descriptor.revents != 0 {
                let octets = child.output.fileHandleForReading.availableData
                expect(!octets.isEmpty, "\(child.process.arguments ?? []) has ended")
                child.unread.append(octets)
            }
        }
    }

    private func takeLine() -> String? {
        guard let end = self.unread.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = String(decoding: self.unread[self.unread.startIndex..<end], as: UTF8.self)
        self.unread = Data(self.unread[(end + 1)...])
        return line
    }

    /// Waits for a line that begins with a word; others are skipped.
    @discardableResult
    package func wait(for word: String) -> String {
        while let (_, line) = Self.nextLine(of: [self], within: Self.replyTimeLimit) {
            if line.hasPrefix(word) { return line }
        }
        self.end()
        expect(false, "\(self.process.arguments ?? []) did not say \(word)")
        return ""
    }

    /// Writes a line, and waits for one that begins with a word.
    package func order(_ line: String, answer: String) {
        self.send(line)
        self.wait(for: answer)
    }

    /// Ends the process, also one that is stopped.
    package func end() {
        self.process.terminate()
        self.signal(SIGCONT)
        self.process.waitUntilExit()
    }
}
