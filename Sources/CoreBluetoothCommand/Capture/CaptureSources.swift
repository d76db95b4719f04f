// The sources of packets: a file, a program that is run, this program itself. The last two write their captures into a
// pipe instead of a file, so that every packet is shown as it passes.

import BluetoothTransport
import CommandLineTool
import Foundation
import NIOCore

/// A file, and what is added to it.
@MainActor
final class CaptureReading {
    private let path: String
    private let printer: CapturePrinter
    private var handle: FileHandle?
    private var reader = CaptureReader()

    /// Creates a reader that has not begun.
    init(path: String, printer: CapturePrinter) {
        self.path = path
        self.printer = printer
    }

    /// Shows what is in the file.
    ///
    /// - Parameter follows: Whether to go on with what is added; it then never returns.
    func run(follows: Bool) throws {
        try begin()
        guard follows else {
            if let cut = reader.cut {
                Console.warn("\(path): \(cut): its writer was stopped, or still writes (--follow)")
            }
            return
        }
        let timer = Timer(fire: Date(timeIntervalSinceNow: 0.1), interval: 0.1, repeats: true) { _ in
            MainActor.assumeIsolated { self.showMore() }
        }
        RunLoop.main.add(timer, forMode: .common)
        Interrupts.runUntilExit()
    }

    /// Opens the file and shows what is in it.
    func begin() throws {
        handle = try InputFile.open(path)
        try show()
    }

    /// Shows what was added to the file; a malformed record ends the program.
    func showMore() {
        do { try show() } catch { Ending.fail(Failure(ErrorText.text(error))) }
    }

    private func show() throws {
        while let data = try handle?.read(upToCount: 64 * 1024), !data.isEmpty {
            reader.append(ByteBuffer(bytes: data))
            try showWhole()
        }
        do { try reader.reachEnd() } catch { throw Failure("\(path): \(error)") }
        try showWhole()
    }

    private func showWhole() throws {
        do throws(CaptureError) {
            while let record = try reader.next() { printer.print(record) }
        } catch {
            throw Failure("\(path): \(error)")
        }
    }
}

/// A named pipe in a folder of its own that is removed when the program ends.
final class CapturePipe: Sendable {
    let path: String
    private let descriptor: CInt
    /// Keeps the pipe from its end while one writer goes and the next one comes.
    private let keeper: CInt

    private static let removal: Void = {
        atexit { CapturePipe.removeFolder() }
    }()
    // Written on the main thread, and read as the program ends.
    nonisolated(unsafe) private static var folder: String?

    init() throws {
        // If nobody reads standard output any more, the program ends through `exit`, which removes the folder, and
        // not by the signal. A handler, since a program that is run would inherit that the signal is ignored.
        signal(SIGPIPE) { _ in }
        let folder = try ScratchFolder.make()
        path = folder + "/capture"
        Self.folder = folder
        _ = Self.removal
        guard mkfifo(path, 0o600) == 0 else { throw Failure("cannot make a pipe at \(path)") }
        // Without waiting for a writer; reading waits.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        keeper = open(path, O_WRONLY | O_CLOEXEC)
        // `fcntl` fails for an invalid descriptor, too.
        guard keeper >= 0, fcntl(descriptor, F_SETFL, 0) == 0 else {
            throw Failure("cannot open the pipe \(path)")
        }
    }

    private static func removeFolder() {
        guard let folder else { return }
        unlink(folder + "/capture")
        rmdir(folder)
    }

    /// Reads on a thread of its own.
    ///
    /// - Parameter receive: Called on the main thread with one piece after the other, and with nothing at the end.
    func read(_ receive: @escaping @MainActor @Sendable ([UInt8]) -> Void) {
        let descriptor = descriptor
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = Foundation.read(descriptor, &buffer, buffer.count)
                let octets = Array(buffer[..<max(0, count)])
                DispatchQueue.main.sync { MainActor.assumeIsolated { receive(octets) } }
                guard count > 0 else { return }
            }
        }
    }

    /// Discards what comes while the program ends: an adapter of this program would wait for a reader, and the program
    /// for the adapter.
    ///
    /// To be called once, when the adapter is there: it shuts down later then.
    func discardAtExit() {
        Self.discarded = descriptor
        atexit {
            let descriptor = CapturePipe.discarded
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 64 * 1024)
                while Foundation.read(descriptor, &buffer, buffer.count) > 0 {}
            }
        }
    }

    // Written on the main thread, and read as the program ends.
    nonisolated(unsafe) private static var discarded: CInt = -1

    /// Ends the pipe when its present writers have closed it; to be called once.
    func finish() { close(keeper) }
}

/// Shows what comes through a pipe.
@MainActor
private final class PipeShow {
    private let printer: CapturePrinter
    private var reader = CaptureReader()

    init(_ printer: CapturePrinter) { self.printer = printer }

    func take(_ octets: [UInt8]) {
        reader.append(ByteBuffer(bytes: octets))
        do throws(CaptureError) {
            while let record = try reader.next() { printer.print(record) }
        } catch {
            Ending.fail(Failure("\(error)"))
        }
    }
}

/// The packets of this program while it scans.
@MainActor
final class OwnCapture {
    private let pipe: CapturePipe
    private let show: PipeShow
    let central = Central(output: OutputFormat(isJSON: false, isVerbose: false))

    init(pipe: CapturePipe, printer: CapturePrinter) {
        self.pipe = pipe
        show = PipeShow(printer)
    }

    /// Shows packets; never returns.
    func run() -> Never {
        pipe.read { [self] in show.take($0) }
        scan()
        pipe.discardAtExit()
        Interrupts.runUntilExit()
    }

    /// Scans with the adapter of this program, once it is there.
    func scan() {
        central.onReady = { [self] in central.scan(services: [], duplicates: true) }
        central.open()
    }
}

/// The packets of a program that is run.
@MainActor
final class ProgramCapture {
    private let command: [String]
    private let pipe: CapturePipe
    private let show: PipeShow
    private let process = Process()
    private var status: Int32?

    init(_ command: [String], pipe: CapturePipe, printer: CapturePrinter) {
        self.command = command
        self.pipe = pipe
        show = PipeShow(printer)
    }

    // Written on the main thread, and read as this program ends.
    nonisolated(unsafe) private static var program: pid_t?
    /// How long, in milliseconds, to wait for the program's end.
    private nonisolated static let endLimit = 500

    /// Ends the program with this one, which was interrupted: it is in a process group of its own, so the terminal does
    /// not interrupt it.
    private nonisolated static func endProgram() {
        guard let program else { return }
        kill(program, SIGTERM)
        // This program ends, so nothing else runs that could be held up.
        waitForEnd(isThere: { kill(program, 0) == 0 }, pause: { usleep(10_000) })
    }

    /// Pauses, for 10 ms each, while the program is there, up to the limit.
    nonisolated static func waitForEnd(isThere: () -> Bool, pause: () -> Void) {
        for _ in 0..<endLimit / 10 where isThere() { pause() }
    }

    /// Runs it and ends as it ends; never returns.
    func run() -> Never {
        pipe.read { [self] in take($0) }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.terminationHandler = { process in
            let status =
                process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
            DispatchQueue.main.async { MainActor.assumeIsolated { self.ended(with: status) } }
        }
        do {
            try process.run()
        } catch {
            Ending.fail(Failure("cannot run \(command[0]): \(ErrorText.text(error))"))
        }
        Self.program = process.processIdentifier
        pipe.discardAtExit()
        atexit { ProgramCapture.endProgram() }
        Interrupts.runUntilExit()
    }

    /// The program has ended, which ends the pipe.
    func ended(with status: Int32) {
        self.status = status
        pipe.finish()
    }

    /// Shows a piece; the end, which comes behind all that the program wrote, ends this one as the program has ended.
    func take(_ octets: [UInt8]) {
        if octets.isEmpty, let status {
            Self.program = nil
            exit(status)
        }
        show.take(octets)
    }
}
