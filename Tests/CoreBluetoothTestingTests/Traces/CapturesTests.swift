// The error of a failing test, with its captures.

import BluetoothHCI
import BluetoothTransport
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Captures")
struct CapturesTests {
    private struct Failure: Error {}

    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    /// An invalid script.
    private static func wrongScript() -> ScriptedPeripheral {
        ScriptedPeripheral(
            name: "Thing",
            services: [.init("FFF0", characteristics: [.init("FFF1", properties: [])])]
        )
    }

    /// The names of existing captures.
    private func names(_ error: WorldError) -> [String] {
        error.captures.map { path -> String in
            #expect(FileManager.default.fileExists(atPath: path))
            return URL(fileURLWithPath: path).lastPathComponent
        }
    }

    @Test("writes a capture of each device when a test throws, and names them in the error")
    func captures() throws {
        let error = #expect(throws: WorldError.self) {
            try withWorld("a failing/test()", seed: 1, folder: self.folder("captures")) { world in
                _ = world.addPeripheral(.thermometer(), as: "thermo")
                let reader = world.addDevice("phone").run { Reader() }
                try world.run(until: reader.calls.contains("notifying true"))
                throw Failure()
            }
        }
        let failure = try #require(error)
        #expect(failure.underlying is Failure)
        #expect(self.names(failure) == ["a-failing-test-thermo.btsnoop", "a-failing-test-phone.btsnoop"])
        #expect(failure.captures.allSatisfy { $0.hasPrefix(self.folder("captures/")) })
        #expect(failure.description.contains("Capture: \(failure.captures[1])"))
        #expect(failure.description.contains("Failure()"))
        let capture = try Data(contentsOf: URL(fileURLWithPath: failure.captures[1]))
        #expect(capture.prefix(8) == Data("btsnoop\0".utf8) && capture.count > 1000)
    }

    @Test("throws a pending mistake at the end of the test, with captures")
    func mistake() throws {
        let error = #expect(throws: WorldError.self) {
            try withWorld("makesAMistake()", folder: self.folder("a")) { world in
                _ = world.addPeripheral(Self.wrongScript())
            }
        }
        let failure = try #require(error)
        #expect(failure.reason.contains("the characteristic FFF1 has no properties") && failure.underlying == nil)
        #expect(self.names(failure) == ["makesAMistake-Thing.btsnoop"])
        // If it was thrown before, the test may continue.
        let value = try withWorld("goesOn()", folder: self.folder("b")) { world -> Int in
            _ = world.addPeripheral(Self.wrongScript())
            #expect(throws: WorldError.self) { try world.run(until: true) }
            return 7
        }
        #expect(value == 7 && self.folder.content == ["a"])
    }

    @Test("throws the world's own error as it is")
    func errors() throws {
        let error = #expect(throws: WorldError.self) {
            try withWorld("waits()", folder: self.folder("b")) { world in
                try world.run(until: false, within: .milliseconds(20))
            }
        }
        let late = try #require(error)
        #expect(late.reason.hasSuffix("the condition did not become true within 20 ms"))
        #expect(late.underlying == nil && late.captures.isEmpty)
    }

    @Test("says so if the captures cannot be written")
    func unwritable() throws {
        _ = FileManager.default.createFile(atPath: self.folder("file"), contents: nil)
        let thrown = #expect(throws: WorldError.self) {
            try withWorld("throws()", folder: self.folder("file/below")) { world in
                _ = world.addDevice("phone")
                throw Failure()
            }
        }
        let failure = try #require(thrown)
        let start = "Failure(), after 0 ms of virtual time (and its captures could not be written: "
        #expect(failure.reason.hasPrefix(start) && failure.reason.hasSuffix(")") && failure.captures.isEmpty)
        #expect(failure.underlying is Failure)
    }

    @Test("leaves the same captures for a test that awaits") @MainActor
    func asynchronous() async throws {
        func failure(_ name: String, _ body: @MainActor (World) async throws -> Void) async -> WorldError? {
            do {
                try await withWorld(name, folder: self.folder(name), body)
                return nil
            } catch {
                return error as? WorldError
            }
        }
        let thrown = await failure("throws") { world in
            _ = world.addDevice("phone")
            await Task.yield()
            throw Failure()
        }
        #expect(thrown?.reason == "Failure(), after 0 ms of virtual time" && thrown?.underlying is Failure)
        #expect(thrown.map(self.names) == ["throws-phone.btsnoop"])
        let mistaken = await failure("errs") { world in
            _ = world.addPeripheral(Self.wrongScript())
            await Task.yield()
        }
        #expect(mistaken?.reason.contains("has no properties") == true && mistaken?.underlying == nil)
        #expect(mistaken.map(self.names) == ["errs-Thing.btsnoop"])
        let nothing = await failure("holds") { world in
            _ = world.addDevice("phone")
            await Task.yield()
        }
        #expect(nothing == nil && self.folder.content == ["errs", "throws"])
    }

    @Test("makes a file name of letters, digits and single hyphens")
    func names() {
        for (text, expected) in [
            ("reads()", "reads"), ("a/b c", "a-b-c"), ("-a--b-", "a-b"), ("A_1.2-x", "A_1.2-x"), ("Tür 日", "Tür-日"),
            ("a:b\\c*", "a-b-c"), ("", "world"), ("()", "world"), ("..", ".."),
        ] { #expect(fileName(text) == expected) }
    }
}
