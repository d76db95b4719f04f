// What is left of a world that a test has failed in: the error with its captures, and the mistake that no call came to
// throw.

import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothTesting

@Suite("A world that a test fails in")
struct FailedWorldTests {
    private struct Failure: Error {}

    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    /// A script that cannot be.
    private static func wrongScript() -> ScriptedPeripheral {
        ScriptedPeripheral(
            name: "Thing",
            services: [.init("FFF0", characteristics: [.init("FFF1", properties: [])])]
        )
    }

    /// The names of captures, which are there.
    private func names(_ error: WorldError) -> [String] {
        error.captures.map { path -> String in
            #expect(FileManager.default.fileExists(atPath: path))
            return URL(fileURLWithPath: path).lastPathComponent
        }
    }

    @Test("A mistake that nothing has thrown yet is thrown at the end of the test, with captures")
    func mistake() throws {
        let error = #expect(throws: WorldError.self) {
            try withWorld("makesAMistake()", folder: self.folder("a")) { world in
                _ = world.addPeripheral(Self.wrongScript())
            }
        }
        let failure = try #require(error)
        #expect(failure.reason.contains("the characteristic FFF1 has no properties") && failure.underlying == nil)
        #expect(self.names(failure) == ["makesAMistake-Thing.btsnoop"])
        // Where it was thrown before, the test may go on.
        let value = try withWorld("goesOn()", folder: self.folder("b")) { world -> Int in
            _ = world.addPeripheral(Self.wrongScript())
            #expect(throws: WorldError.self) { try world.run(until: true) }
            return 7
        }
        #expect(value == 7 && self.folder.content == ["a"])
    }

    @Test("Another error comes out with the time at which it was thrown; one of a world as it is")
    func errors() throws {
        let thrown = #expect(throws: WorldError.self) {
            try withWorld("throws()", folder: self.folder("a")) { world in
                _ = world.addDevice("phone")
                world.advance(by: .milliseconds(1_500))
                throw Failure()
            }
        }
        let failure = try #require(thrown)
        #expect(failure.reason == "Failure(), after 1.5 s of virtual time" && failure.underlying is Failure)
        #expect(self.names(failure) == ["throws-phone.btsnoop"])
        let waited = #expect(throws: WorldError.self) {
            try withWorld("waits()", folder: self.folder("b")) { world in
                try world.run(until: false, within: .milliseconds(20))
            }
        }
        let late = try #require(waited)
        #expect(late.reason.hasSuffix("the condition did not become true within 20 ms"))
        #expect(late.underlying == nil && late.captures.isEmpty && self.folder.content == ["a", "b"])
    }

    @Test("Captures that cannot be written are told with the error")
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

    @Test("A test that awaits leaves the same") @MainActor
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

    @Test("Captures go where the environment says, else into the temporary folder")
    func captureFolder() async {
        await #expect(processExitsWith: .success) {
            let standard = NSTemporaryDirectory()
            unsetenv("COREBLUETOOTH_CAPTURES")
            #expect(World.captureFolder == standard)
            setenv("COREBLUETOOTH_CAPTURES", "", 1)
            #expect(World.captureFolder == standard)
            setenv("COREBLUETOOTH_CAPTURES", "/somewhere/else", 1)
            #expect(World.captureFolder == "/somewhere/else")
        }
    }

    @Test("A mistake that no call has thrown stands on standard error when the world goes, and else it does not")
    func toldAtTheEnd() async {
        let untold = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let channels: [ScriptedPeripheral.Channel] = [.init(psm: 0x80), .init(psm: 0x80)]
            _ = World().addPeripheral(ScriptedPeripheral(name: "Thing", channels: channels))
        }
        let thrown = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let world = World()
            let channels: [ScriptedPeripheral.Channel] = [.init(psm: 0x80), .init(psm: 0x80)]
            _ = world.addPeripheral(ScriptedPeripheral(name: "Thing", channels: channels))
            do {
                try world.run(until: true)
                exit(1)
            } catch {}
        }
        func isTold(_ result: ExitTest.Result?) -> Bool {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            return text.contains("[CoreBluetoothTesting] ") && text.contains("no channel can have the PSM 128")
        }
        #expect(isTold(untold) && !isTold(thrown))
    }

    @Test("A world keeps fifty thousand lines, and a fifth more for a while")
    func lines() {
        let world = World(seed: 1)
        #expect(Recorder().trace(of: nil).isEmpty)
        for _ in 0..<60_000 { world.note("a line") }
        // Reading the trace leaves the last ones.
        #expect(world.trace.count == 50_000 && world.trace.forgottenCount == 10_000)
        let recorder = Recorder()
        let device = recorder.add("phone")
        for _ in 0..<50_001 { recorder.note("a line", device: device, at: .uptimeNanoseconds(0)) }
        #expect(recorder.trace(of: "phone").count == 50_000 && recorder.trace(of: "nobody").isEmpty)
    }

    @Test("Limits are those of the documentation")
    func limits() throws {
        #expect(SweepPlan.largestSize == 256 && WorldError.lineCount == 20 && TraceDiagram.limit == 2_000)
        #expect(Stillness.interval == 0.002 && WorldWork().limit == 120 && ScriptedPeripheral.longestValue == 512)
        #expect(try SweepSettings([:], processors: 0).workers == 1)
        #expect(try SweepSettings([:], processors: 1).workers == 1)
    }
}
