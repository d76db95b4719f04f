// Reading with real threads, signals and terminals.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("Reading an answer while others read")
struct TerminalInputReadingTests {
    @Test("continues a line after a signal, and after an octet that another reader has taken")
    func signalsToSeveralReaders() async {
        await #expect(processExitsWith: .exitCode(0)) {
            endProcess(after: 120)
            // Unlike signal(3), this handler does not restart the read; the reader has to.
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
                    // Without the end of a line nothing is returned.
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

    @Test("gives the next question the whole line that comes after one was withdrawn")
    func takenBack() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            // There is no terminal besides the input.
            setsid()
            let input = Pipe()
            dup2(input.fileHandleForReading.fileDescriptor, STDIN_FILENO)
            let terminal = TerminalInput()
            terminal.ask("One?") { line, _ in Console.print("one \(line ?? "none")") }
            let isAsking = terminal.isAsking
            terminal.takeBack("never mind")
            // No question is pending, so nothing is withdrawn.
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
            // The input has ended: the question is asked once and gets no answer, nor does the next one.
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
        #expect(process.lines == ["true false", "two true false false", "Three none false", "Four none false"])
        #expect(process.errorLines == ["One?", "never mind", "Two?", "Three?"])
    }

    @Test("drops what was typed for a withdrawn question, before and after that, and keeps early input")
    func typedBefore() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            endProcess(after: 60)
            let place = try TestTerminal(at: [STDIN_FILENO, STDERR_FILENO])
            // The echo shows what the terminal has received.
            makePlain(place.slave, echoes: true)
            let terminal = TerminalInput()
            /// Asks, types a line once another one can be read, and prints the answer.
            @MainActor func answer(_ question: String, typed: String, then text: String) async {
                place.type(typed)
                await terminalWait(for: typed) { readableCount(of: STDIN_FILENO) == typed.utf8.count }
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    terminal.ask(question) { line, isTerminal in
                        Console.print("\(question) \(line ?? "none") \(isTerminal)")
                        continuation.resume()
                    }
                    place.type(text)
                }
            }
            terminal.ask("One?") { line, _ in Console.print("one \(line ?? "none")") }
            place.type("half")
            await place.wait(for: "half")
            terminal.takeBack("never mind")
            // The line without the half that was dropped.
            await answer("Two?", typed: "old\n", then: "new\n")
            await answer("Three?", typed: "early\n", then: "late\n")
            exit(0)
        }
        #expect(process.lines == ["Two? new true", "Three? early true"])
    }

    @Test("treats an input that cannot be polled as ended")
    func noWaiting() async {
        await #expect(processExitsWith: .exitCode(0)) {
            endProcess(after: 60)
            let (input, cancel) = (Pipe(), Pipe())
            input.fileHandleForWriting.write(Data("yes\n".utf8))
            // A poll must not cover more descriptors than a process may have open.
            let count = limitDescriptors(to: 1)
            let reading = TerminalInput.read(
                input.fileHandleForReading.fileDescriptor,
                until: cancel.fileHandleForReading.fileDescriptor
            )
            limitDescriptors(to: count)
            withExtendedLifetime((input, cancel)) {}
            exit(reading == .end ? 0 : 1)
        }
    }
}
