import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("A2 Paused links")
struct PausedLinksTests {
    /// The result of each step: `+` pauses a link for an owner, `-` resumes it, `x` ends it.
    private func outcomes(_ steps: [String]) -> [Bool?] {
        var links = PausedLinks()
        return steps.map { step in
            let numbers = step.compactMap(\.wholeNumberValue)
            let link = LinkID(rawValue: UInt32(numbers[0]))
            let owner = TransmitToken(rawValue: UInt64(numbers.last ?? 0))
            switch step.first {
            case "+": return links.pause(link, for: owner)
            case "-": return links.resume(link, for: owner)
            default:
                links.forget(link)
                return nil
            }
        }
    }

    @Test(
        "pauses a link once, until its last owner resumes it or it ends",
        arguments: [
            (
                ["+ 1 1", "+ 1 2", "+ 1 2", "- 1 1", "- 1 2", "+ 1 1", "- 1 1"],
                [true, false, false, false, true, true, true]
            ),
            (
                ["- 1 1", "+ 1 1", "- 1 2", "- 2 1", "+ 2 1", "- 1 1", "- 1 1", "- 2 1"],
                [false, true, false, false, true, true, false, true]
            ),
            (["+ 1 1", "+ 2 1", "x 1", "- 1 1", "+ 1 2", "+ 2 2"], [true, true, nil, false, true, false]),
        ] as [([String], [Bool?])]
    )
    func owners(steps: [String], outcomes: [Bool?]) { #expect(self.outcomes(steps) == outcomes) }

    /// Causes `count` events on the first link in one turn; returns whether it is held back before and after the last.
    private func heldBack(
        _ adapter: BluetoothAdapter,
        _ testbed: Testbed,
        after count: Int,
        _ event: @escaping @Sendable (AdapterCore, LinkID) -> Void
    ) -> [Bool]? {
        let states = adapter.readEngine(in: testbed) { core -> [Bool] in
            guard let link = core.host.links.first?.id else { return [] }
            for _ in 1..<count { event(core, link) }
            var states = [core.isHeldBack(link)]
            event(core, link)
            states.append(core.isHeldBack(link))
            core.flush()
            return states
        }
        testbed.run()
        return states
    }

    private func isHeldBack(_ adapter: BluetoothAdapter, _ testbed: Testbed) -> Bool? {
        adapter.readEngine(in: testbed) { core -> Bool in
            core.host.links.contains { core.isHeldBack($0.id) }
        }
    }

    @Test(
        "pauses a central's link with the event that fills the window, until the app has taken half",
        arguments: [("commands", 228), ("writes", 256), ("subscriptions", 2_048), ("MTUs", 2_048)]
    )
    func centrals(kind: String, count: Int) throws {
        let talk = Conversation()
        let (peripheral, question, answer) = try talk.subscribe()
        talk.testbed.run(.seconds(3))
        let asked = try #require(question.record?.valueHandle)
        let told = try #require(answer.record?.valueHandle)
        let event: @Sendable (AdapterCore, LinkID) -> Void = { core, link in
            guard let session = core.peripheralSessions.first else { return }
            switch kind {
            case "commands": session.received(ByteBuffer(repeating: 1, count: 512), for: asked, on: link)
            case "writes":
                let half = ByteBuffer(repeating: 1, count: 224)
                let part = GATTWriteRequest.Part(handle: asked, offset: 0, value: half)
                session.received(GATTWriteRequest(id: nil, link: link, parts: [part, part]))
            case "subscriptions": session.subscribed(true, link, told)
            default: session.changedMTU(link, 517)
            }
        }
        for _ in 1...2 {
            #expect(self.heldBack(talk.ballAdapter, talk.testbed, after: count, event) == [false, true])
            #expect(self.isHeldBack(talk.ballAdapter, talk.testbed) == false)
        }
        #expect(peripheral.state == .connected)
    }

    @Test(
        "pauses a peripheral's link with the event that fills the window, until the app has taken half",
        arguments: [("values", 256), ("MTUs", 2_048), ("invalidations", 2_048)]
    )
    func peripherals(kind: String, count: Int) throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        talk.testbed.run(.seconds(3))
        let told = try #require(answer.record?.valueHandle)
        let event: @Sendable (AdapterCore, LinkID) -> Void = { core, link in
            guard let connection = core.centralSessions.first?.liveConnections.first else { return }
            switch kind {
            case "values": connection.received(ByteBuffer(repeating: 1, count: 448), for: told, on: link)
            case "MTUs": connection.changedMTU(517, on: link)
            default: connection.invalidate(0xFFF0...0xFFFF)
            }
        }
        for _ in 1...2 {
            #expect(self.heldBack(talk.centralAdapter, talk.testbed, after: count, event) == [false, true])
            #expect(self.isHeldBack(talk.centralAdapter, talk.testbed) == false)
        }
        #expect(peripheral.state == .connected)
    }

    @Test("reports no more than 228 discoveries until the app has taken half of them")
    func discoveries() {
        let testbed = Testbed()
        let adapter = testbed.adapter("Curious")
        let central = testbed.central(on: adapter)
        central.manager.scanForPeripherals(withServices: [IDs.other])
        testbed.run(.milliseconds(1))
        for _ in 1...2 {
            let scans = adapter.readEngine(in: testbed) { core -> [Bool] in
                guard let session = core.centralSessions.first else { return [] }
                let discovery = Discovery.empty(of: .numbered(1))
                for _ in 1..<228 { session.discovered(discovery) }
                var scans = [session.effectiveScan != nil]
                session.discovered(discovery)
                scans.append(session.effectiveScan != nil)
                core.flush()
                return scans
            }
            #expect(scans == [true, false])
            testbed.run()
            let scansAgain = adapter.readEngine(in: testbed) { core -> Bool in
                core.centralSessions.first?.effectiveScan != nil
            }
            #expect(scansAgain == true)
        }
    }
}
