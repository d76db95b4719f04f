// How the line of an answer is read beside others: by several readers of one input, with signals meanwhile, behind a
// question that was taken back, and at which input somebody can be asked at all. Each test is a process of its own,
// with real pipes and pseudo-terminals, and off the record.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("Reading an answer beside others")
struct AnswerReadingTests {
    @Test("A reader whose octet another one has taken waits for the next one")
    func severalReaders() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let (input, cancel) = (Pipe(), Pipe())
            let descriptor = input.fileHandleForReading.fileDescriptor
            let cancelled = cancel.fileHandleForReading.fileDescriptor
            // A read of what is gone returns at once.
            guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { exit(2) }
            let readings = Watched<[TerminalInput.Reading]>([])
            let count = 4
            for _ in 0..<count {
                let thread = Thread {
                    let reading = TerminalInput.read(descriptor, until: cancelled)
                    readings.update { $0.append(reading) }
                }
                thread.start()
            }
            for _ in 0..<500 {
                input.fileHandleForWriting.write(Data("a".utf8))
                // Each octet is one that all of them are woken for.
                while readableCount(of: descriptor) > 0, readings.value.count < count { sched_yield() }
            }
            input.fileHandleForWriting.write(Data(String(repeating: "\n", count: count).utf8))
            guard await readings.wait(until: { $0.count == count }) else { exit(3) }
            var letters = 0
            for reading in readings.value {
                guard case .line(let line) = reading else { exit(4) }
                letters += line.count
            }
            withExtendedLifetime((input, cancel)) {}
            exit(letters == 500 ? 0 : 5)
        }
    }

    @Test("A signal ends no line")
    func signals() async {
        await #expect(processExitsWith: .exitCode(0)) {
            signal(SIGUSR1) { _ in }
            let (input, cancel) = (Pipe(), Pipe())
            let descriptor = input.fileHandleForReading.fileDescriptor
            let cancelled = cancel.fileHandleForReading.fileDescriptor
            let reader = Watched<pthread_t?>(nil)
            let result = Watched<TerminalInput.Reading?>(nil)
            let thread = Thread {
                let own = pthread_self()
                reader.update { $0 = own }
                let reading = TerminalInput.read(descriptor, until: cancelled)
                result.update { $0 = reading }
            }
            thread.start()
            guard await reader.wait(until: { $0 != nil }), let number = reader.value else { exit(2) }
            for part in ["y", "e", "s"] {
                input.fileHandleForWriting.write(Data(part.utf8))
                while readableCount(of: descriptor) > 0, result.value == nil { sched_yield() }
                for _ in 0..<300 where result.value == nil {
                    pthread_kill(number, SIGUSR1)
                    sched_yield()
                }
            }
            input.fileHandleForWriting.write(Data("\n".utf8))
            guard await result.wait(until: { $0 != nil }) else { exit(3) }
            withExtendedLifetime((input, cancel)) {}
            exit(result.value == .line("yes") ? 0 : 4)
        }
    }

    @Test("A signal to a reader that waits for an octet which another one has taken ends no line, either")
    func signalsToSeveralReaders() async {
        await #expect(processExitsWith: .exitCode(0)) {
            endProcess(after: 120)
            // Unlike signal(3), the handler leaves it to the reader to read once more.
            var action = sigaction()
            sigemptyset(&action.sa_mask)
            action.__sigaction_handler.sa_handler = { _ in }
            sigaction(SIGUSR1, &action, nil)
            let (input, cancel) = (Pipe(), Pipe())
            let descriptor = input.fileHandleForReading.fileDescriptor
            let cancelled = cancel.fileHandleForReading.fileDescriptor
            let readers = Watched<[pthread_t]>([])
            let readings = Watched<[TerminalInput.Reading]>([])
            let count = 4
            for _ in 0..<count {
                let thread = Thread {
                    let own = pthread_self()
                    readers.update { $0.append(own) }
                    let reading = TerminalInput.read(descriptor, until: cancelled)
                    readings.update { $0.append(reading) }
                }
                thread.start()
            }
            guard await readers.wait(until: { $0.count == count }) else { exit(2) }
            for _ in 0..<300 {
                input.fileHandleForWriting.write(Data("a".utf8))
                while readableCount(of: descriptor) > 0, readings.value.isEmpty { sched_yield() }
                for reader in readers.value {
                    // Without an end of line nobody is done.
                    guard readings.value.isEmpty else { exit(3) }
                    pthread_kill(reader, SIGUSR1)
                }
            }
            input.fileHandleForWriting.write(Data(String(repeating: "\n", count: count).utf8))
            guard await readings.wait(until: { $0.count == count }) else { exit(4) }
            var letters = 0
            for reading in readings.value {
                guard case .line(let line) = reading else { exit(5) }
                letters += line.count
            }
            withExtendedLifetime((input, cancel)) {}
            exit(letters == 300 ? 0 : 6)
        }
    }

    @Test("What comes behind a question that was taken back is the answer to the next one, whole")
    func takenBack() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor in
            // There is no terminal beside the input.
            setsid()
            let input = Pipe()
            dup2(input.fileHandleForReading.fileDescriptor, STDIN_FILENO)
            let terminal = TerminalInput()
            terminal.ask("One?") { line, _ in Console.print("one \(line ?? "none")") }
            let isAsking = terminal.isAsking
            terminal.takeBack("never mind")
            // Nothing is asked any more: nothing is taken back.
            terminal.takeBack("again")
            Console.print("\(isAsking) \(terminal.isAsking)")
            let text = String(repeating: "a", count: 1000)
            input.fileHandleForWriting.write(Data((text + "\n").utf8))
            input.fileHandleForWriting.closeFile()
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                terminal.ask("Two?") { line, isTerminal in
                    Console.print("two \(line == text) \(isTerminal) \(terminal.isAsking)")
                    continuation.resume()
                }
            }
            // The input has ended: the question is asked once, and nobody answers it, nor the one behind it.
            for name in ["Three", "Four"] {
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    terminal.ask(name + "?") { line, isTerminal in
                        Console.print("\(name) \(line ?? "none") \(isTerminal)")
                        continuation.resume()
                    }
                }
            }
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines == ["true false", "two true false false", "Three none false", "Four none false"])
        #expect(process.errorLines == ["One?", "never mind", "Two?", "Three?"])
    }

    @Test("What was typed for a question that was taken back answers no other one; later lines may come before theirs")
    func typedBefore() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            let pair = try PseudoTerminalPair()
            let other = open(pair.path, O_RDWR | O_NOCTTY)
            makePlain(other)
            dup2(other, STDIN_FILENO)
            dup2(other, STDERR_FILENO)
            /// Waits until so many octets of lines can be read.
            @MainActor func waitForInput(_ count: Int) async {
                let deadline = ContinuousClock.now + .seconds(60)
                while readableCount(of: STDIN_FILENO) != count, ContinuousClock.now < deadline {
                    await Task.yield()
                }
            }
            let terminal = TerminalInput()
            terminal.ask("One? ") { line, _ in Console.print("one \(line ?? "none")") }
            terminal.takeBack("never mind")
            _ = "old\n".withCString { write(pair.descriptor, $0, strlen($0)) }
            await waitForInput(4)
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                terminal.ask("Two? ") { line, isTerminal in
                    Console.print("two \(line ?? "none") \(isTerminal)")
                    continuation.resume()
                }
                _ = "new\n".withCString { write(pair.descriptor, $0, strlen($0)) }
            }
            _ = "early\n".withCString { write(pair.descriptor, $0, strlen($0)) }
            await waitForInput(6)
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                terminal.ask("Three? ") { line, isTerminal in
                    Console.print("three \(line ?? "none") \(isTerminal)")
                    continuation.resume()
                }
                _ = "late\n".withCString { write(pair.descriptor, $0, strlen($0)) }
            }
            exit(0)
        }
        #expect(try #require(result).lines == ["two new true", "three early true"])
    }

    @Test(
        "Somebody can be asked at an input that may have lines, or at a terminal in whose foreground the program is",
        arguments: [
            ("pipe", true), ("file", true), ("zero", true), ("null", false), ("closed", false),
            ("null foreground", true), ("closed foreground", true), ("null background", false),
            ("terminal foreground", true), ("terminal background", false), ("pipe background", true),
            ("foreign terminal", true),
        ] as [(String, Bool)]
    )
    func asked(input: String, canAsk: Bool) async {
        await #expect(processExitsWith: canAsk ? .exitCode(0) : .exitCode(1)) { [input] in
            let words = input.split(separator: " ").map(String.init)
            let hasTerminal = words.last == "foreground" || words.last == "background"
            let terminal = hasTerminal ? try ControllingTerminal() : nil
            if !hasTerminal { setsid() }
            switch words[0] {
            case "pipe":
                var ends: [CInt] = [-1, -1]
                pipe(&ends)
                dup2(ends[0], STDIN_FILENO)
            case "file": dup2(open("/proc/self/exe", O_RDONLY), STDIN_FILENO)
            case "zero": dup2(open("/dev/zero", O_RDONLY), STDIN_FILENO)
            case "null": dup2(open("/dev/null", O_RDONLY), STDIN_FILENO)
            case "closed": close(STDIN_FILENO)
            case "foreign":
                let pair = try PseudoTerminalPair()
                dup2(open(pair.path, O_RDWR | O_NOCTTY), STDIN_FILENO)
            default: if let terminal { dup2(terminal.slave, STDIN_FILENO) }
            }
            if words.last == "background" { try terminal?.giveForegroundAway() }
            exit(TerminalInput.canAsk ? 0 : 1)
        }
    }
}
