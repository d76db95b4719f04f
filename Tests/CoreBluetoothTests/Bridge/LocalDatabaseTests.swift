import BluetoothHost
import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("Services and centrals of a peripheral manager")
struct LocalDatabaseTests {
    private func service() -> (service: CBMutableService, characteristic: CBMutableCharacteristic) {
        let service = CBMutableService(type: IDs.service, primary: true)
        let answer = CBMutableCharacteristic.answer()
        service.characteristics = [answer]
        return (service, answer)
    }

    @Test("numbers each service, and keeps the number when it is added again")
    func names() {
        var database = LocalDatabase()
        let (first, second) = (self.service(), self.service())
        #expect(database.token(of: first.service) == nil)
        let token = database.insert(first.service, [first.characteristic])
        #expect(token == LocalServiceToken(number: 1) && database.service(token) === first.service)
        #expect(database.insert(second.service, [second.characteristic]) == LocalServiceToken(number: 2))
        #expect(database.insert(first.service, [first.characteristic]) == token)
        #expect(database.token(of: second.service) == LocalServiceToken(number: 2))
        // A service of the process before brings its number.
        let third = self.service()
        database.insertPublished(third.service, [third.characteristic], LocalServiceToken(number: 7))
        #expect(database.token(of: third.service) == LocalServiceToken(number: 7))
        let fourth = self.service()
        #expect(database.insert(fourth.service, [fourth.characteristic]) == LocalServiceToken(number: 8))
        database.insertPublished(self.service().service, [], LocalServiceToken(number: 3))
        let fifth = self.service()
        #expect(database.insert(fifth.service, [fifth.characteristic]) == LocalServiceToken(number: 9))
    }

    @Test("forgets a removed service")
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

    @Test("keeps the object of a central while the app holds it")
    func centrals() throws {
        var known = KnownCentrals()
        let peer = PeerDescription.numbered(1)
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
        #expect(known.insert(LinkID(rawValue: 5), .numbered(2)) !== next)
    }

    @Test("10.4 keeps the object of a held central among many that are gone")
    func heldAmongGone() {
        var known = KnownCentrals()
        let peer = PeerDescription.numbered(0)
        let held = known.insert(LinkID(rawValue: 0), peer)
        _ = known.remove(LinkID(rawValue: 0))
        for number in 1...600 {
            _ = known.insert(LinkID(rawValue: UInt32(number)), .numbered(UInt64(number)))
            _ = known.remove(LinkID(rawValue: UInt32(number)))
        }
        #expect(known.insert(LinkID(rawValue: 1_000), peer) === held)
    }
}
