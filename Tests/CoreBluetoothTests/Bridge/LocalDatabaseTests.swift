// The services of a peripheral manager's app and the centrals that it knows, as values.

import BluetoothHost
import BluetoothTypes
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("What a peripheral manager knows")
struct LocalDatabaseTests {
    private func service() -> (service: CBMutableService, characteristic: CBMutableCharacteristic) {
        let service = CBMutableService(type: IDs.service, primary: true)
        let answer = CBMutableCharacteristic.answer()
        service.characteristics = [answer]
        return (service, answer)
    }

    private func peer(_ number: UInt64) -> PeerDescription {
        PeerDescription(identifier: UUID(), address: DeviceAddress(number, kind: .public))
    }

    @Test("Each service has a name of its own, and keeps it when it is added again")
    func names() {
        var database = LocalDatabase()
        let (first, second) = (self.service(), self.service())
        #expect(database.token(of: first.service) == nil)
        let token = database.insert(first.service, [first.characteristic])
        #expect(token == LocalServiceToken(number: 1) && database.service(token) === first.service)
        #expect(database.insert(second.service, [second.characteristic]) == LocalServiceToken(number: 2))
        #expect(database.insert(first.service, [first.characteristic]) == token)
        #expect(database.token(of: second.service) == LocalServiceToken(number: 2))
        // A service of the process before has its name already; the next one has another.
        let third = self.service()
        database.insertPublished(third.service, [third.characteristic], LocalServiceToken(number: 7))
        #expect(database.token(of: third.service) == LocalServiceToken(number: 7))
        let fourth = self.service()
        #expect(database.insert(fourth.service, [fourth.characteristic]) == LocalServiceToken(number: 8))
        database.insertPublished(self.service().service, [], LocalServiceToken(number: 3))
        let fifth = self.service()
        #expect(database.insert(fifth.service, [fifth.characteristic]) == LocalServiceToken(number: 9))
    }

    @Test("A service that was never published takes nothing with it, and all of them leave nothing behind")
    func removed() {
        var database = LocalDatabase()
        let (service, characteristic) = self.service()
        let token = database.insert(service, [characteristic])
        #expect(database.remove(token).isEmpty && database.service(token) == nil)
        #expect(database.remove(token).isEmpty)
        _ = database.insert(service, [characteristic])
        #expect(database.removeAll().isEmpty && database.token(of: service) == nil)
        #expect(database.allCharacteristics.isEmpty)
    }

    @Test("A central that comes again is the same object while the app holds it, and another one after")
    func centrals() throws {
        var known = KnownCentrals()
        let peer = self.peer(1)
        let link = LinkID(rawValue: 1)
        var held: CBCentral? = known.insert(link, peer)
        let identity = ObjectIdentifier(try #require(held))
        #expect(known[link] === held && known[LinkID(rawValue: 2)] == nil)
        #expect(known.remove(link) === held && known[link] == nil)
        #expect(known.remove(link) == nil)
        #expect(ObjectIdentifier(known.insert(LinkID(rawValue: 3), peer)) == identity)
        #expect(known.removeAll().map { ObjectIdentifier($0) } == [identity] && known.removeAll().isEmpty)
        weak let gone = held
        held = nil
        #expect(gone == nil)
        let next = known.insert(LinkID(rawValue: 4), peer)
        #expect(next.identifier == peer.identifier && known[LinkID(rawValue: 4)] === next)
        #expect(known.insert(LinkID(rawValue: 5), self.peer(2)) !== next)
    }

    @Test("A signal strength that cannot be read is reported with its error, as no strength")
    func signalStrength() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        let id = ConnectionID(token: peripheral.token, attempt: 1)
        peripheral.receive(.rssi(id, .failure(.unanswered)))
        #expect(talk.central.calls.last?.hasPrefix("rssi ") == true && talk.central.rssi.last == 127)
        #expect(talk.central.errors.count == 1)
    }
}
