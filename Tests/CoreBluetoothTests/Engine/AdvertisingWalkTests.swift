// Advertisements on random walks: what is made of an app's, what is read from random octets, what scans are told, and
// what is kept for an app that cannot run.

import BluetoothHost
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Walks through advertisements")
struct AdvertisingWalkTests {
    private static let seeds = 1...6 as ClosedRange<UInt64>

    /// A UUID of one of the three lengths, among a few.
    static func uuid(_ chance: inout Chance) -> BluetoothUUID {
        let number = UInt64(chance.below(12))
        return switch chance.below(4) {
        case 0, 1: BluetoothUUID(0xFF00 | UInt16(number))
        case 2: BluetoothUUID(form: .medium(0x1234_0000 | UInt32(number)))
        default: BluetoothUUID(form: .full(0x5B3C_1F0E_6E0B_4C61 ^ number << 32, 0x9B7D_2F0C_8B1E_7A10 &+ number))
        }
    }

    @Test("everything that an app may advertise, in 31 octets and a scan response", arguments: seeds)
    func packing(seed: UInt64) {
        var chance = Chance(seed: seed)
        for step in 0..<400 {
            var content = AdvertisedContent()
            if !chance.once(in: 5) {
                content.localName = String("The name é of a crystal ball 🎱 that is long".prefix(chance.below(46)))
            }
            content.services = (0..<chance.below(chance.pick([1, 4, 12]))).map { _ in Self.uuid(&chance) }
            if chance.once(in: 3) { content.manufacturerData = chance.octets(chance.below(29)) }
            if chance.once(in: 4) { content.overflowServices = (0...chance.below(3)).map { _ in Self.uuid(&chance) } }
            guard content.isValid else {
                RunRecord.note("\(step) invalid \(content.manufacturerData?.count ?? -1)")
                continue
            }
            let (data, scanResponse) = content.packed()
            #expect(data.readableBytes <= 31 && scanResponse.readableBytes <= 31)
            RunRecord.note("\(step) \(data.hex) \(scanResponse.hex)")
            RunRecord.note("\(step) \(AdvertisedName.line(content.localName, scanResponse) ?? "-")")
            let read = Advertisement(data: data, scanResponse: scanResponse, isConnectable: chance.once(in: 2))
            let wanted = Self.uuid(&chance)
            RunRecord.note("\(step) \(Self.words(read)) \(read.overflow?.mayContain(wanted) ?? false)")
            for service in content.overflowServices { #expect(read.overflow?.mayContain(service) == true) }
        }
        let names = ["", "Crystal", "Crystal ", "Crystal B", "Crystal Bal", "Crystal Ball", "Crystal Ballé"]
        for name in names {
            for whole in names { RunRecord.note("\(name)/\(whole) \(AdvertisedName.isShortened(name, of: whole))") }
        }
    }

    private static func words(_ read: Advertisement) -> String {
        let serviceData = read.serviceData.map { "\($0.uuid) \($0.data.hex)" }
        return """
            \(read.isConnectable) \(read.localName ?? "-") \(read.manufacturerData?.hex ?? "-") \(serviceData) \
            \(read.services) \(read.overflow?.manufacturerData.hex ?? "-") \(read.solicitedServices) \
            \(read.txPower.map { "\($0.rawValue)" } ?? "-") \(read.facts.rawValue)
            """
    }

    /// The octets of a packet of random elements, the last one perhaps cut off.
    private static func packet(_ chance: inout Chance) -> ByteBuffer {
        var packet = ByteBuffer()
        for _ in 0..<chance.below(5) {
            let type = chance.pick([0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x14, 0x15, 0x16, 0x1F, 0xFF])
            var value = type == 0x08 || type == 0x09 ? Array("ball".utf8) : chance.octets(chance.below(20))
            if type == 0xFF, chance.once(in: 3) { value = [0xFF, 0xFF, 0x01] + chance.octets(15 + chance.below(3)) }
            packet.writeInteger(UInt8(value.count + 1))
            packet.writeInteger(UInt8(type))
            packet.writeBytes(value)
        }
        return chance.once(in: 5) ? packet.getSlice(at: 0, length: packet.readableBytes / 2) ?? packet : packet
    }

    @Test("random packets and scan responses, as an app sees them", arguments: seeds)
    func reading(seed: UInt64) {
        var chance = Chance(seed: seed)
        for step in 0..<300 {
            let response = chance.once(in: 3) ? nil : Self.packet(&chance)
            let read = Advertisement(
                data: Self.packet(&chance),
                scanResponse: response,
                isConnectable: chance.once(in: 2)
            )
            RunRecord.note("\(step) \(Self.words(read))")
            let discovery = Discovery(
                peer: PeerDescription(identifier: UUID(random: 1, 2), address: .none, name: nil),
                advertisement: read,
                overflowServices: chance.some([0x180D]),
                rssi: chance.once(in: 4) ? nil : RSSI(dBm: Int8(-chance.below(100))),
                timestamp: Double(step),
                primaryPHY: UInt8(chance.below(4)),
                secondaryPHY: UInt8(chance.below(4))
            )
            RunRecord.note("\(step) \(noted(discovery.dictionary)) \(discovery.rssi.number)")
            for filter in [
                ScanFilter(), ScanFilter(services: read.services), ScanFilter(services: [0x180D, 0xFF01]),
                ScanFilter(services: nil, solicitedServices: read.solicitedServices),
                ScanFilter(services: [0xFF01], solicitedServices: [0x1812] + read.solicitedServices.suffix(1)),
            ] {
                RunRecord.note("\(step) \(filter) \(read.matches(filter))")
            }
        }
    }

    @Test("what scans of three managers are told of six advertisers", arguments: seeds)
    func reports(seed: UInt64) {
        var chance = Chance(seed: seed)
        let identities = IdentityStore(randomness: .seeded(seed))
        var reports = DiscoveryReports(identities: identities)
        var scans = (1...3).map { Scan(session: $0, number: 1, filter: ScanFilter()) }
        var packets: [ByteBuffer] = [ByteBuffer()]
        for _ in 0..<12 { packets.append(Self.packet(&chance)) }
        let addresses = (0..<6).map { number in
            DeviceAddress(0xC000_0000_0000 | UInt64(number), kind: number == 5 ? .public : .random)
        }
        for step in 0..<500 {
            let address = chance.pick(addresses)
            switch chance.below(40) {
            case 0: reports.reset()
            case 1:
                let index = chance.below(3)
                scans[index].number += 1
                scans[index].filter.allowsDuplicates = chance.once(in: 3)
                scans[index].filter.services = chance.once(in: 2) ? nil : [0x180D, 0xFF01]
            case 2:
                identities.setName("device name \(step)", isDeviceName: true, of: address)
                reports.learned(identities.record(for: address))
            case 3:
                let identity = chance.pick(addresses)
                reports.identified(identities.move(address, to: identity), before: address)
            default: break
            }
            let isScanResponse = chance.once(in: 3)
            let report = AdvertisingReport(
                address: address,
                isConnectable: chance.below(5) > 0,
                isScannable: chance.below(5) > 0,
                isScanResponse: isScanResponse,
                data: chance.pick(packets),
                rssi: RSSI(dBm: Int8(-chance.below(90))),
                primaryPHY: chance.pick([.le1M, .leCoded]),
                secondaryPHY: chance.pick([nil, .le2M])
            )
            let present = chance.some(scans)
            reports.receive(report, for: present, now: .uptimeNanoseconds(UInt64(step)), timestamp: Double(step)) {
                RunRecord.note(
                    "\(step) \($0.session) \($1.peer) \(Self.words($1.advertisement)) \($1.overflowServices) "
                        + "\($1.rssi.number) \($1.timestamp) \($1.primaryPHY) \($1.secondaryPHY)"
                )
            }
        }
    }

    @Test("more advertisers than are remembered: the quarter that was silent for longest is forgotten, and new again")
    func manyAdvertisers() {
        var chance = Chance(seed: 3)
        var reports = DiscoveryReports(identities: IdentityStore(randomness: .seeded(1)))
        let scan = Scan(session: 1, number: 1, filter: ScanFilter())
        var time: UInt64 = 0
        var reported = 0
        func hear(_ number: Int) {
            time += UInt64(chance.below(2))
            let report = AdvertisingReport(
                address: DeviceAddress(UInt64(number), kind: .public),
                isConnectable: true,
                isScannable: false,
                isScanResponse: false,
                data: ByteBuffer(),
                rssi: nil
            )
            reports.receive(report, for: [scan], now: .uptimeNanoseconds(time), timestamp: 0) { _, discovery in
                reported += 1
                RunRecord.note("\(reported) \(discovery.peer.address)")
            }
        }
        for number in 0..<DiscoveryReports.capacity { hear(number) }
        for number in 0..<DiscoveryReports.capacity { hear(number) }
        #expect(reported == DiscoveryReports.capacity)
        for number in 0..<400 {
            hear(2_000 + number)
            hear(chance.below(DiscoveryReports.capacity))
        }
        #expect(reported > DiscoveryReports.capacity + 400)
    }

    @Test(
        "the overflow area: the bit of every UUID, and what other manufacturer data is not",
        arguments: [1, 2] as [UInt64]
    )
    func overflow(seed: UInt64) {
        var chance = Chance(seed: seed)
        var area = OverflowArea()
        for step in 0..<300 {
            let uuid =
                chance.once(in: 2) ? Self.uuid(&chance) : BluetoothUUID(form: .full(chance.next(), chance.next()))
            let bit = OverflowArea.bit(of: uuid)
            #expect((0..<128).contains(bit))
            RunRecord.note("\(step) \(bit) \(area.mayContain(uuid))")
            if chance.once(in: 10) { area.insert(uuid) }
            if area.mayContain(uuid) { RunRecord.note("\(step) \(area.manufacturerData.hex)") }
            #expect(OverflowArea(manufacturerData: area.manufacturerData) == area)
        }
        for count in 0...24 {
            for marker in [[0xFF, 0xFF, 0x01], [0xFF, 0xFF, 0x00], [0xFE, 0xFF, 0x01]] as [[UInt8]] {
                let octets = ByteBuffer(bytes: (marker + chance.octets(24)).prefix(count))
                RunRecord.note(
                    "\(count) \(marker) \(OverflowArea(manufacturerData: octets)?.manufacturerData.hex ?? "-")"
                )
            }
        }
    }

    @Test("events of an app that cannot run, merged and over the limit", arguments: seeds)
    func merged(seed: UInt64) {
        var chance = Chance(seed: seed)
        let window = ReceiveWindow()
        let empty = Advertisement(data: ByteBuffer(), scanResponse: nil, isConnectable: true)
        let events = (0..<chance.pick([10, 100, 1_000, 1_400, 2_500])).map { number -> CentralEvent in
            let id = ConnectionID(token: PeripheralToken(index: Int32(number), generation: 0), attempt: 1)
            switch chance.below(12) {
            case 0...6:
                _ = window.add(Discovery.size)
                let address = DeviceAddress(UInt64(chance.below(1_500)), kind: .public)
                let peer = PeerDescription(identifier: UUID(random: 1, 2), address: address, name: "\(number)")
                return .discovered(
                    Discovery(
                        peer: peer,
                        advertisement: empty,
                        overflowServices: [],
                        rssi: nil,
                        timestamp: 0,
                        primaryPHY: 1,
                        secondaryPHY: 0
                    ),
                    window
                )
            case 7: return .connected(id, mtu: 23, TransmitWindow())
            case 8: return .disconnected(id, nil, timestamp: 0, isReconnecting: chance.once(in: 2))
            case 9: return .name(id, "name")
            case 10: return .canSend(id)
            default: return .state(chance.pick([.poweredOn, .poweredOff]))
            }
        }
        let merged = CentralEvent.merged(events)
        for (index, event) in merged.enumerated() {
            let text =
                switch event {
                case .discovered(let discovery, _): "discovered \(discovery.peer.name ?? "-")"
                case .connected(let id, _, _): "connected \(id.token.index)"
                case .disconnected(let id, _, _, let isReconnecting): "disconnected \(id.token.index) \(isReconnecting)"
                case .name(let id, _): "name \(id.token.index)"
                case .canSend(let id): "canSend \(id.token.index)"
                case .state(let state): "state \(state)"
                default: "other"
                }
            RunRecord.note("\(index) \(text)")
        }
        RunRecord.note("\(merged.count) \(window.isFull)")
    }
}
