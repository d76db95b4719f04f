// A central app and a foreign peripheral, which does what our own server never does.

import BluetoothHCI
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7 GATT client and foreign peripherals")
struct ForeignPeripheralTests {
    @Test("7.8 B11 without a configuration descriptor there is nothing to subscribe to: invalid parameters")
    func missingConfiguration() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: []))
        let heart = try setup.discover()
        #expect(
            setup.call { setup.peripheral.setNotifyValue(true, for: heart) } == "notifying false CBErrorDomain 1"
        )
        // The same where it is known by now that there is none.
        #expect(
            setup.call { setup.peripheral.setNotifyValue(true, for: heart) } == "notifying false CBErrorDomain 1"
        )
        #expect(!heart.isNotifying)
    }

    @Test("7.8 notifications are preferred where both are offered; indications alone are used and confirmed")
    func preference() throws {
        for (properties, bits) in [(0x30, 1), (0x10, 1), (0x20, 2)] as [(UInt8, UInt8)] {
            let setup = try ForeignConversation(
                ForeignPeripheral.heart(descriptors: [(0x2902, [0, 0])], properties: properties)
            )
            let heart = try setup.discover()
            #expect(setup.call { setup.peripheral.setNotifyValue(true, for: heart) } == "notifying true")
            #expect(setup.foreign.attributes[3].value == [bits, 0])
            setup.foreign.push([bits == 1 ? 0x1B : 0x1D, 0x03, 0x00] + Array("bum".utf8))
            setup.testbed.run { !setup.central.values.isEmpty }
            #expect(setup.central.values == ["bum"])
        }
    }

    @Test("7.8 setting the present state again calls back at once, without a word to the peer")
    func sameState() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: [(0x2902, [0, 0])]))
        let heart = try setup.discover()
        #expect(setup.call { setup.peripheral.setNotifyValue(false, for: heart) } == "notifying false")
        #expect(setup.call { setup.peripheral.setNotifyValue(true, for: heart) } == "notifying true")
        let writes = setup.foreign.requests.count { $0[0] == 0x12 }
        #expect(setup.call { setup.peripheral.setNotifyValue(true, for: heart) } == "notifying true")
        #expect(setup.foreign.requests.count { $0[0] == 0x12 } == writes)
    }

    @Test("7.8 a refused subscription leaves the state as it was")
    func refusedSubscription() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: [(0x2902, [0, 0])]))
        let heart = try setup.discover()
        setup.foreign.onRequest = { $0[0] == 0x12 ? [0x01, 0x12, 0x04, 0x00, 0xFD] : nil }
        #expect(
            setup.call { setup.peripheral.setNotifyValue(true, for: heart) } == "notifying false CBATTErrorDomain 253"
        )
        setup.foreign.push([0x1B, 0x03, 0x00, 0x21])
        setup.testbed.run()
        #expect(setup.central.values.isEmpty)
        setup.foreign.onRequest = { _ in nil }
        #expect(setup.call { setup.peripheral.setNotifyValue(true, for: heart) } == "notifying true")
    }

    @Test("7.9 descriptor values: numbers for 2900, 2902 and 2903, text for 2901, octets for all others")
    func descriptorTypes() throws {
        let setup = try ForeignConversation(
            ForeignPeripheral.heart(descriptors: [
                (0x2900, [0x03, 0x00]), (0x2901, Array("Herz".utf8)), (0x2902, [0x02, 0x00]), (0x2903, [0x01, 0x00]),
                (0x2904, [4, 0, 0, 0x27, 1, 0, 0]), (0x2908, [1, 2]),
            ])
        )
        let heart = try setup.discover()
        setup.peripheral.discoverDescriptors(for: heart)
        setup.testbed.run { heart.descriptors != nil }
        for descriptor in heart.descriptors ?? [] { setup.peripheral.readValue(for: descriptor) }
        setup.testbed.run { heart.descriptors?.allSatisfy { $0.value != nil } == true }
        let values = heart.descriptors?.map(\.value) ?? []
        try #require(values.count == 6)
        #expect(values[0] as? NSNumber == 3)
        #expect(values[1] as? NSString == "Herz")
        #expect(values[2] as? NSNumber == 2)
        #expect(values[3] as? NSNumber == 1)
        #expect(values[4] as? NSData == NSData(data: Data([4, 0, 0, 0x27, 1, 0, 0])))
        #expect(values[5] as? NSData == NSData(data: Data([1, 2])))
    }

    @Test("7.1 what could not be discovered stays nil, and the error is reported")
    func failedDiscovery() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: [(0x2902, [0, 0])]))
        setup.foreign.onRequest = { $0[0] == 0x10 ? [0x01, 0x10, 0x01, 0x00, 0x0E] : nil }
        #expect(setup.call { setup.peripheral.discoverServices(nil) } == "services -1 CBATTErrorDomain 14")
        #expect(setup.peripheral.services == nil)
        setup.foreign.onRequest = { _ in nil }
        let heart = try setup.discover()
        let service = try #require(heart.service)
        #expect(service.includedServices == nil)
        #expect(heart.descriptors == nil)
        setup.foreign.onRequest = { $0[0] == 0x08 || $0[0] == 0x04 ? [0x01, $0[0], 0x01, 0x00, 0x80] : nil }
        #expect(
            setup.call { setup.peripheral.discoverIncludedServices(nil, for: service) }
                == "included -1 CBATTErrorDomain 128"
        )
        #expect(
            setup.call { setup.peripheral.discoverDescriptors(for: heart) } == "descriptors -1 CBATTErrorDomain 128"
        )
        #expect(service.includedServices == nil)
        #expect(heart.descriptors == nil)
    }

    @Test("7.5 13.4 every ATT error of a peer reaches the app with its number", arguments: UInt8(1)...255)
    func everyError(code: UInt8) throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: []))
        let heart = try setup.discover()
        setup.foreign.onRequest = { $0[0] == 0x0A || $0[0] == 0x12 ? [0x01, $0[0], 0x03, 0x00, code] : nil }
        #expect(setup.call { setup.peripheral.readValue(for: heart) } == "value CBATTErrorDomain \(code)")
        #expect(
            setup.call { setup.peripheral.writeValue(Data([1]), for: heart, type: .withResponse) }
                == "wrote CBATTErrorDomain \(code)"
        )
        #expect((setup.central.errors.last as? CBATTError)?.code.rawValue == Int(code))
        #expect(heart.value == nil)
    }

    @Test("7.4 a long value is read with Read Blob, at MTU 23 in steps of 22", arguments: [21, 22, 23, 44, 300])
    func longRead(count: Int) throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: []))
        let heart = try setup.discover()
        setup.foreign.attributes[2].value = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        #expect(setup.call { setup.peripheral.readValue(for: heart) } == "value")
        #expect(heart.value == Data(setup.foreign.attributes[2].value))
        let blobs = setup.foreign.requests.filter { $0[0] == 0x0C }.map { Int($0[3]) | Int($0[4]) << 8 }
        #expect(blobs == Array(stride(from: 22, through: count, by: 22)))
    }

    @Test("7.5 a long write is prepared and executed; a peer that echoes something else is refused")
    func longWrite() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: []))
        let heart = try setup.discover()
        var written: [UInt8] = []
        setup.foreign.onRequest = { pdu in
            switch pdu[0] {
            case 0x16:
                written += pdu.dropFirst(5)
                return [0x17] + pdu.dropFirst()
            case 0x18: return [0x19]
            default: return nil
            }
        }
        let value = Data((0..<100).map { UInt8($0) })
        #expect(setup.call { setup.peripheral.writeValue(value, for: heart, type: .withResponse) } == "wrote")
        #expect(Data(written) == value)
        #expect(setup.foreign.requests.last == [0x18, 0x01])
        #expect(heart.value == nil)
    }

    @Test("7.7 a peer that knows no MTU but 23 leaves it there")
    func smallMTU() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: [])) { foreign in
            foreign.onRequest = { $0[0] == 0x02 ? [0x01, 0x02, 0x00, 0x00, 0x06] : nil }
        }
        _ = try setup.discover()
        #expect(setup.peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
        #expect(setup.peripheral.maximumWriteValueLength(for: .withResponse) == 512)
        #expect(setup.peripheral.description.contains("mtu = 23"))
    }

    @Test("7.12 Service Changed of services that the app does not know gives an empty list")
    func unknownServicesChanged() throws {
        let attributes = ForeignPeripheral.heart(descriptors: []) + ForeignPeripheral.serviceChangedAttributes
        let setup = try ForeignConversation(attributes)
        let heart = try setup.discover()
        setup.testbed.run()
        #expect(setup.foreign.attributes.last?.value == [2, 0], "the system subscribes by itself")
        #expect(setup.call { setup.foreign.push([0x1D, 0x12, 0x00, 0x20, 0x00, 0x30, 0x00]) } == "modified ")
        #expect(heart.service != nil)
        #expect(setup.call { setup.foreign.push([0x1D, 0x12, 0x00, 0x01, 0x00, 0xFF, 0xFF]) } == "modified 180D")
        #expect(setup.peripheral.services == [])
        #expect(heart.service == nil)
    }

    @Test("6.5 a peer that ends the link is peripheralDisconnected", arguments: [0x13, 0x14, 0x15] as [UInt8])
    func remoteEnd(reason: UInt8) throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: []))
        let heart = try setup.discover()
        setup.peripheral.readValue(for: heart)
        setup.foreign.onRequest = { _ in [] }
        #expect(
            setup.call { setup.foreign.disconnect(HCIErrorCode(rawValue: reason)) } == "disconnect 0 CBErrorDomain 7"
        )
        setup.testbed.run(.seconds(40))
        #expect(setup.central.calls.last == "disconnect 0 CBErrorDomain 7")
    }

    @Test("6.4 pending procedures of a connection that is cancelled are not reported")
    func cancelledProcedures() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: []))
        let heart = try setup.discover()
        setup.foreign.onRequest = { _ in [] }
        for _ in 0..<3 { setup.peripheral.readValue(for: heart) }
        setup.testbed.run(.seconds(1))
        #expect(setup.call { setup.central.manager.cancelPeripheralConnection(setup.peripheral) } == "disconnect 0")
        setup.testbed.run(.seconds(40))
        #expect(setup.central.calls.last == "disconnect 0")
        #expect(setup.central.count("value") == 0)
    }

    @Test("7.3 B12 when a peer stops responding, procedures and link end after 30 s with a timeout")
    func silence() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: []))
        let heart = try setup.discover()
        setup.testbed.run(.seconds(3))
        setup.foreign.onRequest = { _ in [] }
        setup.central.calls = []
        setup.peripheral.readValue(for: heart)
        setup.peripheral.readValue(for: heart)
        setup.testbed.run(.milliseconds(29_900))
        #expect(setup.central.calls.isEmpty)
        setup.testbed.run(.seconds(2))
        #expect(
            setup.central.calls == [
                "value CBErrorDomain 6", "value CBErrorDomain 6", "disconnect 0 CBErrorDomain 6",
            ]
        )
    }

    @Test("5.6 a long GAP Device Name is read whole even at MTU 23, and a peer without one keeps what it advertises")
    func deviceName() throws {
        let name = "The heart of somebody else, quite a long name"
        var attributes = ForeignPeripheral.heart(descriptors: [])
        attributes += [
            .init(handle: 0x10, type: 0x2800, value: [0x00, 0x18], end: 0x12),
            .init(handle: 0x11, type: 0x2803, value: [0x02, 0x12, 0x00, 0x00, 0x2A]),
            .init(handle: 0x12, type: 0x2A00, value: Array(name.utf8)),
        ]
        let setup = try ForeignConversation(attributes)
        #expect(setup.peripheral.name == "Foreign")
        #expect(setup.testbed.run { setup.central.calls.last == "name \(name)" })
        #expect(setup.peripheral.name == name)

        let other = try ForeignConversation(ForeignPeripheral.heart(descriptors: []))
        other.testbed.run(.seconds(5))
        #expect(other.peripheral.name == "Foreign")
        #expect(other.central.calls.last == "connect 2")
    }
}

extension ForeignConversation {
    /// Waits for the next callback.
    fileprivate func call(_ body: () -> Void) -> String? {
        let count = self.central.calls.count
        body()
        self.testbed.run { self.central.calls.count > count }
        return self.central.calls.count > count ? self.central.calls[count] : nil
    }
}
