// Requests of centrals, handed to a peripheral manager as events.

import BluetoothHost
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Requests that reach a peripheral manager")
struct RequestEventsTests {
    /// Notes the contents of requests, and keeps none.
    private final class Forgetful: NSObject, CBPeripheralManagerDelegate {
        var notes: [String] = []

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
            for request in requests {
                let (link, uuid) = (request.central.link?.rawValue ?? 0, request.characteristic.uuid.uuidString)
                self.notes.append("\(link) \(uuid.prefix(4)) \(request.offset) \(request.value?.text ?? "-")")
            }
        }
    }

    private func read(_ number: UInt64, _ link: LinkID, _ handle: AttributeHandle, offset: Int = 0) -> PeripheralEvent {
        .read(GATTReadRequest(id: GATTRequestID(rawValue: number), link: link, handle: handle, offset: offset))
    }

    private func write(
        _ number: UInt64?,
        _ link: LinkID,
        _ values: [(AttributeHandle, Int, String)]
    ) -> PeripheralEvent {
        let parts = values.map { value in
            GATTWriteRequest.Part(handle: value.0, offset: value.1, value: ByteBuffer(string: value.2))
        }
        let id = number.map { GATTRequestID(rawValue: $0) }
        return .write(GATTWriteRequest(id: id, link: link, parts: parts), ReceiveWindow())
    }

    @Test("10.1 asks for a read with its offset, and takes the first answer")
    func reads() throws {
        let setup = try PublishedEventsSetup()
        let first = try setup.connect(setup.first)
        let codes: [(CBATTError.Code, String)] = [
            (.success, "read 1 Yes"), (.invalidOffset, "read 1 error 7"), (.unlikelyError, "read 1 error 14"),
            (.unnamed(0x80), "read 1 error 128"), (.unnamed(0x1234), "read 1 error 14"),
        ]
        for (code, answer) in codes {
            #expect(setup.receive(self.read(1, setup.first, setup.answer, offset: 5)).isEmpty)
            let request = try #require(setup.ball.requests.last)
            #expect(request.central === first && request.characteristic === setup.ball.answer)
            #expect(request.offset == 5 && request.value == nil && setup.ball.calls.last == "read 5")
            request.value = "Yes".octets
            setup.manager.respond(to: request, withResult: code)
            #expect(setup.commands() == [answer])
            setup.manager.respond(to: request, withResult: .success)
            #expect(setup.commands().isEmpty)
        }
        setup.receive(self.read(2, setup.first, setup.question))
        setup.manager.respond(to: try #require(setup.ball.requests.last), withResult: .success)
        #expect(setup.commands() == ["read 2 "])
    }

    @Test("10.2 takes the first answer to any of several values written together")
    func writes() throws {
        let setup = try PublishedEventsSetup()
        let first = try setup.connect(setup.first)
        for place in 0..<2 {
            let parts = [(setup.question, 0, "one"), (setup.answer, 7, "two")]
            #expect(setup.receive(self.write(3, setup.first, parts)).isEmpty)
            let requests = Array(setup.ball.requests.suffix(2))
            #expect(setup.ball.calls.last == "write 2" && requests.map(\.offset) == [0, 7])
            #expect(requests.compactMap { $0.value?.text } == ["one", "two"])
            #expect(requests[0].characteristic === setup.ball.question)
            #expect(requests[1].characteristic === setup.ball.answer && requests.allSatisfy { $0.central === first })
            setup.manager.respond(to: requests[place], withResult: place == 0 ? .success : .insufficientResources)
            #expect(setup.commands() == ["write 3 error \(place == 0 ? 0 : 17)"])
            setup.manager.respond(to: requests[1 - place], withResult: .success)
            #expect(setup.commands().isEmpty)
        }
        // A request without an identifier needs no answer.
        setup.receive(self.write(nil, setup.first, [(setup.question, 0, "three")]))
        let last = try #require(setup.ball.requests.last)
        setup.manager.respond(to: last, withResult: .success)
        #expect(setup.commands().isEmpty && last.value?.text == "three")
    }

    @Test("10.3 refuses requests of unknown centrals and for unknown attributes")
    func unasked() throws {
        let setup = try PublishedEventsSetup()
        try setup.connect(setup.first)
        let (question, foreign) = (setup.question, 0xFFF0 as AttributeHandle)
        for (link, handle, isAsked) in [
            (setup.first, question, true), (setup.unknown, question, false), (setup.first, foreign, false),
        ] {
            setup.ball.calls = []
            let refused = isAsked ? [] : ["read 1 error 6"]
            #expect(setup.receive(self.read(1, link, handle)) == refused)
            #expect(setup.receive(self.write(2, link, [(handle, 0, "x")])) == (isAsked ? [] : ["write 2 error 6"]))
            // All values or none.
            let mixed = [(question, 0, "x"), (handle, 0, "y")]
            #expect(setup.receive(self.write(3, link, mixed)) == (isAsked ? [] : ["write 3 error 6"]))
            #expect(setup.receive(self.write(nil, link, [(handle, 0, "x")])).isEmpty)
            #expect(setup.receive(.command(link, handle, ByteBuffer(string: "x"), ReceiveWindow())).isEmpty)
            #expect(setup.ball.calls == (isAsked ? ["read 0", "write 1", "write 2", "write 1", "write 1"] : []))
        }
    }

    @Test("10.2 gives each write without response its own request, whether the app keeps it or not")
    func commands() throws {
        let setup = try PublishedEventsSetup()
        try setup.connect(setup.first)
        try setup.connect(setup.second)
        let (question, answer) = (setup.question, setup.answer)
        let writes: [(LinkID, AttributeHandle, String)] = [
            (setup.first, question, "a"), (setup.second, question, "b"), (setup.second, answer, "cc"),
            (setup.first, answer, "dd"), (setup.first, question, ""), (setup.second, answer, "ee"),
        ]
        let forgetful = Forgetful()
        let delegates: [any CBPeripheralManagerDelegate] = [forgetful, setup.ball]
        for delegate in delegates {
            setup.manager.delegate = delegate
            var events = writes.map { link, handle, value in
                PeripheralEvent.command(link, handle, ByteBuffer(string: value), ReceiveWindow())
            }
            setup.manager.receive(&events)
        }
        #expect(
            forgetful.notes == [
                "901 BDD3 0 a", "902 BDD3 0 b", "902 349A 0 cc", "901 349A 0 dd", "901 BDD3 0 ", "902 349A 0 ee",
            ]
        )
        #expect(setup.ball.requests.compactMap { $0.value?.text } == ["a", "b", "cc", "dd", "", "ee"])
        #expect(Set(setup.ball.requests.map { ObjectIdentifier($0) }).count == 6)
        let links = setup.ball.requests.compactMap { $0.central.link }
        #expect(links == writes.map { $0.0 })
        for request in setup.ball.requests { setup.manager.respond(to: request, withResult: .success) }
        #expect(setup.commands().isEmpty)
    }
}
