// Writes captures of failing tests: one file per device, in a format that Wireshark opens, in a folder that the
// environment names. Virtual time starts at the year 2000.

public import BluetoothAir
import BluetoothTransport
import Foundation
import NIOCore

/// Runs a test in a world of its own; a test that throws leaves captures.
///
/// ```swift
/// @Test func readsTheTemperature() throws {
///     try withWorld(seed: 7) { world in
///         …
///         try world.run(until: reader.temperature == 21)
///     }
/// }
/// ```
///
/// If `body` throws, each device's packets are written to `NAME-DEVICE.btsnoop`, and the resulting error has the paths.
/// Expectations that fail without throwing, such as `#expect` and `XCTAssert…`, write nothing: call
/// ``World/writeCaptures(named:folder:)`` for those, or use throwing ones.
///
/// - Parameters:
///   - name: The first part of the files' names; by default the test's name.
///   - seed: Equal seeds give equal runs.
///   - settings: How the air treats time and loss.
///   - time: The world's source of time; see ``World/init(seed:settings:callbackDelay:time:traceLimit:)``.
///   - folder: Where the files go; `nil` for the folder in `COREBLUETOOTH_CAPTURES`, or else the temporary folder.
///   - body: The test.
/// - Throws: ``WorldError`` with the paths of the captures, if `body` throws.
public func withWorld<Result>(
    _ name: String = #function,
    seed: UInt64 = 1,
    settings: AirSettings = .realistic,
    time: WorldTime = .virtual,
    folder: String? = nil,
    _ body: (World) throws -> Result
) throws -> Result {
    let world = World(seed: seed, settings: settings, time: time)
    defer { world.keepForSweep() }
    do {
        let result = try body(world)
        try world.throwMistake()
        return result
    } catch {
        throw world.failure(error, name, folder)
    }
}

/// Runs a test in a world of its own; a test that throws leaves captures.
///
/// For tests that await; the body runs on the main actor, so that it stays on one thread.
@MainActor
public func withWorld<Result>(
    _ name: String = #function,
    seed: UInt64 = 1,
    settings: AirSettings = .realistic,
    time: WorldTime = .virtual,
    folder: String? = nil,
    _ body: @MainActor (World) async throws -> Result
) async throws -> Result {
    let world = World(seed: seed, settings: settings, time: time)
    defer { world.keepForSweep() }
    do {
        let result = try await body(world)
        try world.throwMistake()
        return result
    } catch {
        throw world.failure(error, name, folder)
    }
}

extension World {
    /// Writes a capture of each device, in the format of btsnoop.
    ///
    /// The captures contain the packets of the trace: of a repeated advertisement only the first.
    ///
    /// - Parameters:
    ///   - name: The first part of the files' names.
    ///   - folder: Where they go; `nil` for the folder in `COREBLUETOOTH_CAPTURES`, or else the temporary folder.
    /// - Returns: The files' paths, in the order of the devices.
    /// - Throws: If a file cannot be written.
    @discardableResult
    public func writeCaptures(named name: String, folder: String? = nil) throws -> [String] {
        let folder = URL(fileURLWithPath: folder ?? Self.captureFolder, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try self.radios.map { radio in
            let url = folder.appendingPathComponent("\(fileName(name))-\(fileName(radio.name)).btsnoop")
            try PrivateFile.writeOutput(
                url.path,
                as: "capture file",
                Array(self.recorder.capture(of: radio.name).readableBytesView)
            )
            return url.path
        }
    }

    /// Writes the trace and the captures to the folder of a sweep, which keeps them if the seed fails.
    fileprivate func keepForSweep() {
        guard let folder = SweepPart(ProcessInfo.processInfo.environment)?.folder else { return }
        let trace = URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent("trace.txt")
        try? Data((self.trace.description + "\n").utf8).write(to: trace, options: .atomic)
        _ = try? self.writeCaptures(named: "seed-\(self.seed)", folder: folder)
    }

    /// The error to throw from a failed test.
    fileprivate func failure(_ error: any Error, _ name: String, _ folder: String?) -> WorldError {
        var failure =
            error as? WorldError
            ?? WorldError("\(error), after \(text(of: self.now)) of virtual time", trace: self.trace, underlying: error)
        // In a process of a sweep, `keepForSweep()` writes them.
        guard SweepPart(ProcessInfo.processInfo.environment) == nil else { return failure }
        do {
            failure.captures = try self.writeCaptures(named: name, folder: folder)
        } catch {
            failure.reason += " (and its captures could not be written: \(error.localizedDescription))"
        }
        return failure
    }

    static var captureFolder: String {
        let named = ProcessInfo.processInfo.environment["COREBLUETOOTH_CAPTURES"] ?? ""
        return named.isEmpty ? NSTemporaryDirectory() : named
    }
}

/// A text as a valid file name: `readsTheTemperature` for `readsTheTemperature()`.
func fileName(_ text: String) -> String {
    let allowed = text.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == "." ? $0 : "-" }
    let name = String(allowed).split(separator: "-").joined(separator: "-")
    return name.isEmpty ? "world" : name
}
