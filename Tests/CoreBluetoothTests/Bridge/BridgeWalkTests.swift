// The values between the app's thread and the event loop on random walks, at and around their limits.

import BluetoothHost
import BluetoothTypes
import Fixtures
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Walks through the bridge")
struct BridgeWalkTests {
    private static let seeds = 1...6 as ClosedRange<UInt64>

    @Test("a connection as the app sees it, with reports that come late", arguments: seeds)
    func observedConnection(seed: UInt64) {
        var chance = Chance(seed: seed)
        var connection = ObservedConnection()
        for step in 0..<400 {
            let attempt = connection.attempt &- UInt32(chance.once(in: 5) ? 1 : 0)
            var said = ""
            switch chance.below(10) {
            case 0...2: said = connection.connect().map { "\($0)" } ?? "nil"
            case 3: said = connection.cancel().map { "\($0)" } ?? "nil"
            case 4: if chance.once(in: 4) { connection.invalidate() }
            case 5, 6: said = connection.connected(attempt).map { "\($0)" } ?? "nil"
            case 7, 8: said = "\(connection.disconnected(attempt, isReconnecting: chance.once(in: 3)))"
            default:
                if chance.once(in: 5) {
                    connection.restore(attempt: chance.pick([nil, 7]), isConnected: chance.once(in: 2))
                }
            }
            let isConnected = connection.isConnected(attempt)
            RunRecord.note("\(step) \(said) \(connection.state) \(connection.attempt) \(isConnected)")
            #expect(!isConnected || connection.state == .connected)
        }
    }

    @Test("the window of what an app sends", arguments: seeds)
    func transmitWindow(seed: UInt64) {
        var chance = Chance(seed: seed)
        let window = TransmitWindow()
        var buffers = (0..<500).map { ByteBuffer(integer: UInt16($0)) }
        for step in 0..<500 {
            var said = ""
            switch chance.below(10) {
            case 0...3: for _ in 0...chance.below(40) { said += window.addIfWritable() ? "+" : "-" }
            case 4: for _ in 0...chance.below(40) { said += window.add(limit: chance.pick([64, 70, 80])) ? "+" : "-" }
            case 5: if chance.once(in: 4) { window.refuse() }
            case 6: said = window.takeBuffer().map(\.hex) ?? "nil"
            default: said = "\(window.remove(chance.pick([0, 1, 5, 31, 32, 33, 64]), buffers: &buffers))"
            }
            RunRecord.note("\(step) \(said) \(window.count) \(window.canSend) \(buffers.count)")
        }
    }

    @Test("the window of what an app has not taken, and what it takes of two of them", arguments: seeds)
    func receiveWindow(seed: UInt64) {
        var chance = Chance(seed: seed)
        let windows = [ReceiveWindow(), ReceiveWindow()]
        var taken = TakenEvents<String>()
        for step in 0..<900 {
            let index = chance.below(2)
            var said = ""
            switch chance.below(8) {
            case 0...3:
                let count = chance.pick([0, 1, 500, 65_472, 65_536 - 64, 131_007, 131_008, 1_000_000])
                said = "\(windows[index].add(count))"
            case 4, 5: said = "\(windows[index].remove(chance.below(140_000), events: chance.below(3)))"
            case 6: said = taken.add(chance.below(140_000), in: windows[index], of: "owner \(index)") ?? "nil"
            default: said = taken.flush() ?? "nil"
            }
            RunRecord.note("\(step) \(index) \(said) \(windows.map(\.isFull))")
        }
    }

    @Test("the exact sizes at which a window is full, open again and overrun")
    func receiveLimits() {
        for count in [ReceiveWindow.size - 65, ReceiveWindow.size - 64, ReceiveWindow.size - 63] {
            let window = ReceiveWindow()
            #expect((window.add(count) == .full) == (count >= ReceiveWindow.size - 64), "\(count)")
            #expect(window.isFull == (count >= ReceiveWindow.size - 64))
            guard window.isFull else { continue }
            let rest = count + 64 - ReceiveWindow.size / 2
            #expect(window.remove(rest - 1, events: 0) == false && window.remove(1, events: 0) == true)
            #expect(window.remove(1) == false)
        }
        for count in [ReceiveWindow.limit - 65, ReceiveWindow.limit - 64] {
            let window = ReceiveWindow()
            #expect((window.add(count) == .overrun) == (count == ReceiveWindow.limit - 64), "\(count)")
            if count == ReceiveWindow.limit - 64 { #expect(window.add(1) == .full && window.add(1) == .none) }
        }
    }

    @Test("a table that is sorted by its keys", arguments: seeds)
    func sortedTable(seed: UInt64) {
        var chance = Chance(seed: seed)
        var table = SortedTable<Int, String>()
        var expected: [Int: String] = [:]
        for step in 0..<600 {
            let key = chance.below(40)
            switch chance.below(8) {
            case 0...3:
                table[key] = "\(step)"
                expected[key] = "\(step)"
            case 4:
                table[key] = nil
                expected[key] = nil
            case 5:
                table[key, default: "-"] += "+"
                expected[key, default: "-"] += "+"
            default:
                guard chance.once(in: 6) else { continue }
                let range = key...key + chance.below(6)
                let removed = table.remove(in: range)
                #expect(removed == expected.filter { range.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value))
                expected = expected.filter { !range.contains($0.key) }
            }
            #expect(Array(table.keys) == expected.keys.sorted() && table[key] == expected[key])
            #expect(Array(table.all) == expected.sorted { $0.key < $1.key }.map(\.value))
            var isThere = false
            table.withObject(of: key) { _ in isThere = true }
            #expect(isThere == (expected[key] != nil))
        }
    }

    @Test("a mailbox that is sent to, called and drained, with batches at the limit", arguments: seeds)
    func mailbox(seed: UInt64) {
        var chance = Chance(seed: seed)
        let wakes = NIOLockedValueBox(0)
        let mailbox = Mailbox<Int> { _ in wakes.withLockedValue { $0 += 1 } }
        var sent = 0
        var received = 0
        for step in 0..<300 {
            switch chance.below(6) {
            case 0, 1:
                mailbox.send(sent)
                sent += 1
            case 2:
                var batch = Array(sent..<sent + chance.pick([0, 1, 255, 256, 257, 600]))
                sent += batch.count
                mailbox.send(&batch)
                #expect(batch.isEmpty)
            case 3: mailbox.call()
            default:
                let callsInside = chance.once(in: 6)
                mailbox.drain { batch in
                    #expect(batch == Array(received..<received + batch.count))
                    received += batch.count
                    RunRecord.note("\(step) receives \(batch.count)")
                    if callsInside { mailbox.call() }
                }
            }
            RunRecord.note("\(step) \(wakes.withLockedValue { $0 }) \(sent - received)")
        }
    }

    @Test("peers that are connected, found by their services", arguments: seeds)
    func connectedPeers(seed: UInt64) {
        var chance = Chance(seed: seed)
        let peers = ConnectedPeers()
        for step in 0..<300 {
            let address = DeviceAddress(UInt64(chance.below(5)), kind: .public)
            switch chance.below(8) {
            case 0...2: peers.insert(address)
            case 3, 4: peers.setServices(chance.some([0x180D, 0x180F, 0x1800]), of: address)
            case 5: peers.move(address, to: DeviceAddress(UInt64(chance.below(5)), kind: .public))
            case 6: peers.remove(address)
            default: if chance.once(in: 6) { peers.removeAll() }
            }
            for services in [[], [0x180D], [0x180F, 0x180D], [0x1800], [0x1801, 0x180D], [0x2A00]] as [[BluetoothUUID]]
            {
                RunRecord.note("\(step) \(services) \(peers.peers(withAnyOf: services))")
            }
        }
    }

    @Test("the services of an app's database and the centrals that it knows", arguments: seeds)
    func localDatabase(seed: UInt64) {
        var chance = Chance(seed: seed)
        var database = LocalDatabase()
        var centrals = KnownCentrals()
        let services = (0..<5).map { number in
            let service = CBMutableService(type: CBUUID(BluetoothUUID(0xFF00 + UInt16(number))), primary: true)
            service.characteristics = (0..<2).map { _ in CBMutableCharacteristic.answer() }
            return service
        }
        func characteristics(_ service: CBMutableService) -> [CBMutableCharacteristic] {
            (service.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }
        }
        var held: [CBCentral] = []
        for step in 0..<400 {
            let index = chance.below(5)
            let service = services[index]
            let link = LinkID(rawValue: UInt32(chance.below(4)))
            var said = ""
            switch chance.below(12) {
            case 0...2: said = "\(database.insert(service, characteristics(service)))"
            case 3...5:
                guard let token = database.token(of: service) else { continue }
                let first = UInt16(1 + 10 * index)
                let handles = GATTServiceHandles(
                    range: first...first + 9,
                    characteristics: [2, 5].map { place in
                        .init(value: first + UInt16(place), clientConfiguration: nil, descriptors: [])
                    }
                )
                database.published(token, handles)
            case 6: if let token = database.token(of: service) { said = "\(database.remove(token).count)" }
            case 7: if chance.once(in: 10) { said = "\(database.removeAll().count)" }
            case 8:
                guard database.token(of: service) == nil, chance.once(in: 4) else { continue }
                let token = LocalServiceToken(number: UInt32(step + chance.below(3)))
                if database.service(token) == nil {
                    database.insertPublished(service, characteristics(service), token)
                }
            case 9:
                guard centrals[link] == nil else { continue }
                let identifier = UUID(random: UInt64(chance.below(3)), 1)
                let peer = PeerDescription(identifier: identifier, address: .none, name: nil)
                let central = centrals.insert(link, peer)
                said = "\(central.identifier) \(held.contains { $0 === central })"
                held.append(central)
            case 10: said = centrals.remove(link).map { "\($0.identifier)" } ?? "nil"
            default: if chance.once(in: 10) { said = "\(centrals.removeAll().count)" }
            }
            let tokens = services.map { service in database.token(of: service).map { "\($0.number)" } ?? "-" }
            let handles = services.flatMap { characteristics($0) }.map { $0.publishedHandle.map { "\($0)" } ?? "-" }
            let found = (0..<60).filter { database.characteristic(AttributeHandle($0)) != nil }
            let known = (0..<4).map { centrals[LinkID(rawValue: $0)]?.identifier.uuidString.prefix(8) ?? "-" }
            RunRecord.note(
                "\(step) \(said) \(tokens) \(handles) \(found) \(database.allCharacteristics.count) \(known)"
            )
        }
    }

    @Test("octets of an app as those of a packet and back, in buffers that are used again")
    func octets() {
        var chance = Chance(seed: 1)
        var data = Data()
        for count in [0, 1, 2, 20, 100, 511, 512, 513, 600] {
            let octets = chance.data(count)
            for limit in [0, 1, 512, Int.max] {
                for buffer in [nil, ByteBuffer(), ByteBuffer(repeating: 9, count: 700)] {
                    let written = ByteBuffer(octetsOf: octets, limit: limit, in: buffer)
                    #expect(Data(octetsOf: written) == octets.prefix(limit))
                    // There is space in front for the headers.
                    RunRecord.note("\(count) \(limit) \(written.readerIndex) \(written.readableBytes)")
                    data.setOctets(of: written)
                    #expect(data == octets.prefix(limit))
                }
            }
        }
    }
}
