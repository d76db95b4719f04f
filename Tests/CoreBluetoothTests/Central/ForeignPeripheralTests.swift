import BluetoothHCI
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7 GATT client and foreign peripherals")
struct ForeignPeripheralTests {
    @Test(
        "7.8 R4 reports a missing configuration descriptor, and delivers values all the same until the app unsubscribes",
        arguments: [[], [0x2901], [0x2900, 0x2904]] as [[UInt16]],
        [false, true]
    )
    func missingConfiguration(descriptors: [UInt16], areDiscovered: Bool) throws {
        // With Extended Properties, with its descriptor or without.
        let attributes = ForeignPeripheral.heart(descriptors: descriptors.map { ($0, [1, 0]) }, properties: 0xBE)
        let setup = try ForeignConversation(attributes)
        let heart = try setup.discover()
        if areDiscovered {
            let call = setup.call { setup.peripheral.discoverDescriptors(for: heart) }
            #expect(call == "descriptors \(descriptors.count)")
        }
        func push(_ value: String) -> [String] {
            setup.central.values = []
            setup.foreign.push([0x1B, 0x03, 0x00] + Array(value.utf8))
            setup.testbed.run()
            return setup.central.values
        }
        #expect(push("early").isEmpty)
        for isSubscribed in [true, true, false, true] {
            let call = setup.call { setup.peripheral.setNotifyValue(isSubscribed, for: heart) }
            #expect(call == "notifying false CBATTErrorDomain 10")
            #expect(push("bum") == (isSubscribed ? ["bum"] : []))
        }
        #expect(!heart.isNotifying)
        #expect(setup.call { setup.peripheral.readValue(for: heart) } == "value")
    }

    @Test("7.4 R3 reads 512 octets of a longer value, without an error", arguments: [511, 512, 513, 600], [23, 517])
    func longValue(count: Int, mtu: UInt16) throws {
        let octets = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: [])) {
            $0.attributes[2].value = octets
        }
        let heart = try setup.discover()
        var largest = mtu
        setup.foreign.onRequest = { request in
            if request[0] == 0x02 { return [0x03, UInt8(mtu & 0xFF), UInt8(mtu >> 8)] }
            guard request[0] == 0x0A || request[0] == 0x0C else { return nil }
            largest = min(largest, 23)
            let offset = request[0] == 0x0C ? Int(request[3]) | Int(request[4]) << 8 : 0
            return [request[0] + 1] + octets.dropFirst(offset).prefix(22)
        }
        #expect(setup.call { setup.peripheral.readValue(for: heart) } == "value")
        #expect(heart.value == Data(octets.prefix(512)))
    }

    @Test("7.8 prefers notifications, and confirms indications")
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

    @Test("7.1 leaves attributes nil and reports the error when a discovery fails")
    func failedDiscovery() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: [(0x2902, [0, 0])]))
        setup.foreign.onRequest = { $0[0] == 0x10 ? [0x01, 0x10, 0x01, 0x00, 0x0E] : nil }
        #expect(setup.call { setup.peripheral.discoverServices(nil) } == "services -1 CBATTErrorDomain 14")
        setup.foreign.onRequest = { _ in nil }
        let heart = try setup.discover()
        let service = try #require(heart.service)
        setup.foreign.onRequest = { $0[0] == 0x08 || $0[0] == 0x04 ? [0x01, $0[0], 0x01, 0x00, 0x80] : nil }
        let included = setup.call { setup.peripheral.discoverIncludedServices(nil, for: service) }
        #expect(included == "included -1 CBATTErrorDomain 128" && service.includedServices == nil)
        let descriptors = setup.call { setup.peripheral.discoverDescriptors(for: heart) }
        #expect(descriptors == "descriptors -1 CBATTErrorDomain 128" && heart.descriptors == nil)
    }

    @Test("7.12 reports changed services, and an empty list for unknown ones")
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

    @Test("6.5 reports peripheralDisconnected when the peer ends the link, and nothing of pending procedures")
    func remoteEnd() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: []))
        let heart = try setup.discover()
        setup.peripheral.readValue(for: heart)
        setup.foreign.onRequest = { _ in [] }
        #expect(setup.call { setup.foreign.disconnect(.remoteUserTerminated) } == "disconnect 0 CBErrorDomain 7")
        setup.testbed.run(.seconds(40))
        #expect(setup.central.calls.last == "disconnect 0 CBErrorDomain 7")
    }

    @Test("7.3 B12 10.3 ends procedures and link with a timeout 30 s after a request without a response")
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

    @Test("5.6 keeps the advertised name of a peripheral without a GAP Device Name")
    func deviceName() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: []))
        setup.testbed.run(.seconds(5))
        #expect(setup.peripheral.name == "Foreign" && setup.central.calls.last == "connect 2")
    }

    /// The values of a foreign peripheral's descriptors, as an app reads them.
    private func values(_ descriptors: [(type: UInt16, value: [UInt8])]) throws -> [Any?] {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: descriptors))
        let (testbed, peripheral) = (setup.testbed, setup.peripheral)
        let heart = try setup.discover()
        peripheral.discoverDescriptors(for: heart)
        try #require(testbed.run { heart.descriptors?.count == descriptors.count })
        let found = heart.descriptors ?? []
        for descriptor in found { peripheral.readValue(for: descriptor) }
        try #require(testbed.run { found.allSatisfy { $0.value != nil } })
        withExtendedLifetime(setup) {}
        return found.map(\.value)
    }

    @Test(
        "7.9 reads a number from the first two octets of a descriptor, missing octets being zero",
        arguments: [
            ([], 0), ([0x05], 5), ([0x34, 0x12], 0x1234), ([0x00, 0x80], 0x8000), ([0x34, 0x12, 0x56], 0x1234),
            ([0xFF, 0xFF, 0xFF, 0xFF], 0xFFFF),
        ] as [([UInt8], Int)]
    )
    func numbers(octets: [UInt8], number: Int) throws {
        let values = try self.values([(0x2900, octets), (0x2902, octets), (0x2903, octets)])
        try #require(values.count == 3)
        for value in values { #expect((value as? NSNumber)?.intValue == number) }
    }

    @Test("7.9 reads a description as text and other descriptors as octets")
    func others() throws {
        let values = try self.values([(0x2901, []), (0x2901, Array("Herz".utf8)), (0x2905, []), (0x2908, [1, 2, 3])])
        try #require(values.count == 4)
        #expect(values[0] as? NSString == "")
        #expect(values[1] as? NSString == "Herz")
        #expect(values[2] as? NSData == NSData())
        #expect(values[3] as? NSData == NSData(data: Data([1, 2, 3])))
    }

    @Test("7.1 keeps a service object while its handles and UUID stay the same")
    func objects() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: []))
        let (testbed, central, peripheral) = (setup.testbed, setup.central, setup.peripheral)
        testbed.run(.seconds(3))
        func discover() throws -> CBService {
            let count = central.count("services 1")
            peripheral.discoverServices(nil)
            try #require(testbed.run { central.count("services 1") == count + 1 })
            return try #require(peripheral.services?.first)
        }
        let first = try discover()
        #expect(first.handles?.upperBound == 3)
        #expect(try discover() === first)
        setup.foreign.attributes[0].end = 6
        let second = try discover()
        #expect(second !== first && second.handles?.upperBound == 6 && first.handles?.upperBound == 3)
        #expect(try discover() === second)
        setup.foreign.attributes[0].value = [0x0F, 0x18]
        let third = try discover()
        #expect(third !== second && third.uuid == CBUUID(string: "180F"))
        #expect(second.uuid == CBUUID(string: "180D"))
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
