// A central app and a peripheral of somebody else's make, which does what our own server never does.

import BluetoothHCI
import Foundation
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("7 GATT client and strangers")
struct StrangerTests {
    /// A central that has discovered a stranger's characteristic.
    private struct Visit {
        let room = Room()
        let stranger: Stranger
        let central: CentralApp
        let peripheral: CBPeripheral

        init(_ attributes: [Stranger.Attribute], setUp: (Stranger) -> Void = { _ in }) throws {
            self.stranger = Stranger(in: self.room, attributes)
            setUp(self.stranger)
            let central = CentralApp(on: self.room.adapter("Curious"))
            self.central = central
            self.room.run { central.manager.state == .poweredOn }
            self.peripheral = try central.connect(in: self.room, services: nil)
        }

        func discover() throws -> CBCharacteristic {
            let service = try self.peripheral.discover(nil, in: self.room)
            return try #require(service.characteristics?.first)
        }

        /// Waits for the next callback.
        func call(_ body: () -> Void) -> String? {
            let count = self.central.calls.count
            body()
            self.room.run { self.central.calls.count > count }
            return self.central.calls.count > count ? self.central.calls[count] : nil
        }
    }

    @Test("7.8 without a configuration descriptor there is nothing to subscribe to: attributeNotFound")
    func missingConfiguration() throws {
        let visit = try Visit(Stranger.heart(descriptors: []))
        let heart = try visit.discover()
        #expect(
            visit.call { visit.peripheral.setNotifyValue(true, for: heart) } == "notifying false CBATTErrorDomain 10"
        )
        #expect(!heart.isNotifying)
    }

    @Test("7.8 notifications are preferred where both are offered; indications alone are used and confirmed")
    func preference() throws {
        for (properties, bits) in [(0x30, 1), (0x10, 1), (0x20, 2)] as [(UInt8, UInt8)] {
            let visit = try Visit(Stranger.heart(descriptors: [(0x2902, [0, 0])], properties: properties))
            let heart = try visit.discover()
            #expect(visit.call { visit.peripheral.setNotifyValue(true, for: heart) } == "notifying true")
            #expect(visit.stranger.attributes[3].value == [bits, 0])
            visit.stranger.push([bits == 1 ? 0x1B : 0x1D, 0x03, 0x00] + Array("bum".utf8))
            visit.room.run { !visit.central.values.isEmpty }
            #expect(visit.central.values == ["bum"])
        }
    }

    @Test("7.8 setting the present state again calls back at once, without a word to the peer")
    func sameState() throws {
        let visit = try Visit(Stranger.heart(descriptors: [(0x2902, [0, 0])]))
        let heart = try visit.discover()
        #expect(visit.call { visit.peripheral.setNotifyValue(false, for: heart) } == "notifying false")
        #expect(visit.call { visit.peripheral.setNotifyValue(true, for: heart) } == "notifying true")
        let writes = visit.stranger.requests.count { $0[0] == 0x12 }
        #expect(visit.call { visit.peripheral.setNotifyValue(true, for: heart) } == "notifying true")
        #expect(visit.stranger.requests.count { $0[0] == 0x12 } == writes)
    }

    @Test("7.8 a refused subscription leaves the state as it was")
    func refusedSubscription() throws {
        let visit = try Visit(Stranger.heart(descriptors: [(0x2902, [0, 0])]))
        let heart = try visit.discover()
        visit.stranger.onRequest = { $0[0] == 0x12 ? [0x01, 0x12, 0x04, 0x00, 0xFD] : nil }
        #expect(
            visit.call { visit.peripheral.setNotifyValue(true, for: heart) } == "notifying false CBATTErrorDomain 253"
        )
        visit.stranger.push([0x1B, 0x03, 0x00, 0x21])
        visit.room.run()
        #expect(visit.central.values.isEmpty)
        visit.stranger.onRequest = { _ in nil }
        #expect(visit.call { visit.peripheral.setNotifyValue(true, for: heart) } == "notifying true")
    }

    @Test("7.9 descriptor values: numbers for 2900, 2902 and 2903, text for 2901, octets for all others")
    func descriptorTypes() throws {
        let visit = try Visit(
            Stranger.heart(descriptors: [
                (0x2900, [0x03, 0x00]), (0x2901, Array("Herz".utf8)), (0x2902, [0x02, 0x00]), (0x2903, [0x01, 0x00]),
                (0x2904, [4, 0, 0, 0x27, 1, 0, 0]), (0x2908, [1, 2]),
            ])
        )
        let heart = try visit.discover()
        visit.peripheral.discoverDescriptors(for: heart)
        visit.room.run { heart.descriptors != nil }
        for descriptor in heart.descriptors ?? [] { visit.peripheral.readValue(for: descriptor) }
        visit.room.run { heart.descriptors?.allSatisfy { $0.value != nil } == true }
        let values = heart.descriptors?.map(\.value) ?? []
        try #require(values.count == 6)
        #expect(values[0] as? NSNumber == 3)
        #expect(values[1] as? NSString == "Herz")
        #expect(values[2] as? NSNumber == 2)
        #expect(values[3] as? NSNumber == 1)
        #expect(values[4] as? NSData == NSData(data: Data([4, 0, 0, 0x27, 1, 0, 0])))
        #expect(values[5] as? NSData == NSData(data: Data([1, 2])))
    }

    @Test("7.1 what could not be discovered stays nil, and the error is told")
    func failedDiscovery() throws {
        let visit = try Visit(Stranger.heart(descriptors: [(0x2902, [0, 0])]))
        visit.stranger.onRequest = { $0[0] == 0x10 ? [0x01, 0x10, 0x01, 0x00, 0x0E] : nil }
        #expect(visit.call { visit.peripheral.discoverServices(nil) } == "services -1 CBATTErrorDomain 14")
        #expect(visit.peripheral.services == nil)
        visit.stranger.onRequest = { _ in nil }
        let heart = try visit.discover()
        let service = try #require(heart.service)
        #expect(service.includedServices == nil)
        #expect(heart.descriptors == nil)
        visit.stranger.onRequest = { $0[0] == 0x08 || $0[0] == 0x04 ? [0x01, $0[0], 0x01, 0x00, 0x80] : nil }
        #expect(
            visit.call { visit.peripheral.discoverIncludedServices(nil, for: service) }
                == "included -1 CBATTErrorDomain 128"
        )
        #expect(
            visit.call { visit.peripheral.discoverDescriptors(for: heart) } == "descriptors -1 CBATTErrorDomain 128"
        )
        #expect(service.includedServices == nil)
        #expect(heart.descriptors == nil)
    }

    @Test("7.5 13.4 every ATT error of a peer reaches the app with its number", arguments: UInt8(1)...255)
    func everyError(code: UInt8) throws {
        let visit = try Visit(Stranger.heart(descriptors: []))
        let heart = try visit.discover()
        visit.stranger.onRequest = { $0[0] == 0x0A || $0[0] == 0x12 ? [0x01, $0[0], 0x03, 0x00, code] : nil }
        #expect(visit.call { visit.peripheral.readValue(for: heart) } == "value CBATTErrorDomain \(code)")
        #expect(
            visit.call { visit.peripheral.writeValue(Data([1]), for: heart, type: .withResponse) }
                == "wrote CBATTErrorDomain \(code)"
        )
        #expect((visit.central.errors.last as? CBATTError)?.code.rawValue == Int(code))
        #expect(heart.value == nil)
    }

    @Test("7.4 a long value is read with Read Blob, at MTU 23 in steps of 22", arguments: [21, 22, 23, 44, 300])
    func longRead(count: Int) throws {
        let visit = try Visit(Stranger.heart(descriptors: []))
        let heart = try visit.discover()
        visit.stranger.attributes[2].value = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        #expect(visit.call { visit.peripheral.readValue(for: heart) } == "value")
        #expect(heart.value == Data(visit.stranger.attributes[2].value))
        let blobs = visit.stranger.requests.filter { $0[0] == 0x0C }.map { Int($0[3]) | Int($0[4]) << 8 }
        #expect(blobs == Array(stride(from: 22, through: count, by: 22)))
    }

    @Test("7.5 a long write is prepared and executed; a peer that echoes something else is refused")
    func longWrite() throws {
        let visit = try Visit(Stranger.heart(descriptors: []))
        let heart = try visit.discover()
        var written: [UInt8] = []
        visit.stranger.onRequest = { pdu in
            switch pdu[0] {
            case 0x16:
                written += pdu.dropFirst(5)
                return [0x17] + pdu.dropFirst()
            case 0x18: return [0x19]
            default: return nil
            }
        }
        let value = Data((0..<100).map { UInt8($0) })
        #expect(visit.call { visit.peripheral.writeValue(value, for: heart, type: .withResponse) } == "wrote")
        #expect(Data(written) == value)
        #expect(visit.stranger.requests.last == [0x18, 0x01])
        #expect(heart.value == nil)
    }

    @Test("7.7 a peer that knows no MTU but 23 leaves it there")
    func smallMTU() throws {
        let visit = try Visit(Stranger.heart(descriptors: [])) { stranger in
            stranger.onRequest = { $0[0] == 0x02 ? [0x01, 0x02, 0x00, 0x00, 0x06] : nil }
        }
        _ = try visit.discover()
        #expect(visit.peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
        #expect(visit.peripheral.maximumWriteValueLength(for: .withResponse) == 512)
        #expect(visit.peripheral.description.contains("mtu = 23"))
    }

    @Test("7.12 Service Changed of services that the app does not know gives an empty list")
    func unknownServicesChanged() throws {
        var attributes = Stranger.heart(descriptors: [])
        attributes += [
            .init(handle: 0x10, type: 0x2800, value: [0x01, 0x18], end: 0x13),
            .init(handle: 0x11, type: 0x2803, value: [0x20, 0x12, 0x00, 0x05, 0x2A]),
            .init(handle: 0x12, type: 0x2A05, value: []),
            .init(handle: 0x13, type: 0x2902, value: [0, 0]),
        ]
        let visit = try Visit(attributes)
        let heart = try visit.discover()
        visit.room.run()
        #expect(visit.stranger.attributes.last?.value == [2, 0], "the system subscribes by itself")
        #expect(visit.call { visit.stranger.push([0x1D, 0x12, 0x00, 0x20, 0x00, 0x30, 0x00]) } == "modified ")
        #expect(heart.service != nil)
        #expect(visit.call { visit.stranger.push([0x1D, 0x12, 0x00, 0x01, 0x00, 0xFF, 0xFF]) } == "modified 180D")
        #expect(visit.peripheral.services == [])
        #expect(heart.service == nil)
    }

    @Test("6.5 a peer that ends the link is peripheralDisconnected", arguments: [0x13, 0x14, 0x15] as [UInt8])
    func remoteEnd(reason: UInt8) throws {
        let visit = try Visit(Stranger.heart(descriptors: []))
        let heart = try visit.discover()
        visit.peripheral.readValue(for: heart)
        visit.stranger.onRequest = { _ in [] }
        #expect(
            visit.call { visit.stranger.disconnect(HCIErrorCode(rawValue: reason)) } == "disconnect 0 CBErrorDomain 7"
        )
        visit.room.run(.seconds(40))
        #expect(visit.central.calls.last == "disconnect 0 CBErrorDomain 7")
    }

    @Test("6.4 pending procedures of a connection that is cancelled are not told")
    func cancelledProcedures() throws {
        let visit = try Visit(Stranger.heart(descriptors: []))
        let heart = try visit.discover()
        visit.stranger.onRequest = { _ in [] }
        for _ in 0..<3 { visit.peripheral.readValue(for: heart) }
        visit.room.run(.seconds(1))
        #expect(visit.call { visit.central.manager.cancelPeripheralConnection(visit.peripheral) } == "disconnect 0")
        visit.room.run(.seconds(40))
        #expect(visit.central.calls.last == "disconnect 0")
        #expect(visit.central.count("value") == 0)
    }

    @Test("7.3 a peer that falls silent ends what was asked for after 30 s, and the link with it")
    func silence() throws {
        let visit = try Visit(Stranger.heart(descriptors: []))
        let heart = try visit.discover()
        visit.room.run(.seconds(3))
        visit.stranger.onRequest = { _ in [] }
        visit.central.calls = []
        visit.peripheral.readValue(for: heart)
        visit.peripheral.readValue(for: heart)
        visit.room.run(.milliseconds(29_900))
        #expect(visit.central.calls.isEmpty)
        visit.room.run(.seconds(2))
        #expect(
            visit.central.calls == [
                "value CBErrorDomain 6", "value CBErrorDomain 6", "disconnect 0 CBErrorDomain 7",
            ]
        )
    }

    @Test("5.6 a long GAP Device Name is read whole even at MTU 23, and a peer without one keeps what it advertises")
    func deviceName() throws {
        let name = "The heart of somebody else, quite a long name"
        var attributes = Stranger.heart(descriptors: [])
        attributes += [
            .init(handle: 0x10, type: 0x2800, value: [0x00, 0x18], end: 0x12),
            .init(handle: 0x11, type: 0x2803, value: [0x02, 0x12, 0x00, 0x00, 0x2A]),
            .init(handle: 0x12, type: 0x2A00, value: Array(name.utf8)),
        ]
        let visit = try Visit(attributes)
        #expect(visit.peripheral.name == "Stranger")
        #expect(visit.room.run { visit.central.calls.last == "name \(name)" })
        #expect(visit.peripheral.name == name)

        let other = try Visit(Stranger.heart(descriptors: []))
        other.room.run(.seconds(5))
        #expect(other.peripheral.name == "Stranger")
        #expect(other.central.calls.last == "connect 2")
    }
}
