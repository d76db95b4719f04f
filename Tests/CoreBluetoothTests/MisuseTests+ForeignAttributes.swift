// Attributes that do not belong to the present connection: those of an earlier one, and an app's own.

import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("2 Attributes of other connections")
struct ForeignAttributesTests {
    /// A central that has discovered a ball twice, on two links.
    private struct Setup {
        let talk: Conversation
        let peripheral: CBPeripheral
        /// Those of the first link.
        let service: CBService
        let question: CBCharacteristic
        let descriptor: CBDescriptor

        init() throws {
            let talk = Conversation { ball in
                ball.answer.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "The answer")]
                ball.open()
            }
            self.talk = talk
            let text = CBUUID(string: "2901")
            func discover() throws -> (CBPeripheral, CBService, CBCharacteristic, CBDescriptor) {
                let (peripheral, question, answer) = try talk.discover()
                peripheral.discoverDescriptors(for: answer)
                try #require(talk.testbed.run { answer.descriptors != nil })
                let descriptor = try #require(answer.descriptors?.first { $0.uuid == text })
                return (peripheral, try #require(question.service), question, descriptor)
            }
            let first = try discover()
            (self.service, self.question, self.descriptor) = (first.1, first.2, first.3)
            talk.central.disconnect(first.0, in: talk.testbed)
            let second = try discover()
            self.peripheral = second.0
            talk.testbed.run(.seconds(3))
            talk.central.calls = []
            talk.ball.calls = []
        }

        /// The lines that a command logs.
        func said(_ command: () -> Void) -> [String] {
            logLines(of: command)
        }

        func line(_ attribute: CBAttribute, _ kind: String) -> [String] {
            ["[CoreBluetooth] API MISUSE: \(attribute) is not a valid \(kind) for peripheral \(self.peripheral)"]
        }
    }

    @Test("2 6.6 rejects attributes of an earlier connection in every call")
    func earlier() throws {
        let setup = try Setup()
        let (peripheral, service, question, descriptor) = (
            setup.peripheral, setup.service, setup.question, setup.descriptor
        )
        for command in [
            { peripheral.discoverIncludedServices(nil, for: service) },
            { peripheral.discoverCharacteristics(nil, for: service) },
        ] { #expect(setup.said(command) == setup.line(service, "service")) }
        for command in [
            { peripheral.discoverDescriptors(for: question) }, { peripheral.readValue(for: question) },
            { peripheral.writeValue(Data([1]), for: question, type: .withResponse) },
            { peripheral.writeValue(Data([1]), for: question, type: .withoutResponse) },
            { peripheral.setNotifyValue(true, for: question) },
        ] { #expect(setup.said(command) == setup.line(question, "characteristic")) }
        for command in [
            { peripheral.readValue(for: descriptor) }, { peripheral.writeValue(Data([1]), for: descriptor) },
        ] { #expect(setup.said(command) == setup.line(descriptor, "descriptor")) }
        setup.talk.testbed.run()
        #expect(setup.talk.central.calls.isEmpty && setup.talk.ball.calls.isEmpty)
        #expect(peripheral.writeWindow.count == 0)
    }

    @Test("2 rejects an app's own attributes")
    func own() throws {
        let setup = try Setup()
        let (peripheral, ball) = (setup.peripheral, setup.talk.ball)
        let descriptor = try #require(ball.answer.descriptors?.first)
        #expect(
            setup.said { peripheral.discoverCharacteristics(nil, for: ball.ball) } == setup.line(ball.ball, "service")
        )
        #expect(
            setup.said { peripheral.readValue(for: ball.answer) } == setup.line(ball.answer, "characteristic")
        )
        #expect(setup.said { peripheral.readValue(for: descriptor) } == setup.line(descriptor, "descriptor"))
        setup.talk.testbed.run()
        #expect(setup.talk.central.calls.isEmpty && setup.talk.ball.calls.isEmpty)
    }
}
