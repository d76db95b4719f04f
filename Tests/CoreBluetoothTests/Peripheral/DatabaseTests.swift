import BluetoothAir
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("9 Database")
struct DatabaseTests {
    @Test("9.2 refuses a service that includes an unpublished one, or has a static value of more than 512 octets")
    func refused() {
        let long = CBMutableCharacteristic(
            type: IDs.other,
            properties: .read,
            value: Data(count: 513),
            permissions: .readable
        )
        for change in [
            { $0.includedServices = [CBMutableService(type: IDs.other, primary: false)] },
            { $0.characteristics = [long] },
        ] as [(CBMutableService) -> Void] {
            let talk = Conversation { ball in
                change(ball.ball)
                ball.manager.add(ball.ball)
            }
            #expect(talk.ball.calls.last == "added 8E38 CBErrorDomain 1")
        }
    }

    @Test("publishes a service once that is added twice")
    func twice() throws {
        let talk = Conversation { ball in
            ball.open()
            ball.manager.add(ball.ball)
        }
        let (peripheral, question, _) = try talk.discover()
        #expect(peripheral.services?.count == 1)
        peripheral.writeValue("Q".octets, for: question, type: .withResponse)
        talk.testbed.run { !talk.ball.written.isEmpty }
        #expect(talk.ball.requests.first?.characteristic === talk.ball.question)
    }

    @Test("9.1 ignores changes after publishing")
    func immutable() throws {
        let talk = Conversation()
        talk.ball.answer.properties = [.read]
        talk.ball.answer.permissions = []
        talk.ball.ball.characteristics = []
        talk.ball.reading = "as before".octets
        let (peripheral, _, answer) = try talk.discover()
        #expect(answer.properties == [.read, .notify])
        peripheral.readValue(for: answer)
        #expect(talk.testbed.run { talk.central.values == ["as before"] })
    }

    @Test("9.2 removes only the manager's own services")
    func ownServices() throws {
        let talk = Conversation()
        let other = talk.testbed.ball(on: talk.ballAdapter)
        let service = CBMutableService(type: IDs.other, primary: true)
        other.manager.add(service)
        talk.testbed.run()
        let calls = other.calls
        other.manager.remove(talk.ball.ball)
        other.manager.removeAllServices()
        talk.testbed.run()
        #expect(other.calls == calls)
        let peripheral = try talk.connect()
        peripheral.discoverServices(nil)
        talk.testbed.run { peripheral.services != nil }
        #expect(peripheral.services?.map(\.uuid) == [IDs.service])
    }
}
